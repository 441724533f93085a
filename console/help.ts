import { h } from "./dom.ts"
import { openDialog } from "./components/dialog.ts"
import type { PageName } from "./frame.ts"
import { words } from "./words/words.ts"

/** Keyboard shortcuts. */
export const helpDialog = (pages: ReadonlyArray<PageName>): void => {
  const { help } = words
  const rows: ReadonlyArray<readonly [what: string, keys: string]> = [
    [help.search, "/"],
    [help.list, "?"],
    ...pages.map((page) => [help.goTo(words.pages[page]), `g ${page[0] ?? ""}`] as const),
    [help.rows, "j k"],
    [help.open, "↵"],
    [help.close, "Esc"],
    [help.create, "c"],
    [help.live, "l"],
    [help.times, "t"],
    [help.copy, "y"],
    [help.theme, "d"],
    [help.send, "Ctrl ↵"],
    [help.chart, "← →"],
    [help.zoom, "Shift ← →  ↵"]
  ]
  openDialog({
    title: help.title,
    safe: words.dialog.close,
    body: [
      h(
        "div",
        { class: "shortcuts" },
        rows.map(([what, keys]) =>
          h(
            "div",
            {},
            h("span", {}, what),
            h(
              "span",
              {},
              keys
                .split(" ")
                .filter((key) => key !== "")
                .map((key) => [h("kbd", {}, key), " "])
            )
          )
        )
      )
    ]
  })
}
