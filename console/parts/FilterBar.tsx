import { useLayoutEffect, useRef } from "preact/hooks"
import { useApp } from "../hooks/useApp.ts"
import { withQuery } from "../router.ts"
import { Icon } from "./Icon.tsx"

export interface Choice {
  readonly name: string
  /** The label without a filter: "Any model". */
  readonly any: string
  readonly values: ReadonlyArray<string | readonly [value: string, word: string]>
}

/** A select whose value is in the address. */
const Filter = ({ any, name, values }: Choice) => {
  const app = useApp()
  const chosen = app.route().query.get(name) ?? ""
  const pairs = values.map((value) => (typeof value === "string" ? ([value, value] as const) : value))
  const all = chosen === "" || pairs.some(([value]) => value === chosen) ? pairs : [...pairs, [chosen, chosen] as const]
  return (
    <select
      class={chosen === "" ? "select" : "select on"}
      name={name}
      aria-label={any}
      value={chosen}
      onChange={(event) => app.go(withQuery(app.route(), { [name]: event.currentTarget.value }))}
    >
      <option value="">{any}</option>
      {all.map(([value, word]) => (
        <option key={value} value={value}>
          {word}
        </option>
      ))}
    </select>
  )
}

/** A search field and some selects, whose values are in the address. */
export const FilterBar = ({
  choices,
  example,
  keep,
  label
}: {
  readonly label: string
  readonly example: string
  readonly choices: ReadonlyArray<Choice>
  /** Takes a text that is no filter: a secret, which must not become a part of the address, or an id. True if it did. */
  readonly keep?: (text: string) => boolean
}) => {
  const app = useApp()
  const input = useRef<HTMLInputElement>(null)
  const sought = app.route().query.get("q") ?? ""
  // The address changes the field, but not while it is typed into.
  useLayoutEffect(() => {
    const field = input.current
    if (field !== null && document.activeElement !== field) field.value = sought
  })
  const search = (text: string) => {
    if (keep?.(text.trim()) !== true) return app.go(withQuery(app.route(), { q: text.trim() }))
    if (input.current !== null) input.current.value = sought
  }
  return (
    <div class="filters" role="search" aria-label={label}>
      <div class="search">
        <Icon name="search" size={14} />
        <input
          ref={input}
          class="input"
          type="search"
          id="search"
          aria-label={label}
          placeholder={example}
          spellcheck={false}
          autocomplete="off"
          onChange={(event) => search(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter") return
            // A dialog that this opens must not be sent by the same key.
            event.preventDefault()
            search(event.currentTarget.value)
          }}
        />
        <kbd aria-hidden="true">/</kbd>
      </div>
      <div class="filter-selects">
        {choices.map((choice) => (
          <Filter key={choice.name} {...choice} />
        ))}
      </div>
    </div>
  )
}
