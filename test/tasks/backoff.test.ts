import { describe, expect, it } from "@effect/vitest"
import { makeCrowd, untilPoll } from "../../src/tasks/backoff.ts"

/** Polls `count` tasks for a while, each when it is due; answers the polls of the last seconds a second. */
const pollsPerSecond = (count: number) => {
  const crowd = makeCrowd()
  const due = Array.from({ length: count }, (_, n) => (n * 7_919) % 1_000)
  let polls = 0
  for (let nowMs = 0; nowMs < 300_000; nowMs += 100) {
    for (const [n, at] of due.entries()) {
      if (at > nowMs) continue
      const ms = untilPoll(nowMs, undefined, undefined, crowd.waiting(), 0.5)
      crowd.asksAgainIn(ms, nowMs)
      due[n] = nowMs + ms
      if (nowMs >= 200_000) polls++
    }
  }
  return polls / 100
}

describe("the time until the next poll", () => {
  it("is what the upstream said, within reason", () => {
    expect(untilPoll(0, undefined, 5, 0, 0.5)).toBe(100)
    expect(untilPoll(0, undefined, 300_000, 100_000, 0.5)).toBe(300_000)
    expect(untilPoll(0, undefined, 10_000_000, 0, 0.5)).toBe(600_000)
  })

  it("follows the age, and what is left of the usual time", () => {
    expect(untilPoll(0, undefined, undefined, 0, 0.5)).toBe(1_000)
    expect(untilPoll(20_000, undefined, undefined, 0, 0.5)).toBe(4_000)
    expect(untilPoll(600_000, undefined, undefined, 0, 0.5)).toBe(15_000)
    expect(untilPoll(10_000, 30_000, undefined, 0, 0.5)).toBe(10_000)
  })

  it("grows with the number of those that wait, so that ten thousand ask no more often than some hundreds", () => {
    expect(pollsPerSecond(100)).toBeCloseTo(100 / 15, 0)
    const many = pollsPerSecond(10_000)
    expect(many).toBeGreaterThan(300)
    expect(many).toBeLessThan(500)
  })
})
