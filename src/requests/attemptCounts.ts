import { Option, Schema } from "effect"
import { outcomeOf } from "./outcome.ts"
import type { RequestRow } from "./RequestRow.ts"

/** The attempts of requests at one upstream. */
export interface AttemptCounts {
  readonly attempts: number
  /** Attempts that the upstream failed: requests that it refused for what they ask are none. */
  readonly failed_attempts: number
  /** The failed ones whose request was answered all the same, by another attempt. */
  readonly hidden_failures: number
}

const Attempts = Schema.Struct({
  attempts: Schema.optional(
    Schema.Array(
      Schema.Struct({
        upstream: Schema.String,
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
  if (isSingle && !details.includes('"error":')) return [[upstream, one]]
  const isFinished = outcomeOf(row) === "finished"
  const counts = new Map<string, AttemptCounts>()
  for (const attempt of attemptsIn(details)) {
    const failed = isFailed(attempt) ? 1 : 0
    const before = counts.get(attempt.upstream) ?? none
    counts.set(attempt.upstream, {
      attempts: before.attempts + 1,
      failed_attempts: before.failed_attempts + failed,
      hidden_failures: before.hidden_failures + (isFinished ? failed : 0)
    })
  }
  return [...counts]
}

/** Statuses below 500 of an upstream that fails: wrong keys, missing models, too many requests. */
const failures = new Set([401, 403, 404, 408, 429])

const isFailed = ({ error, status = 0 }: StoredAttempt): boolean =>
  error !== undefined && (status < 400 || status >= 500 || failures.has(status))

const none: AttemptCounts = { attempts: 0, failed_attempts: 0, hidden_failures: 0 }
const one: AttemptCounts = { ...none, attempts: 1 }
