import { Duration } from "effect"

/** When a change is sent, counted from the change, until it is delivered. */
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

/** After an attempt that came late (a slow answer, a gateway that was down) the next one still waits this long. */
const gapMs = 5_000
const longestJitterMs = 5 * 60_000
const longestRetryAfterMs = Duration.toMillis("24 hours")

/**
 * When to try again after a failed attempt; undefined when the schedule is used up.
 * @param tries attempts made so far
 * @param retryAfterMs what the receiver asked for: never sooner than that
 * @param random 0 to 1, so that a receiver that was down doesn't meet everybody at once
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

/** Reads `Retry-After`, seconds or a date; at most a day. */
export const parseRetryAfterMs = (header: string | undefined, nowMs: number): number | undefined => {
  if (header === undefined) return undefined
  const ms = /^\s*\d+\s*$/.test(header) ? Number(header) * 1000 : Date.parse(header) - nowMs
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), longestRetryAfterMs)
}
