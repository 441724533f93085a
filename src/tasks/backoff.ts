/**
 * Delays in ms. They are functions of the row instead of Schedules: between two attempts a task is only a row, and
 * another process may make the next one. `random` is a number in [0, 1).
 */

/** After the upstream was saturated: from 1 s, doubling up to a minute, or the upstream's Retry-After. */
export const saturatedDelay = (tries: number, retryAfterSeconds: number | undefined, random: number): number =>
  jitter(Math.max(doubledDelay(1_000, tries), Math.min((retryAfterSeconds ?? 0) * 1_000, 600_000)), random)

/** After the upstream was unreachable: from half a second, doubling up to 30 s. */
export const unreachableDelay = (tries: number, random: number): number =>
  jitter(Math.min(doubledDelay(500, tries), 30_000), random)

/**
 * Until the next poll: the upstream's hint, otherwise half of what is left of the usual duration, and past that a fifth
 * of the age. A ten-minute video is polled a few times a minute, a quick one several times in its last seconds.
 *
 * @param waiting the number of tasks that poll the same upstream: all together send a few hundred polls a second at
 * most
 */
export const untilPoll = (
  ageMs: number,
  usualMs: number | undefined,
  saidMs: number | undefined,
  waiting: number,
  random: number
): number => {
  if (saidMs !== undefined) return clamp(saidMs, 100, 600_000)
  const left = (usualMs ?? 0) - ageMs
  const wanted = clamp(left > 0 ? Math.max(left / 2, ageMs / 20) : ageMs / 5, 1_000, 15_000)
  return jitter(Math.max(wanted, waiting / pollsPerMs), random)
}

const pollsPerMs = 0.4

/**
 * Estimates the number of waiting tasks from their polls: a task that polls every ten seconds adds ten seconds with
 * each poll, so one second's polls add up to as many seconds as there are tasks.
 */
export const makeCrowd = () => {
  let waiting = 0
  let atMs = 0
  return {
    waiting: () => waiting,
    asksAgainIn: (ms: number, nowMs: number) => {
      waiting = waiting * Math.exp(Math.min(0, atMs - nowMs) / crowdMs) + ms / crowdMs
      atMs = nowMs
    }
  }
}

/** How long a poll is remembered. */
const crowdMs = 10_000

const doubledDelay = (firstMs: number, tries: number) => Math.min(firstMs * 2 ** Math.min(tries, 20), 60_000)
const clamp = (ms: number, least: number, most: number) => Math.min(Math.max(ms, least), most)
/** 80 to 120 %, so that tasks created together do not poll together forever. */
export const jitter = (ms: number, random: number) => Math.round(ms * (0.8 + 0.4 * random))
