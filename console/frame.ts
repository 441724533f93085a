import { h } from "./dom.ts"

/** A page's header: its name, a count and its actions. */
export const pageHead = (title: string, ...right: ReadonlyArray<HTMLElement | undefined>) => {
  const note = h("span", { class: "faint head-note" })
  const element = h("div", { class: "bar" }, h("h1", {}, title), note, h("span", { class: "grow" }), right)
  return { element, note }
}
