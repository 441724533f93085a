import type { App, RenderPage } from "../app.ts"
import { button, faint, when } from "../components/bits.ts"
import { openDialog } from "../components/dialog.ts"
import { loader } from "../components/states.ts"
import { fill, h, refill } from "../dom.ts"
import type { Child } from "../dom.ts"
import { number, span } from "../format.ts"
import { pageHead } from "../frame.ts"
import { words } from "../words/words.ts"

/** A signed-in user. */
interface SessionRecord {
  readonly id: string
  readonly kind: "operator" | "account"
  readonly account: string | null
  readonly key: string | null
  readonly client: string
  readonly address: string
  readonly created_at: string
  readonly last_used_at: string
  readonly expires_at: string
  readonly current: boolean
}

interface SessionPage {
  readonly data: ReadonlyArray<SessionRecord>
  readonly next: string | null
}

const text = words.sessions

const whoIs = ({ account, key, kind }: SessionRecord): string =>
  kind === "operator" ? text.operator : `${account ?? ""} / ${key ?? ""}`

/** The browser and system of a user agent; the whole text if it is unknown. */
const browserOf = (client: string): string => {
  const browser = /(Firefox|Edg|OPR|Chrome|Version)\/[\d]+/.exec(client)?.[0]
  const system = /(Windows|Macintosh|Android|iPhone|iPad|Linux)/.exec(client)?.[0]
  if (browser === undefined) return client
  const name = browser.replace("Edg/", "Edge ").replace("Version/", "Safari ").replace("/", " ")
  return system === undefined ? name : `${name}, ${system}`
}

const cell = (name: string, look: string, ...children: ReadonlyArray<Child>) =>
  h("td", { class: look, "data-head": name }, children)

const rowOf = (app: App, row: SessionRecord, revoke: (row: SessionRecord) => void): HTMLElement =>
  h(
    "tr",
    {},
    h("td", { class: "whole" }, whoIs(row), row.current && faint(`, ${text.this}`)),
    cell(text.from, "quiet", h("span", { title: row.client }, row.address, faint(` ${browserOf(row.client)}`))),
    cell(text.since, "quiet", when(app, row.created_at, "ago")),
    cell(text.used, "quiet", when(app, row.last_used_at, "ago")),
    cell(text.ends, "quiet", span(Date.parse(row.expires_at) - Date.now())),
    h(
      "td",
      { class: "right whole" },
      button(text.revoke, () => revoke(row), {
        look: "small danger",
        "aria-label": `${text.revoke} ${whoIs(row)}, ${row.address}`
      })
    )
  )

/** Sessions of the console, and signing them out. */
export const sessions: RenderPage = (app: App, main) => {
  const head = pageHead(text.title)
  const area = h("div", { class: "page" })
  fill(main, head.element, area)
  let rows: ReadonlyArray<SessionRecord> = []
  let next: string | null = null

  const revoke = (row: SessionRecord) =>
    openDialog({
      title: text.revokeTitle,
      safe: words.dialog.keep,
      body: [h("p", {}, text.revokeText(whoIs(row), row.address))],
      act: {
        word: text.revokeSession,
        isDangerous: true,
        run: async () => {
          await app.client.send(`/admin/v1/sessions/${encodeURIComponent(row.id)}`, { method: "DELETE" })
          app.toast(text.revoked)
          await loading.run(true)
        }
      }
    })

  const pageAfter = (after?: string) =>
    app.client.json<SessionPage>(
      `/admin/v1/sessions${after === undefined ? "" : `?after=${encodeURIComponent(after)}`}`
    )
  const more = async () => {
    const page = await pageAfter(next ?? undefined)
    rows = [...rows, ...page.data]
    next = page.next
    draw()
  }
  const draw = () => {
    head.note.textContent = text.count(`${number(rows.length)}${next === null ? "" : "+"}`)
    const heads = [
      [text.who, "", 180],
      [text.from, "", 0],
      [text.since, "", 120],
      [text.used, "", 120],
      [text.ends, "", 90],
      [text.change, "right", 90]
    ] as const
    refill(
      area,
      h(
        "div",
        { class: "bleed sideways", tabindex: 0, role: "region", "aria-label": text.title },
        h(
          "table",
          { class: "table stacks", "aria-label": text.title },
          h(
            "thead",
            {},
            h(
              "tr",
              {},
              heads.map(([name, look, width]) =>
                h("th", { scope: "col", class: look, ...(width === 0 ? {} : { css: { width: `${width}px` } }) }, name)
              )
            )
          ),
          h(
            "tbody",
            {},
            rows.map((row) => rowOf(app, row, revoke))
          )
        )
      ),
      next !== null &&
        h(
          "p",
          { class: "more" },
          button(text.more, () => void more())
        ),
      h("p", { class: "hint rule" }, text.hint)
    )
  }
  const loading = loader(
    app,
    text.title,
    area,
    () => pageAfter(),
    (page) => {
      rows = page.data
      next = page.next
      draw()
    }
  )
  const heard = app.live.onChange(({ what }) => {
    if (what === "session") void loading.run(true)
  })
  void loading.run()
  return {
    show: () => {},
    redraw: draw,
    close() {
      heard()
      loading.close()
    }
  }
}
