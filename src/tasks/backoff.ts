/**
 * Delays in ms. They are functions of what the row says, not running Schedules: between two tries a task is only a row,
 * and the process that tries next may be another one. `random` is a number in [0, 1).
 */

/** After the upstream had no room: from 1 s, doubling up to a minute, or what the upstream asked for. */
export const saturated = (tries: number, retryAfterSeconds: number | undefined, random: number): number =>
  jittered(Math.max(doubling(1_000, tries), Math.min((retryAfterSeconds ?? 0) * 1_000, 600_000)), random)

/** After the upstream could not be reached: from half a second, doubling up to 30 s. */
export const unreachable = (tries: number, random: number): number =>
  jittered(Math.min(doubling(500, tries), 30_000), random)

/**
 * Until the next poll. What the upstream said goes first; else half of what is left of the usual time, and past that a
 * fifth of the age: a ten-minute video is asked about a few times a minute, a quick one several times in its last seconds.
 */
export const untilPoll = (
  ageMs: number,
  usualMs: number | undefined,
  saidMs: number | undefined,
  random: number
): number => {
  if (saidMs !== undefined) return clamp(saidMs, 100, 600_000)
  const left = (usualMs ?? 0) - ageMs
  return jittered(clamp(left > 0 ? Math.max(left / 2, ageMs / 20) : ageMs / 5, 1_000, 15_000), random)
}

const doubling = (firstMs: number, tries: number) => Math.min(firstMs * 2 ** Math.min(tries, 20), 60_000)
const clamp = (ms: number, least: number, most: number) => Math.min(Math.max(ms, least), most)
/** 80 to 120 %, so that tasks made together don't ask together for ever. */
const jittered = (ms: number, random: number) => Math.round(ms * (0.8 + 0.4 * random))
