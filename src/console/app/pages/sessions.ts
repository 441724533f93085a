import type { App, Page } from "../app.ts"
import { button, faint, when } from "../components/bits.ts"
import { loader } from "../components/states.ts"
import { fill, h } from "../dom.ts"
import type { Child } from "../dom.ts"
import { number, span } from "../format.ts"
import { pageHead } from "../frame.ts"
import { words } from "../words/words.ts"

/** Somebody who is signed in. */
interface SessionRecord {
  readonly id: string
  readonly kind: "operator" | "account"
  readonly account?: string | null
  readonly key?: string | null
  readonly created_at: string
  readonly last_used_at: string
  readonly expires_at: string
  readonly current?: boolean
}

const text = words.sessions

/** Who is signed in to the console, and the way to end that. */
export const sessions: Page = (app: App, main) => {
  const head = pageHead(text.title)
  const area = h("div", { class: "page" })
  fill(main, head.element, area)
  let rows: ReadonlyArray<SessionRecord> = []
  const revoke = async ({ id }: SessionRecord) => {
    await app.client.send(`/admin/v1/sessions/${encodeURIComponent(id)}`, { method: "DELETE" })
    app.toast(text.revoked)
    await loading.run(true)
  }
  const cell = (name: string, look: string, ...children: ReadonlyArray<Child>) =>
    h("td", { class: look, "data-head": name }, children)
  const draw = () => {
    head.note.textContent = text.count(number(rows.length))
    const heads = [
      [text.who, ""],
      [text.since, ""],
      [text.used, ""],
      [text.ends, ""],
      [text.change, "right"]
    ] as const
    fill(
      area,
      h(
        "div",
        { class: "bleed" },
        h(
          "table",
          { class: "table stacks", "aria-label": text.title },
          h(
            "thead",
            {},
            h(
              "tr",
              {},
              heads.map(([name, look]) => h("th", { scope: "col", class: look }, name))
            )
          ),
          h(
            "tbody",
            {},
            rows.map((row) =>
              h(
                "tr",
                {},
                h(
                  "td",
                  { class: "whole" },
                  row.kind === "operator" ? text.operator : [row.account ?? "", faint(" / "), row.key ?? ""],
                  row.current === true && faint(`, ${text.this}`)
                ),
                cell(text.since, "quiet", when(app, row.created_at, "ago")),
                cell(text.used, "quiet", when(app, row.last_used_at, "ago")),
                cell(text.ends, "quiet", span(Date.parse(row.expires_at) - Date.now())),
                h(
                  "td",
                  { class: "right whole" },
                  button(text.revoke, () => void revoke(row), { look: "small danger" })
                )
              )
            )
          )
        )
      ),
      h("p", { class: "hint rule" }, text.hint)
    )
  }
  const loading = loader(
    app,
    text.title,
    area,
    () => app.client.json<{ readonly data: ReadonlyArray<SessionRecord> }>("/admin/v1/sessions"),
    ({ data }) => {
      rows = data
      draw()
    }
  )
  void loading.run()
  return { show: () => {}, redraw: draw, close: () => loading.close() }
}
