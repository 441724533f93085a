import type { App } from "../app.ts"
import { h } from "../dom.ts"
import type { Child } from "../dom.ts"
import { moment, span, utc } from "../format.ts"
import { words } from "../words/words.ts"
import { icon } from "./icons.ts"

export const quiet = (...children: ReadonlyArray<Child>): HTMLElement => h("span", { class: "quiet" }, children)
export const faint = (...children: ReadonlyArray<Child>): HTMLElement => h("span", { class: "faint" }, children)
export const mono = (...children: ReadonlyArray<Child>): HTMLElement => h("code", {}, children)
export const none = (word: string = words.none): HTMLElement => faint(word)
export const badge = (text: string): HTMLElement => h("span", { class: "badge" }, text)

/** An age or a clock time, as the user chose; the full time on hover. */
export const when = (app: App, time: string | number, suffix: "ago" | "" = ""): HTMLElement => {
  const ms = typeof time === "number" ? time : Date.parse(time)
  const now = Date.now()
  const shown = app.clockTimes()
    ? moment(ms, now)
    : ms > now + 1_000
      ? words.times.in(span(ms - now))
      : suffix === "ago"
        ? words.times.ago(span(now - ms))
        : span(now - ms)
  return h("time", { datetime: new Date(ms).toISOString(), title: utc(ms) }, shown)
}

/** A full id that is copied on click. */
export const copyable = (app: App, text: string, shown = text): HTMLElement =>
  h(
    "button",
    {
      class: "copyable",
      type: "button",
      title: text,
      "aria-label": words.copy.it(text),
      on: {
        click(event) {
          event.stopPropagation()
          app.copy(text)
        }
      }
    },
    shown,
    icon("copy", 12)
  )

/** A usage bar: amber from 85 %, red when used up. */
export const meter = (used: number, most: number, label: string, isOff = false): HTMLElement => {
  const share = most <= 0 ? 0 : Math.min(1, used / most)
  const tone = isOff ? "off" : share >= 1 ? "bad" : share >= 0.85 ? "warn" : ""
  return h(
    "span",
    { class: `meter ${tone}`, role: "img", "aria-label": label },
    h("i", { css: { width: `${(100 * share).toFixed(1)}%` } })
  )
}

/** A labelled value. */
export const fact = (name: string, value: Child, isWide = false): HTMLElement =>
  h("div", { class: isWide ? "wide" : "" }, h("dt", {}, name), h("dd", {}, value))

export const facts = (isBig: boolean, ...list: ReadonlyArray<Child>): HTMLElement =>
  h("dl", { class: isBig ? "facts big" : "facts" }, list)

export const button = (
  text: Child,
  click: (event: MouseEvent) => void,
  { look = "", ...attributes }: { readonly look?: string; readonly [name: string]: string | boolean | undefined } = {}
): HTMLButtonElement => h("button", { type: "button", class: `button ${look}`, on: { click }, ...attributes }, text)

export const iconButton = (name: Parameters<typeof icon>[0], label: string, click: () => void): HTMLButtonElement =>
  button(icon(name), click, { look: "ghost square", "aria-label": label, title: label })

/** A section of a drawer or page. */
export const section = (title: Child, ...children: ReadonlyArray<Child>): HTMLElement =>
  h("section", {}, title !== null && h("h2", {}, title), children)

/** A small table. */
export const smallTable = (
  heads: ReadonlyArray<readonly [text: Child, look?: string, width?: number]>,
  rows: ReadonlyArray<ReadonlyArray<Child>>,
  { isPlain = false, label }: { readonly isPlain?: boolean; readonly label?: string } = {}
): HTMLTableElement =>
  h(
    "table",
    { class: isPlain ? "table plain" : "table", "aria-label": label },
    h(
      "colgroup",
      {},
      heads.map(([, , width]) => h("col", width === undefined ? {} : { css: { width: `${width}px` } }))
    ),
    !isPlain &&
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          heads.map(([text, look = ""]) => h("th", { scope: "col", class: look }, text))
        )
      ),
    h(
      "tbody",
      {},
      rows.map((cells) =>
        h(
          "tr",
          {},
          cells.map((cell, index) => h("td", { class: heads[index]?.[1] ?? "" }, cell))
        )
      )
    )
  )
