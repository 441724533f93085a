import { fill, h } from "../dom.ts"
import type { Child } from "../dom.ts"
import { words } from "../words/words.ts"
import { iconButton } from "./bits.ts"

/** A drawer beside the list, which stays usable; a column of its own on wide screens. */
export const makeDrawer = (
  main: HTMLElement,
  { close, step }: { readonly close: () => void; readonly step: (by: 1 | -1) => void }
) => {
  const title = h("h2", { id: "drawer-title" })
  const body = h("div", { class: "drawer-body", tabindex: 0, role: "group", "aria-labelledby": "drawer-title" })
  const element = h(
    "section",
    { class: "drawer", "aria-labelledby": "drawer-title", hidden: true },
    h(
      "header",
      {},
      title,
      h("span", { class: "grow" }),
      iconButton("up", words.drawer.before, () => step(-1)),
      iconButton("down", words.drawer.next, () => step(1)),
      iconButton("close", words.drawer.close, close)
    ),
    body
  )
  main.append(element)
  let shown: string | undefined
  return {
    /** @param id of the shown record: new content for the same one keeps the scroll position */
    show(id: string, heading: Child, ...content: ReadonlyArray<Child>) {
      const top = shown === id ? body.scrollTop : 0
      fill(title, heading)
      fill(body, content)
      body.scrollTop = top
      shown = id
      element.hidden = false
      main.classList.add("with-drawer")
    },
    hide() {
      shown = undefined
      element.hidden = true
      main.classList.remove("with-drawer")
      fill(body)
    },
    shown: () => shown
  }
}
export type Drawer = ReturnType<typeof makeDrawer>
