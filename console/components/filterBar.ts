import type { App } from "../app.ts"
import { h } from "../dom.ts"
import { withQuery } from "../router.ts"
import { icon } from "./icons.ts"

export interface Choice {
  readonly name: string
  /** The label without a filter: "Any model". */
  readonly any: string
  readonly values: ReadonlyArray<string | readonly [value: string, word: string]>
}

/** A search field and some selects, whose values are in the address. */
export const filterBar = (
  app: Pick<App, "go" | "route">,
  search: { readonly label: string; readonly example: string }
) => {
  const input = h("input", {
    class: "input",
    type: "search",
    id: "search",
    "aria-label": search.label,
    placeholder: search.example,
    spellcheck: "false",
    autocomplete: "off",
    on: {
      change: () => app.go(withQuery(app.route(), { q: input.value.trim() })),
      keydown(event) {
        if (event.key === "Enter") app.go(withQuery(app.route(), { q: input.value.trim() }))
      }
    }
  })
  const selects = h("div", { class: "filter-selects" })
  const element = h(
    "div",
    { class: "filters", role: "search", "aria-label": search.label },
    h("div", { class: "search" }, icon("search", 14), input, h("kbd", { "aria-hidden": "true" }, "/")),
    selects
  )

  /** Shows the address's values, with these choices. */
  const show = (choices: ReadonlyArray<Choice>) => {
    const { query } = app.route()
    if (document.activeElement !== input) input.value = query.get("q") ?? ""
    const focused = document.activeElement instanceof HTMLSelectElement ? document.activeElement.name : undefined
    selects.replaceChildren(
      ...choices.map(({ any, name, values }) => {
        const chosen = query.get(name) ?? ""
        const pairs = values.map((value) => (typeof value === "string" ? ([value, value] as const) : value))
        const all =
          chosen === "" || pairs.some(([value]) => value === chosen) ? pairs : [...pairs, [chosen, chosen] as const]
        const element = h(
          "select",
          {
            class: chosen === "" ? "select" : "select on",
            name,
            "aria-label": any,
            on: { change: () => app.go(withQuery(app.route(), { [name]: element.value })) }
          },
          h("option", { value: "" }, any),
          all.map(([value, word]) => h("option", { value, selected: value === chosen }, word))
        )
        return element
      })
    )
    if (focused !== undefined) selects.querySelector<HTMLSelectElement>(`[name="${focused}"]`)?.focus()
  }
  return { element, show }
}

/** The filters in words: `model:claude-* outcome:failed`. */
export const filterText = (query: URLSearchParams, names: ReadonlyArray<string>): string =>
  [query.get("q") ?? "", ...names.flatMap((name) => (query.has(name) ? [`${name}:${query.get(name) ?? ""}`] : []))]
    .filter((part) => part !== "")
    .join(" ")

export const clearFilters = (app: App): void =>
  app.go(withQuery(app.route(), Object.fromEntries([...app.route().query.keys()].map((name) => [name, ""]))))
