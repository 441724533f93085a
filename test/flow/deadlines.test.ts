import { describe, expect, it } from "@effect/vitest"
import fc from "fast-check"
import { clearDeadline, setDeadline } from "../../src/flow/deadlines.ts"
import type { HasDeadline } from "../../src/flow/deadlines.ts"

const looks = (again: ReadonlyArray<number>) => {
  const seen: Array<number> = []
  const done = Promise.withResolvers<ReadonlyArray<number>>()
  const begun = performance.now()
  const one: HasDeadline = {
    deadlinePlace: -1,
    look: (now) => {
      seen.push(now - begun)
      const next = again[seen.length - 1]
      if (next !== undefined) return now + next
      clearDeadline(one)
      done.resolve(seen)
      return Infinity
    }
  }
  return { one, seen, done: done.promise }
}

describe("what is watched", () => {
  it("is looked at when it is due, and again whenever it says, whatever else is watched", async () => {
    const late = looks([])
    const soon = looks([20, 30])
    setDeadline(late.one, 60_000)
    setDeadline(soon.one, 10)
    const [first = 0, second = 0, third = 0] = await soon.done
    expect(first).toBeGreaterThanOrEqual(10)
    expect(second - first).toBeGreaterThanOrEqual(20)
    expect(third - second).toBeGreaterThanOrEqual(30)
    expect(late.seen).toEqual([])
    clearDeadline(late.one)
  })

  it("is not looked at once it is left, by another's look either", async () => {
    const leaving = looks([])
    let seen = 0
    const look = () => {
      seen++
      for (const one of both) clearDeadline(one)
      return Infinity
    }
    const both: ReadonlyArray<HasDeadline> = [
      { deadlinePlace: -1, look },
      { deadlinePlace: -1, look }
    ]
    for (const one of both) setDeadline(one, 5)
    setDeadline(leaving.one, 30)
    await leaving.done
    expect(seen).toBe(1)
  })

  it("is looked at when it is due, whichever are removed in between and however often", () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { minLength: 1, maxLength: 40 }), async (stays) => {
        const all = stays.map(() => looks([]))
        for (const { one } of all) setDeadline(one, 1)
        for (const [index, { one }] of all.entries()) if (!stays[index]) clearDeadline(one)
        await Promise.all(all.flatMap(({ done }, index) => (stays[index] ? [done] : [])))
        for (const [index, { seen, one }] of all.entries()) {
          expect(seen.length).toBe(stays[index] ? 1 : 0)
          expect(one.deadlinePlace).toBe(-1)
        }
      }),
      { numRuns: 30 }
    ))
})
