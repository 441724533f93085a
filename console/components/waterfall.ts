import { h } from "../dom.ts"
import type { Child, Props } from "../dom.ts"
import { number } from "../format.ts"
import { words } from "../words/words.ts"
import { faint, took } from "./bits.ts"
import { shape } from "./status.ts"

export interface Call {
  readonly upstream: string
  readonly from: number
  /** When its answer began or the call was given up, in ms from the start of the request, as in the other fields. */
  readonly began: number
  readonly to: number
  /** The reason of a failure; undefined if it succeeded. */
  readonly failure: string | undefined
  /** True if it failed after its answer had begun. */
  readonly isCut: boolean
}

const steps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5]

const tickText = (ms: number, step: number): string =>
  ms === 0 ? "0" : step * 4 > 1_000 ? `${number(ms / 1_000, step >= 1_000 ? 0 : 1)} s` : `${number(ms)} ms`

/** One row per call: waiting, first byte, answer, or the reason of its failure. */
export const waterfall = (calls: ReadonlyArray<Call>, totalMs: number): HTMLElement => {
  const step = steps.find((step) => step * 4 >= totalMs) ?? 1e6
  const total = Math.max(totalMs, step * Math.ceil(totalMs / step - 0.25), 1)
  const share = (ms: number) => `${((100 * ms) / total).toFixed(2)}%`
  const bar = (kind: string, from: number, to: number) =>
    h("i", { class: kind, css: { left: share(from), width: share(Math.max(0, to - from)) } })
  const ticks = Array.from({ length: Math.floor(total / step + 1e-6) + 1 }, (_, at) =>
    h("span", { css: { left: share(at * step) } }, tickText(at * step, step))
  )
  const row = (call: Call, index: number): Child => {
    const before = calls[index - 1]
    const ended = before?.to ?? 0
    const pause = call.from - ended
    const failed = call.failure !== undefined
    // A reason is shown beside the bar if there is room, otherwise below it.
    const [left, right] = [call.from, total - call.to]
    const hasRoom = Math.max(left, right) > total * 0.35
    const beside: Props["css"] =
      left > right
        ? { right: share(total - call.from), "max-width": share(left), "margin-right": "4px", "padding-right": "2px" }
        : { left: share(call.to), "max-width": share(right), "margin-left": "4px", "padding-left": "2px" }
    return [
      h(
        "div",
        { class: "wf-name" },
        shape(failed ? "bad" : "well"),
        h("span", { class: "cut" }, call.upstream),
        before?.upstream === call.upstream && faint(words.waterfall.again)
      ),
      h(
        "div",
        { class: "wf-bars" },
        pause > total / 100 && bar("wf-pause", ended, call.from),
        failed && !call.isCut
          ? bar("wf-bad", call.from, call.to)
          : [bar("wf-first", call.from, call.began), bar(call.isCut ? "wf-bad" : "wf-answer", call.began, call.to)],
        failed && hasRoom && h("em", { css: beside, title: call.failure }, call.failure)
      ),
      h("div", { class: "wf-took" }, took(call.to - call.from)),
      failed && !hasRoom && h("div", { class: "wf-why" }, call.failure)
    ]
  }
  return h(
    "div",
    { class: "waterfall", css: { "--tick": share(step) } },
    h("span"),
    h("div", { class: "wf-axis", "aria-hidden": "true" }, ticks),
    h("span"),
    calls.map(row)
  )
}

export const waterfallLegend = (): ReadonlyArray<HTMLElement> =>
  (["pause", "first", "answer", "bad"] as const).map((kind) =>
    h("span", { class: "legend" }, h("i", { class: `wf-${kind}` }), words.waterfall[kind])
  )
