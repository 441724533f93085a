import { expect } from "vitest"
import { slowness } from "./machine.ts"
import type { Measure } from "./machine.ts"

/** Another's load comes and goes; a bound that is missed so often, one time after the other, is missed. */
const rounds = 5

/** The last slowness that was measured, which is the next promise's first if that follows at once. */
let last = { by: "clock", slowness: 0, atMs: -Infinity }
const staleMs = 250

/**
 * Expects a measured time, in ms, to be at most what is promised, times how much slower this machine is at the moment:
 * the slower of what it was before the measurement and after. Says each figure and the factor.
 *
 * @param by what was measured
 */
export const keeps = async (
  what: string,
  promisedMs: number,
  measure: () => number | Promise<number>,
  by: Measure = "clock"
) => {
  const isFresh = last.by === by && performance.now() - last.atMs < staleMs
  let before = isFresh ? last.slowness : await slowness(by)
  for (let round = 1; ; round++) {
    const ms = await measure()
    const after = await slowness(by)
    last = { by, slowness: after, atMs: performance.now() }
    const factor = Math.max(before, after)
    before = after
    const bound = promisedMs * factor
    console.log(`${what}: ${figure(ms)} of ${promisedMs} ms, ×${factor.toFixed(2)} here = ${figure(bound)}`)
    if (ms <= bound) return
    if (round === rounds) expect.fail(`${what}: ${figure(ms)} where ${figure(bound)} is promised`)
  }
}

const figure = (ms: number): string => `${ms < 10 ? ms.toFixed(2) : Math.round(ms)} ms`
