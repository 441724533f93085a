import type { ComponentChildren } from "preact"
import type { Field } from "./form.ts"

interface Labelled {
  readonly id: string
  readonly label: string
  readonly hint?: ComponentChildren
}

/** A field with its label above and a hint below. */
const Framed = ({ children, hint, id, label }: Labelled & { readonly children: ComponentChildren }) => (
  <div class="field">
    <label for={id}>{label}</label>
    {children}
    {hint !== undefined && <small id={`${id}-hint`}>{hint}</small>}
  </div>
)

/** Several controls under one label. */
export const Group = ({ children, hint, label }: Omit<Labelled, "id"> & { readonly children: ComponentChildren }) => (
  <div class="field">
    <span class="label">{label}</span>
    {children}
    {hint !== undefined && <small>{hint}</small>}
  </div>
)

const shared = (of: Field, id: string, hint: ComponentChildren) => ({
  id,
  ref: (element: HTMLElement | null) => {
    of.element.current = element
  },
  value: of.value.value,
  "aria-invalid": of.isWrong.value ? ("true" as const) : undefined,
  "aria-describedby": hint === undefined ? undefined : `${id}-hint`,
  onInput: (event: { readonly currentTarget: { readonly value: string } }) => {
    of.value.value = event.currentTarget.value
    of.isWrong.value = false
  }
})

interface TextFieldProps extends Labelled {
  readonly of: Field
  readonly placeholder?: string | undefined
  readonly inputMode?: "decimal" | "numeric" | "text"
  readonly type?: "text" | "password" | "date" | "number"
  readonly look?: string
  readonly autocomplete?: string
}

export const TextField = ({
  autocomplete = "off",
  hint,
  id,
  inputMode = "text",
  label,
  look = "",
  of,
  placeholder,
  type = "text"
}: TextFieldProps) => {
  const props = {
    class: `input ${look}`,
    autocomplete,
    spellcheck: false,
    inputMode,
    placeholder,
    ...shared(of, id, hint)
  }
  return (
    <Framed id={id} label={label} hint={hint}>
      {type === "password" ? (
        <input type="password" {...props} />
      ) : type === "date" ? (
        <input type="date" {...props} />
      ) : type === "number" ? (
        <input type="number" {...props} />
      ) : (
        <input {...props} />
      )}
    </Framed>
  )
}

export const TextArea = ({ hint, id, label, of, rows }: Labelled & { readonly of: Field; readonly rows: number }) => (
  <Framed id={id} label={label} hint={hint}>
    <textarea class="input" rows={rows} spellcheck={false} {...shared(of, id, hint)} />
  </Framed>
)

export const Select = ({
  choices,
  hint,
  id,
  label,
  of
}: Labelled & {
  readonly of: Field
  readonly choices: ReadonlyArray<readonly [value: string, word: string]>
}) => (
  <Framed id={id} label={label} hint={hint}>
    <select class="select" {...shared(of, id, hint)}>
      {choices.map(([value, word]) => (
        <option key={value} value={value}>
          {word}
        </option>
      ))}
    </select>
  </Framed>
)
