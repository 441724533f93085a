import { Option, Schema } from "effect"
import { outcomeOf } from "./outcome.ts"
import type { RequestRow } from "./RequestRow.ts"

/** The attempts of requests at one upstream. */
export interface AttemptCounts {
  readonly attempts: number
  /** Attempts without a usable answer. */
  readonly failed_attempts: number
  /** The failed ones whose request was answered all the same, by another attempt. */
  readonly hidden_failures: number
}

const Attempts = Schema.Struct({
  attempts: Schema.optional(
    Schema.Array(
      Schema.Struct({
        upstream: Schema.String,
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
  if (isSingle && !details.includes('"error":')) return [[upstream, one]]
  const isFinished = outcomeOf(row) === "finished"
  const counts = new Map<string, AttemptCounts>()
  for (const attempt of attemptsIn(details)) {
    const failed = attempt.error === undefined ? 0 : 1
    const before = counts.get(attempt.upstream) ?? none
    counts.set(attempt.upstream, {
      attempts: before.attempts + 1,
      failed_attempts: before.failed_attempts + failed,
      hidden_failures: before.hidden_failures + (isFinished ? failed : 0)
    })
  }
  return [...counts]
}

const none: AttemptCounts = { attempts: 0, failed_attempts: 0, hidden_failures: 0 }
const one: AttemptCounts = { ...none, attempts: 1 }
