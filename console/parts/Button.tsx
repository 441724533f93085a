import type { ComponentChildren } from "preact"
import { useContext } from "preact/hooks"
import type { Operation } from "../../src/people/signIn/reach.ts"
import { AppContext } from "../hooks/useApp.ts"
import { reaches } from "../reaches.ts"
import { Icon } from "./Icon.tsx"
import type { IconName } from "./Icon.tsx"

interface ButtonProps {
  readonly onClick: (event: MouseEvent) => void
  readonly children: ComponentChildren
  /** `primary`, `danger`, `small`, `ghost`, `square`. */
  readonly look?: string
  /** Its name, where the text alone is not enough: "Edit team-a". */
  readonly label?: string | undefined
  readonly title?: string | undefined
  readonly disabled?: boolean
  /** The operation that it begins: without a role that reaches it, there is no button. */
  readonly needs?: Operation
  /** Of a button that switches something on and off. */
  readonly isPressed?: boolean
}

export const Button = ({ children, disabled = false, isPressed, label, look = "", needs, ...given }: ButtonProps) => {
  const session = useContext(AppContext)?.session
  if (needs !== undefined && session !== undefined && !reaches(session, needs)) return null
  return (
    <button
      type="button"
      class={`button ${look}`}
      aria-label={label}
      aria-pressed={isPressed}
      title={given.title}
      disabled={disabled}
      onClick={given.onClick}
    >
      {children}
    </button>
  )
}

export const IconButton = ({
  label,
  name,
  onClick
}: {
  readonly name: IconName
  readonly label: string
  readonly onClick: () => void
}) => (
  <Button look="ghost square" label={label} title={label} onClick={onClick}>
    <Icon name={name} />
  </Button>
)

/** Toggle buttons, of which one is pressed. */
export const Segments = <Value extends string>({
  choices,
  choose,
  chosen,
  label
}: {
  readonly label: string
  readonly choices: ReadonlyArray<readonly [value: Value, word: string]>
  readonly chosen: Value | undefined
  readonly choose: (value: Value) => void
}) => (
  <span class="segments" role="group" aria-label={label}>
    {choices.map(([value, word]) => (
      <button key={value} type="button" aria-pressed={value === chosen} onClick={() => choose(value)}>
        {word}
      </button>
    ))}
  </span>
)
