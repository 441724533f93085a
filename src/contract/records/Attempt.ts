import type { CallOutcome } from "./CallOutcome.ts"

/** One try of a route, and its outcome: the record that all figures of upstreams derive from. */
export interface Attempt {
  readonly outcome: CallOutcome
  /** The calls that the upstream got: several for a request of several answers. */
  readonly calls: number
  readonly upstream: string
  /** The upstream's id of the model. */
  readonly model: string
  /** The name of the upstream's key; absent unless it has several. */
  readonly key?: string | undefined
  /** HTTP status; absent without an answer. */
  readonly status: number | undefined
  /** The failure's log message. */
  readonly error: string | undefined
  /** Start, in ms after the request's. */
  readonly offsetMs: number
  /** The wait for a slot at the upstream, in ms, which the duration includes. */
  readonly queueMs: number
  readonly durationMs: number
  /** The upstream's request id. */
  readonly requestId: string | undefined
}
