import { describe, expect, it } from "vitest"
import { CallsOfOne } from "../../src/routing/UpstreamCalls.ts"

describe("the calls of an upstream", () => {
  it("are none at first", () => {
    expect(new CallsOfOne().latency()).toBeUndefined()
  })

  it("tell how long the last two hundred answers took", () => {
    const calls = new CallsOfOne()
    for (let at = 0; at < 50; at++) calls.answered(9_000, 1)
    for (let ms = 1; ms <= 200; ms++) calls.answered(ms, 1_000 + ms)
    expect(calls.latency()).toEqual({ p50: 100, p95: 190 })
    expect([calls.answers, calls.lastAnswerMs]).toEqual([250, 1_200])
  })

  it("tell of few as of many", () => {
    const calls = new CallsOfOne()
    calls.answered(7.4, 1)
    expect(calls.latency()).toEqual({ p50: 7, p95: 7 })
  })
})
