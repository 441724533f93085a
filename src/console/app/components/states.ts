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

/** Grey lines in the place of rows, seen only where the answer takes a moment. */
export const skeleton = (rows = 14): HTMLElement =>
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

/** What would be here, and what makes it so. */
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

/** Nothing fits what was asked for. */
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

/** What the gateway answered, what goes on regardless, and when it is tried again. */
export const failed = (
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
      h("a", { class: "button", href: "/docs" }, words.documentation)
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
 * Loads what a part of a page shows, again when asked, and by itself after a failure (later each time).
 * @param area where grey lines and failures are shown; what has loaded draws itself
 * @param waiting what is there until something has come
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
    /** Grey lines again: what is asked for is another thing. */
    forget() {
      hasDrawn = false
    },
    close() {
      turn += 1
      clearTimeout(timer)
    }
  }
}
