import type { ComponentChildren } from "preact"
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
  /** Of a button that switches something on and off. */
  readonly isPressed?: boolean
}

export const Button = ({ children, disabled = false, isPressed, label, look = "", onClick, title }: ButtonProps) => (
  <button
    type="button"
    class={`button ${look}`}
    aria-label={label}
    aria-pressed={isPressed}
    title={title}
    disabled={disabled}
    onClick={onClick}
  >
    {children}
  </button>
)

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
