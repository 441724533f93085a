import { describe, expect, it } from "@effect/vitest"
import { jsonInTurns, mapInTurns, sortInTurns } from "../../src/flow/inTurns.ts"

/** Turns of the event loop that others have while some work is done. */
const turnsBeside = async (work: () => Promise<unknown>): Promise<number> => {
  let turns = 0
  let isOver = false
  const count = () => {
    if (isOver) return
    turns++
    setImmediate(count)
  }
  setImmediate(count)
  await work()
  isOver = true
  return turns
}

const items = (count: number) => {
  let state = 7
  return Array.from({ length: count }, (_, at) => ({ value: (state = (state * 48_271) % 2_147_483_647) % 1_000, at }))
}
const byValue = (one: { readonly value: number }, other: { readonly value: number }) => one.value - other.value

describe("long work in turns", () => {
  it("sorts as a sort at once does, and keeps the order of equal items", async () => {
    for (const count of [0, 1, 2, 999, 1_000, 1_001, 5_432]) {
      expect(await sortInTurns(items(count), byValue)).toEqual(items(count).toSorted(byValue))
    }
  })

  it("leaves the event loop to others", async () => {
    const many = items(200_000)
    expect(await turnsBeside(() => sortInTurns(many, byValue))).toBeGreaterThan(5)
    const slow = () => mapInTurns(items(10), () => Bun.sleepSync(5))
    expect(await turnsBeside(slow)).toBeGreaterThan(5)
  })

  it("writes the JSON that would be written at once", async () => {
    const page = {
      object: "list",
      data: [{ a: 1, b: undefined }, undefined, null, 'text "'],
      next: null,
      none: undefined
    }
    expect(await jsonInTurns(page)).toBe(JSON.stringify(page))
  })
})
