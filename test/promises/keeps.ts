import { expect } from "vitest"
import { slowness } from "./machine.ts"
import type { Slowness } from "./machine.ts"

/** Another's load comes and goes; a bound that is missed so often, one time after the other, is missed. */
const rounds = 5

/**
 * Expects a measured time, in ms, to be at most what is promised, times how much slower this machine is at the moment:
 * the slower of what it was before the measurement and after. Says each figure and the factor.
 *
 * @param by what was measured: time by the clock, or of the processor
 * @param checkedMs beyond which it fails: what makes many objects (a page, a large body) takes 1.6 times as long on some
 *   machines whose loops are as fast as the factor's. Between the two it says that it is short of the promise
 */
export const keeps = async (
  what: string,
  promisedMs: number,
  measure: () => number | Promise<number>,
  by: keyof Slowness = "clock",
  checkedMs: number = promisedMs
) => {
  let before = (await slowness())[by]
  let least = Infinity
  for (let round = 1; ; round++) {
    const ms = await measure()
    const after = (await slowness())[by]
    const factor = Math.max(before, after)
    before = after
    const bound = promisedMs * factor
    console.log(`${what}: ${figure(ms)} of ${promisedMs} ms, ×${factor.toFixed(2)} here = ${figure(bound)}`)
    if (ms <= bound) return
    least = Math.min(least, ms / factor)
    if (round < rounds) continue
    if (least > checkedMs) expect.fail(`${what}: ${figure(ms)} where ${figure(bound)} is promised`)
    console.log(`short of what is promised: ${what}, ${figure(least)}, checked: ${figure(checkedMs)}`)
    return
  }
}

const figure = (ms: number): string => `${ms < 10 ? ms.toFixed(2) : Math.round(ms)} ms`
