import { afterEach, describe, expect, it, vi } from "@effect/vitest"
import { came, endOfTurn, isBusy, longTurn, nextTurn } from "../../src/flow/eventLoop.ts"

afterEach(() => {
  came(-Infinity)
  vi.useRealTimers()
})

describe("long work", () => {
  const turnsUntil = async (work: Promise<void>) => {
    let isDone = false
    void work.then(() => (isDone = true))
    let turns = 0
    while (!isDone && turns < 10) {
      await nextTurn()
      turns++
    }
    return turns
  }

  it("has each turn of the event loop while no other work is there", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout"] })
    expect(await turnsUntil(longTurn())).toBeLessThan(3)
    expect(await turnsUntil(longTurn())).toBeLessThan(3)
  })

  it("waits between its turns for a while after a request has come", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout"] })
    came(performance.now() + 60_000)
    const turn = longTurn()
    expect(await turnsUntil(turn)).toBe(10)
    vi.advanceTimersByTime(1)
    expect(await turnsUntil(turn)).toBeLessThan(3)
  })
})

describe("the server", () => {
  it("is busy while many answers leave in one turn of the event loop, and not for long after the last", async () => {
    expect(isBusy()).toBe(false)
    for (let answers = 0; answers < 8; answers++) void endOfTurn()
    await nextTurn()
    expect(isBusy()).toBe(true)
    await Bun.sleep(60)
    expect(isBusy()).toBe(false)
    void endOfTurn()
    await nextTurn()
    expect(isBusy()).toBe(false)
  })
})
