import type { App } from "../app.ts"
import { h } from "../dom.ts"
import { words } from "../words/words.ts"
import { button } from "./bits.ts"

/** @param whole the text to copy, if it is longer than the shown one */
export type Snippet = readonly [name: string, text: string, whole?: string]

/** Text to copy, with tabs if there are several. */
export const codeBlock = (
  app: Pick<App, "copy">,
  snippets: ReadonlyArray<Snippet>,
  label: string = words.code
): HTMLElement => {
  let chosen = 0
  const panes = snippets.map(([name, text], index) =>
    h("pre", { tabindex: 0, hidden: index !== 0, role: "region", "aria-label": name === "" ? label : name }, text)
  )
  const copy = button(words.copy.button, () => app.copy(snippets[chosen]?.[2] ?? snippets[chosen]?.[1] ?? ""), {
    look: "small"
  })
  if (snippets.length === 1) return h("div", { class: "code alone" }, copy, panes)
  const tabs = snippets.map(([name], index) =>
    h(
      "button",
      {
        type: "button",
        role: "tab",
        "aria-selected": String(index === 0),
        tabindex: index === 0 ? 0 : -1,
        on: { click: () => choose(index) }
      },
      name
    )
  )
  const choose = (index: number) => {
    chosen = index
    for (const [at, tab] of tabs.entries()) {
      tab.setAttribute("aria-selected", String(at === index))
      tab.tabIndex = at === index ? 0 : -1
      panes[at]?.toggleAttribute("hidden", at !== index)
    }
  }
  const list = h(
    "span",
    {
      role: "tablist",
      "aria-label": label,
      on: {
        keydown(event) {
          const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0
          if (by === 0) return
          event.preventDefault()
          choose((chosen + by + tabs.length) % tabs.length)
          tabs[chosen]?.focus()
        }
      }
    },
    tabs
  )
  return h("div", { class: "code" }, h("div", { class: "code-head" }, list, copy), panes)
}
