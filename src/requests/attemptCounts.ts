import { Option, Schema } from "effect"
import { CallOutcome, isFailedCall, unansweredOutcome } from "../contract/records/CallOutcome.ts"
import { outcomeOf } from "./outcome.ts"
import type { RequestRow } from "./RequestRow.ts"

/** The calls of requests to one upstream. */
export interface AttemptCounts {
  readonly attempts: number
  /** Calls that the upstream failed: requests that it refused for what they ask are none. */
  readonly failed_attempts: number
  /** The failed ones whose request was answered all the same, by another attempt. */
  readonly hidden_failures: number
  /** Calls that were cancelled because another route answered first. */
  readonly outpaced_attempts: number
}

const Attempts = Schema.Struct({
  attempts: Schema.optional(
    Schema.Array(
      Schema.Struct({
        upstream: Schema.String,
        outcome: Schema.optional(CallOutcome),
        calls: Schema.optional(Schema.Int),
        status: Schema.optional(Schema.Int),
        error: Schema.optional(Schema.String),
        duration_ms: Schema.Number
      })
    )
  )
})

/** One attempt, as its request's `details` have it. */
export type StoredAttempt = NonNullable<(typeof Attempts.Type)["attempts"]>[number]

const read = Schema.decodeUnknownOption(Schema.parseJson(Attempts))

/** The attempts in a request's `details`. */
export const attemptsIn = (details: string): ReadonlyArray<StoredAttempt> =>
  Option.getOrUndefined(read(details))?.attempts ?? []

/** The start of `details` with attempts: they come first. */
export const beginsWithAttempts = '{"attempts":['
const upstreamField = '"upstream":"'

/** Counts a request's attempts by upstream. Most requests have a single successful one, which is not parsed. */
export const attemptCounts = (
  row: Pick<RequestRow, "details" | "error" | "status" | "upstream">
): ReadonlyArray<readonly [upstream: string, AttemptCounts]> => {
  const { details, upstream } = row
  if (!details.startsWith(beginsWithAttempts)) return []
  const isSingle = details.indexOf(upstreamField) === details.lastIndexOf(upstreamField)
  if (isSingle && !unusual.some((field) => details.includes(field))) return [[upstream, one]]
  const isFinished = outcomeOf(row) === "finished"
  const counts = new Map<string, AttemptCounts>()
  for (const attempt of attemptsIn(details)) {
    const outcome = outcomeOfStored(attempt)
    if (outcome === "unsent") continue
    counts.set(attempt.upstream, plusCall(counts.get(attempt.upstream), outcome, attempt.calls, isFinished))
  }
  return [...counts]
}

/** Fields of attempts that count otherwise than once and answered. */
const unusual = ['"error":', '"outcome":', '"calls":']

/** Adds an attempt's calls, of which one at most failed. */
export const plusCall = (
  { attempts, failed_attempts, hidden_failures, outpaced_attempts }: AttemptCounts = noCounts,
  outcome: CallOutcome,
  calls: number | undefined,
  isFinished: boolean
): AttemptCounts => {
  const failed = isFailedCall(outcome) ? 1 : 0
  return {
    attempts: attempts + (calls ?? 1),
    failed_attempts: failed_attempts + failed,
    hidden_failures: hidden_failures + (isFinished ? failed : 0),
    outpaced_attempts: outpaced_attempts + (outcome === "outpaced" ? (calls ?? 1) : 0)
  }
}

/** Rows of older gateways have no outcome. */
export const outcomeOfStored = ({ error, outcome, status }: StoredAttempt): CallOutcome =>
  outcome ?? (error === undefined ? (status === undefined ? "left" : "answered") : unansweredOutcome(status))

export const noCounts: AttemptCounts = { attempts: 0, failed_attempts: 0, hidden_failures: 0, outpaced_attempts: 0 }
const one: AttemptCounts = { ...noCounts, attempts: 1 }
