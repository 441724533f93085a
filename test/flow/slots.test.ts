import { describe, expect, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import * as fc from "effect/FastCheck"
import { Slots } from "../../src/flow/Slots.ts"
import type { Slot } from "../../src/flow/Slots.ts"

const places = (limit: number) => Effect.map(Effect.clock, (clock) => new Slots(limit, clock))
const many = (slots: Slots, account: string, count: number): ReadonlyArray<Slot> =>
  Array.from({ length: count }, () => slots.take(account))
/** The names of the slots that have a place. */
const served = (slots: Readonly<Record<string, Slot>>) =>
  Effect.gen(function* () {
    const names: Array<string> = []
    for (const [name, { turn }] of Object.entries(slots)) {
      yield* Effect.fork(
        Effect.zipRight(
          turn,
          Effect.sync(() => names.push(name))
        )
      )
    }
    yield* Effect.yieldNow()
    return names
  })

describe("the places of one account", () => {
  it.effect("are all there are, are given in the order of the calls, and can be left from anywhere in the line", () =>
    Effect.gen(function* () {
      const slots = yield* places(1)
      const [first, second, third, fourth, fifth] = many(slots, "one", 5)
      expect([first?.isFree, second?.isFree, slots.running, slots.waiting]).toEqual([true, false, 1, 4])
      third?.leave()
      third?.leave()
      fifth?.leave()
      expect([slots.running, slots.waiting]).toEqual([1, 2])
      // To the second, and from it to the fourth.
      first?.leave()
      expect([slots.running, slots.waiting]).toEqual([1, 1])
      second?.leave()
      expect([slots.running, slots.waiting]).toEqual([1, 0])
      fourth?.leave()
      fourth?.leave()
      expect([slots.running, slots.waiting]).toEqual([0, 0])
      expect(slots.take("one").isFree).toBe(true)
    })
  )
})

describe("the places of several accounts", () => {
  it.effect.each([
    [1, 1],
    [2, 1],
    [4, 3],
    [8, 7],
    [9, 7],
    [64, 56]
  ] as const)("of %d places one account takes at most %d", ([limit, most]) =>
    Effect.gen(function* () {
      const slots = yield* places(limit)
      slots.take("other").leave()
      const taken = many(slots, "one", limit + 1)
      expect(taken.filter(({ isFree }) => isFree)).toHaveLength(most)
      expect(slots.take("other").isFree).toBe(most < limit)
      // A place that one leaves is its own again.
      taken[0]?.leave()
      expect(slots).toMatchObject({ running: Math.min(limit, most + 1) })
    })
  )

  it.effect("are one account's again an hour after the other's last call", () =>
    Effect.gen(function* () {
      const slots = yield* places(8)
      slots.take("other").leave()
      const taken = many(slots, "one", 9)
      expect(slots).toMatchObject({ running: 7, waiting: 2 })
      yield* TestClock.adjust("1 hour")
      taken[0]?.leave()
      expect(slots).toMatchObject({ running: 8, waiting: 0 })
    })
  )

  it.effect("go to the account that has the fewest, then to the call that has waited longest", () =>
    Effect.gen(function* () {
      const slots = yield* places(4)
      const [a1, a2, a3, a4] = many(slots, "a", 4)
      const [a5, b1, b2, c1] = ["a", "b", "b", "c"].map((account) => slots.take(account))
      if (!a1 || !a2 || !a3 || !a4 || !a5 || !b1 || !b2 || !c1) throw new Error("no slots")
      const all = { a5, b1, b2, c1 }
      a1.leave()
      expect(yield* served(all)).toEqual(["b1"])
      a2.leave()
      expect(yield* served(all)).toEqual(["b1", "c1"])
      a3.leave()
      expect(yield* served(all)).toEqual(["a5", "b1", "c1"])
      c1.leave()
      expect(yield* served(all)).toEqual(["a5", "b1", "b2", "c1"])
    })
  )

  it("are never more than there are, none stays empty for a call that may have it, and all are left in the end", () => {
    const move = fc.tuple(fc.constantFrom("take", "leave"), fc.constantFrom("a", "b", "c"), fc.nat(20))
    const holds = (limit: number, moves: ReadonlyArray<readonly [string, string, number]>) =>
      Effect.gen(function* () {
        const slots = yield* places(limit)
        const taken: Array<Slot> = []
        for (const [what, account, index] of moves) {
          if (what === "take") taken.push(slots.take(account))
          else taken[index]?.leave()
          expect(slots.running).toBeLessThanOrEqual(limit)
          if (slots.waiting > 0) expect(slots.running).toBeGreaterThanOrEqual(limit - Math.ceil(limit / 8) || 1)
        }
        for (const slot of taken) slot.leave()
        expect([slots.running, slots.waiting]).toEqual([0, 0])
      })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10 }), fc.array(move, { maxLength: 40 }), (limit, moves) =>
        Effect.runSync(holds(limit, moves))
      )
    )
  })
})
