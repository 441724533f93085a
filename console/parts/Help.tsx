import { Fragment } from "preact"
import { letterOf } from "../pageNames.ts"
import type { PageName } from "../pageNames.ts"
import { words } from "../words/words.ts"
import { Dialog } from "./Dialog.tsx"

/** Keyboard shortcuts. */
export const Help = ({ close, pages }: { readonly pages: ReadonlyArray<PageName>; readonly close: () => void }) => {
  const { help } = words
  const rows: ReadonlyArray<readonly [what: string, keys: ReadonlyArray<string>]> = [
    [help.search, ["/"]],
    [help.list, ["?"]],
    ...pages.map((page) => [help.goTo(words.pages[page]), ["g", letterOf(page)]] as const),
    [help.rows, ["j", "k"]],
    [help.open, ["↵"]],
    [help.close, ["Esc"]],
    [help.create, ["c"]],
    [help.live, ["l"]],
    [help.times, ["t"]],
    [help.copy, ["y"]],
    [help.theme, ["d"]],
    [help.send, ["Ctrl", "↵"]],
    [help.chart, ["←", "→"]],
    [help.zoom, ["Shift", "←", "→", "↵"]]
  ]
  return (
    <Dialog title={help.title} safe={words.dialog.close} close={close}>
      <div class="shortcuts">
        {rows.map(([what, keys]) => (
          <div key={what}>
            <span>{what}</span>
            <span>
              {keys.map((key) => (
                <Fragment key={key}>
                  <kbd>{key}</kbd>{" "}
                </Fragment>
              ))}
            </span>
          </div>
        ))}
      </div>
    </Dialog>
  )
}
