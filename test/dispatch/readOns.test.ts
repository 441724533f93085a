import { describe, expect, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { ReadOns } from "../../src/dispatch/ReadOns.ts"

const make = Effect.map(Effect.clock, (clock) => new ReadOns(clock))

describe("answers that are read without their clients", () => {
  it.effect("are 64 at a time", () =>
    Effect.gen(function* () {
      const readOns = yield* make
      const begun = Array.from({ length: 66 }, () => readOns.begin())
      expect(begun.filter((isBegun) => isBegun)).toHaveLength(64)
      readOns.end()
      expect([readOns.begin(), readOns.begin()]).toEqual([true, false])
    })
  )

  it.effect("are 2,000 in a minute", () =>
    Effect.gen(function* () {
      const readOns = yield* make
      const one = () => {
        const isBegun = readOns.begin()
        if (isBegun) readOns.end()
        return isBegun
      }
      const begun = Array.from({ length: 2_001 }, one)
      expect(begun.lastIndexOf(true)).toBe(1_999)
      expect(begun.at(-1)).toBe(false)
      yield* TestClock.adjust("1 minute")
      expect(one()).toBe(true)
    })
  )
})
