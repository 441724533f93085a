import { Schema } from "effect"

/**
 * The outcome of a call to an upstream. `refused`: for what the request asks. `failed`: by the upstream's own fault, or
 * without an answer. `cut`: after the answer had begun. `outpaced`: another route answered first. `left`: the caller
 * left before the answer began. `stopped`: the gateway stopped first. `unsent`: the gateway kept it back, so it is no
 * call of the upstream.
 */
export const CallOutcome = Schema.Literal(
  "answered",
  "refused",
  "failed",
  "cut",
  "outpaced",
  "left",
  "stopped",
  "unsent"
)
export type CallOutcome = typeof CallOutcome.Type

/** Statuses below 500 of an upstream that fails: wrong keys, missing models, too many requests. */
const failures = new Set([401, 403, 404, 408, 429])

/** The outcome of a call that an upstream did not answer as asked. */
export const unansweredOutcome = (status: number | undefined): "refused" | "failed" =>
  status !== undefined && status >= 400 && status < 500 && !failures.has(status) ? "refused" : "failed"

/** True if the call counts against the upstream. */
export const isFailedCall = (outcome: CallOutcome): boolean => outcome === "failed" || outcome === "cut"

/** A failed call's kind in sums and sentences: its status, `none` without an answer, `cut` after one began. */
export const failureKind = (outcome: CallOutcome, status: number | undefined): string =>
  outcome === "cut" ? "cut" : String(status ?? "none")
