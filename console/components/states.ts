import { basePath } from "../address.ts"
import type { App } from "../app.ts"
import { Refused } from "../client.ts"
import { h } from "../dom.ts"
import type { Child } from "../dom.ts"
import { durationText } from "../format.ts"
import { words } from "../words/words.ts"
import { button } from "./bits.ts"
import { codeBlock } from "./codeBlock.ts"
import type { Snippet } from "./codeBlock.ts"
import { status } from "./status.ts"

const widths = [50, 74, 82, 60, 40, 66, 30]

/** Grey placeholder rows, which appear only if the answer takes a moment. */
const skeleton = (rows = 14): HTMLElement =>
  h(
    "div",
    { class: "skeleton", "aria-busy": "true" },
    h("p", { class: "sr" }, words.loading),
    Array.from({ length: rows }, (_, row) =>
      h(
        "div",
        {},
        widths.map((width, column) => h("i", { css: { width: `${(width - ((row * 7 + column * 13) % 26)) / 4.4}%` } }))
      )
    )
  )

/** An empty state, with how to fill it. */
export const empty = (
  app: Pick<App, "copy">,
  title: string,
  text: Child,
  snippets: ReadonlyArray<Snippet>,
  ...actions: ReadonlyArray<Child>
): HTMLElement =>
  h(
    "div",
    { class: "state" },
    h("h2", {}, title),
    h("p", {}, text),
    actions.length > 0 && h("div", { class: "actions" }, actions),
    snippets.length > 0 && codeBlock(app, snippets)
  )

/** No row matches the filter. */
export const noMatch = (text: Child, ...actions: ReadonlyArray<Child>): HTMLElement =>
  h(
    "div",
    { class: "state" },
    h("h2", {}, words.noMatch.title),
    h("p", {}, text),
    h("div", { class: "actions" }, actions)
  )

const reason = (error: unknown): Child => {
  if (!(error instanceof Refused)) return [words.failed.broken, error instanceof Error ? error.message : ""]
  if (error.status === 0) return words.failed.noAnswer
  return [
    words.failed.answered,
    h("code", {}, `${error.status} ${error.code}`),
    words.failed.after(durationText(error.tookMs)),
    error.message === "" ? "" : ` ${error.message.replace(/\.?$/, ".")}`
  ]
}

/** The gateway's error, what still works, and when it is retried. */
const failed = (
  app: Pick<App, "copy">,
  what: string,
  error: unknown,
  tries: number,
  inSeconds: number,
  again: () => void
): HTMLElement => {
  const id = error instanceof Refused ? error.requestId : null
  const left = h("span", {}, words.failed.tries(tries, inSeconds))
  return h(
    "div",
    { class: "state", role: "alert" },
    h("h2", {}, status("bad", words.failed.title(what))),
    h("p", {}, reason(error), " ", words.failed.goesOn),
    h(
      "div",
      { class: "actions" },
      button(words.failed.again, again, { look: "primary" }),
      h("a", { class: "button", href: `${basePath}/docs` }, words.documentation)
    ),
    h("p", { class: "faint" }, left, id !== null && [` ${words.failed.request} `, id === "" ? "" : copyableId(app, id)])
  )
}

const copyableId = (app: Pick<App, "copy">, id: string) =>
  h(
    "button",
    { type: "button", class: "copyable", "aria-label": words.copy.it(id), on: { click: () => app.copy(id) } },
    id
  )

/**
 * Loads the content of a part of a page, again on request, and by itself after a failure (with a growing delay).
 *
 * @param area shows placeholders and failures; loaded content draws itself
 * @param waiting the content until the first result
 */
export const loader = <A>(
  app: Pick<App, "copy">,
  what: string,
  area: HTMLElement,
  load: () => Promise<A>,
  draw: (loaded: A) => void,
  waiting: () => HTMLElement = skeleton
) => {
  let turn = 0
  let tries = 0
  let hasDrawn = false
  let timer: ReturnType<typeof setTimeout> | undefined
  const run = async (isQuiet = false): Promise<void> => {
    const mine = ++turn
    clearTimeout(timer)
    const soon = setTimeout(() => {
      if (mine === turn && !isQuiet && !hasDrawn) area.replaceChildren(waiting())
    }, 150)
    try {
      const loaded = await load()
      if (mine !== turn) return
      tries = 0
      hasDrawn = true
      draw(loaded)
    } catch (error) {
      if (mine !== turn) return
      tries += 1
      hasDrawn = false
      const seconds = Math.min(60, 2 ** (tries + 1))
      area.replaceChildren(failed(app, what, error, tries, seconds, () => void run()))
      timer = setTimeout(() => void run(), seconds * 1_000)
    } finally {
      clearTimeout(soon)
    }
  }
  return {
    run,
    /** Shows placeholders again, for another query. */
    forget() {
      hasDrawn = false
    },
    close() {
      turn += 1
      clearTimeout(timer)
    }
  }
}
