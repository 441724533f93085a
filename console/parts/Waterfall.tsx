import { Fragment } from "preact"
import { number } from "../format.ts"
import { words } from "../words/words.ts"
import { Shape } from "./Status.tsx"
import { Faint, Took } from "./text.tsx"

/** A call of a request. Times are in ms after the request's start. */
export interface Call {
  readonly upstream: string
  readonly from: number
  /** When its wait for a slot ended. */
  readonly sent: number
  /** When its answer began or the call was given up. */
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

/** A row for each call: waiting for a slot, for the first byte, the answer, or the reason of its failure. */
export const Waterfall = ({ calls, totalMs }: { readonly calls: ReadonlyArray<Call>; readonly totalMs: number }) => {
  const step = steps.find((step) => step * 4 >= totalMs) ?? 1e6
  const total = Math.max(totalMs, step * Math.ceil(totalMs / step - 0.25), 1)
  const share = (ms: number) => `${((100 * ms) / total).toFixed(2)}%`
  const bar = (kind: string, from: number, to: number) =>
    to > from && <i class={kind} style={{ left: share(from), width: share(to - from) }} />
  const beside = ({ from, to }: Call) =>
    from > total - to
      ? { right: share(total - from), maxWidth: share(from), marginRight: "4px", paddingRight: "2px" }
      : { left: share(to), maxWidth: share(total - to), marginLeft: "4px", paddingLeft: "2px" }
  return (
    <div class="waterfall" style={{ "--tick": share(step) }}>
      <span />
      <div class="wf-axis" aria-hidden="true">
        {Array.from({ length: Math.floor(total / step + 1e-6) + 1 }, (_, at) => (
          <span key={at} style={{ left: share(at * step) }}>
            {tickText(at * step, step)}
          </span>
        ))}
      </div>
      <span />
      {calls.map((call, index) => {
        const { began, failure, from, isCut, sent, to, upstream } = call
        const before = calls[index - 1]
        const ended = before?.to ?? 0
        const isFailed = failure !== undefined
        // A reason is shown beside the bar if there is room, otherwise below it.
        const hasRoom = Math.max(from, total - to) > total * 0.35
        return (
          <Fragment key={index}>
            <div class="wf-name">
              <Shape tone={isFailed ? "bad" : "well"} />
              <span class="cut">{upstream}</span>
              {before?.upstream === upstream && <Faint>{words.waterfall.again}</Faint>}
            </div>
            <div class="wf-bars">
              {from - ended > total / 100 && bar("wf-pause", ended, from)}
              {bar("wf-slot", from, sent)}
              {isFailed && !isCut ? (
                bar("wf-bad", sent, to)
              ) : (
                <>
                  {bar("wf-first", sent, began)}
                  {bar(isCut ? "wf-bad" : "wf-answer", began, to)}
                </>
              )}
              {isFailed && hasRoom && (
                <em style={beside(call)} title={failure}>
                  {failure}
                </em>
              )}
            </div>
            <div class="wf-took">
              <Took ms={to - from} />
            </div>
            {isFailed && !hasRoom && <div class="wf-why">{failure}</div>}
          </Fragment>
        )
      })}
    </div>
  )
}

export const WaterfallLegend = () => (
  <>
    {(["pause", "slot", "first", "answer", "bad"] as const).map((kind) => (
      <span key={kind} class="legend">
        <i class={`wf-${kind}`} />
        {words.waterfall[kind]}
      </span>
    ))}
  </>
)
