import { Duration } from "effect"

/** The attempts at a delivery, counted from the change. */
export const schedule: ReadonlyArray<Duration.Duration> = [
  Duration.zero,
  Duration.seconds(5),
  Duration.seconds(30),
  Duration.minutes(2),
  Duration.minutes(10),
  Duration.hours(1),
  Duration.hours(6),
  Duration.hours(24)
]

/** The least time between two attempts, for attempts that came late (a slow answer, a gateway that was down). */
const gapMs = 5_000
const longestJitterMs = 5 * 60_000
const longestRetryAfterMs = Duration.toMillis("24 hours")

/**
 * The time of the next attempt after a failed one; undefined after the last.
 *
 * @param tries attempts so far
 * @param retryAfterMs the receiver's `Retry-After`, the earliest time
 * @param random 0 to 1: jitter for receivers that were down
 */
export const nextAttemptAt = (attempt: {
  readonly changedAtMs: number
  readonly nowMs: number
  readonly tries: number
  readonly retryAfterMs: number | undefined
  readonly random: number
}): number | undefined => {
  const delay = schedule[attempt.tries]
  if (delay === undefined) return undefined
  const delayMs = Duration.toMillis(delay)
  const jitterMs = Math.floor(Math.min(delayMs / 10, longestJitterMs) * attempt.random)
  return Math.max(attempt.changedAtMs + delayMs + jitterMs, attempt.nowMs + Math.max(gapMs, attempt.retryAfterMs ?? 0))
}

/** Parses `Retry-After`, seconds or a date; at most a day. */
export const parseRetryAfterMs = (header: string | undefined, nowMs: number): number | undefined => {
  if (header === undefined) return undefined
  const ms = /^\s*\d+\s*$/.test(header) ? Number(header) * 1000 : Date.parse(header) - nowMs
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), longestRetryAfterMs)
}
