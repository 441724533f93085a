import { describe, expect, it } from "vitest"
import { CallsOfOne } from "../../src/routing/UpstreamCalls.ts"

const answered = { outcome: "answered", calls: 1, status: 200, error: undefined } as const
const failed = (status: number | undefined) =>
  ({ outcome: "failed", calls: 1, status, error: "no room", tookMs: 5 }) as const

describe("the calls of an upstream", () => {
  it("are none at first", () => {
    expect(new CallsOfOne().latency()).toBeUndefined()
    expect(new CallsOfOne().lastMinute.summary).toBeUndefined()
  })

  it("tell how long the last two hundred answers took", () => {
    const calls = new CallsOfOne()
    for (let at = 0; at < 50; at++) calls.ended({ ...answered, tookMs: 9_000 }, 1)
    for (let ms = 1; ms <= 200; ms++) calls.ended({ ...answered, tookMs: ms }, 1_000 + ms)
    expect(calls.latency()).toEqual({ p50: 100, p95: 190 })
    expect([calls.answers, calls.lastAnswerMs]).toEqual([250, 1_200])
  })

  it("tell of few as of many", () => {
    const calls = new CallsOfOne()
    calls.ended({ ...answered, tookMs: 7.4 }, 1)
    expect(calls.latency()).toEqual({ p50: 7, p95: 7 })
  })

  it("count against it what it failed: no refusal, no call that was outpaced or that its caller left", () => {
    const calls = new CallsOfOne()
    calls.ended({ ...answered, calls: 3, tookMs: 5 }, 1)
    for (const outcome of ["refused", "outpaced", "left", "stopped"] as const) {
      calls.ended({ outcome, calls: 1, status: undefined, error: "x", tookMs: 90_000 }, 2)
    }
    expect([calls.calls, calls.answers, calls.outpaced, calls.failures, calls.lastFailure]).toEqual([
      7,
      1,
      1,
      0,
      undefined
    ])
    calls.ended(failed(503), 3)
    calls.brokeOff("boom", 4)
    expect([calls.calls, calls.failures]).toEqual([8, 2])
    expect(calls.lastFailure).toEqual({ atMs: 4, status: 200, message: "boom" })
    // Only answers have a first byte.
    expect(calls.latency()).toEqual({ p50: 5, p95: 5 })
  })

  it("are known by error for the minute before the last one", () => {
    const calls = new CallsOfOne()
    const atMs = 3_600_000
    calls.ended(failed(500), atMs)
    for (let n = 0; n < 8; n++) calls.ended({ ...answered, tookMs: 5 }, atMs + 30_000)
    for (let n = 0; n < 7; n++) calls.ended(failed(503), atMs + 61_000)
    for (let n = 0; n < 4; n++) calls.ended(failed(undefined), atMs + 70_000)
    calls.brokeOff("boom", atMs + 75_000)
    expect(calls.lastMinute.summary).toEqual({
      calls: 19,
      failed: 12,
      kinds: new Map([
        ["503", 7],
        ["none", 4],
        ["cut", 1]
      ]),
      untilMs: atMs + 75_000
    })
  })
})
