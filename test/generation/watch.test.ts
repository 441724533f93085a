import { describe, expect, it } from "@effect/vitest"
import { leave, watch } from "../../src/generation/watch.ts"
import type { Watched } from "../../src/generation/watch.ts"

const looks = (again: ReadonlyArray<number>) => {
  const seen: Array<number> = []
  const done = Promise.withResolvers<ReadonlyArray<number>>()
  const begun = performance.now()
  const one: Watched = {
    look: (now) => {
      seen.push(now - begun)
      const next = again[seen.length - 1]
      if (next !== undefined) return now + next
      leave(one)
      done.resolve(seen)
      return Infinity
    }
  }
  return { one, seen, done: done.promise }
}

describe("what is watched", () => {
  it("is looked at when it is due, and again whenever it says, whoever else is watched", async () => {
    const late = looks([])
    const soon = looks([20, 30])
    watch(late.one, 60_000)
    watch(soon.one, 10)
    const [first = 0, second = 0, third = 0] = await soon.done
    expect(first).toBeGreaterThanOrEqual(10)
    expect(second - first).toBeGreaterThanOrEqual(20)
    expect(third - second).toBeGreaterThanOrEqual(30)
    expect(third).toBeLessThan(1_000)
    expect(late.seen).toEqual([])
    leave(late.one)
  })

  it("is not looked at once it is left, by another's look either", async () => {
    const left = looks([])
    const leaving = looks([])
    watch({ look: () => (leave(left.one), Infinity) }, 5)
    watch(left.one, 5)
    watch(leaving.one, 30)
    await leaving.done
    expect(left.seen).toEqual([])
  })
})
