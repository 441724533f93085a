import { describe, expect, it } from "@effect/vitest"
import { Duration } from "effect"
import fc from "fast-check"
import { DeliveryQueue } from "../../src/callbacks/DeliveryQueue.ts"
import { nextAttemptAt, parseRetryAfterMs, schedule } from "../../src/callbacks/schedule.ts"

const day = Duration.toMillis("1 day")

describe("the schedule", () => {
  it("never tries too soon, too often or sooner than asked, and ends", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            tookMs: fc.nat(20_000),
            lateMs: fc.oneof(fc.constant(0), fc.nat(3 * day)),
            retryAfterMs: fc.option(fc.nat(day), { nil: undefined }),
            random: fc.double({ min: 0, max: 0.999, noNaN: true })
          }),
          { minLength: 20, maxLength: 20 }
        ),
        (attempts) => {
          let nowMs = 1_000
          let tries = 0
          for (const { tookMs, lateMs, retryAfterMs, random } of attempts) {
            nowMs += lateMs + tookMs
            tries++
            const at = nextAttemptAt({ changedAtMs: 1_000, nowMs, tries, retryAfterMs, random })
            if (at === undefined) break
            expect(at).toBeGreaterThanOrEqual(1_000 + Duration.toMillis(schedule[tries]!))
            expect(at).toBeGreaterThanOrEqual(nowMs + Math.max(5_000, retryAfterMs ?? 0))
            nowMs = at
          }
          expect(tries).toBe(8)
        }
      )
    )
  })

  it("reads Retry-After as seconds or a date, and nothing else", () => {
    const nowMs = Date.parse("2026-01-01T00:00:00Z")
    expect(parseRetryAfterMs(" 7 ", nowMs)).toBe(7_000)
    expect(parseRetryAfterMs("Thu, 01 Jan 2026 00:01:00 GMT", nowMs)).toBe(60_000)
    expect(parseRetryAfterMs("Wed, 31 Dec 2025 00:00:00 GMT", nowMs)).toBe(0)
    expect(parseRetryAfterMs("99999999999", nowMs)).toBe(day)
    for (const header of [undefined, "", "soon"]) expect(parseRetryAfterMs(header, nowMs)).toBeUndefined()
  })
})

describe("the queue", () => {
  const queue = () => new DeliveryQueue({ all: 10, perHost: 8, perUnprovenHost: 2 })

  it("gives a receiver more room once it answers, and less when it stops", () => {
    const one = queue()
    expect(one.room("a")).toBe(2)
    one.heard("a", true)
    expect(one.room("a")).toBe(8)
    one.take("a", 5)
    expect(one.room("a")).toBe(3)
    one.heard("a", false)
    expect(one.room("a")).toBe(0)
    one.give("a", 5)
    expect(one.room("a")).toBe(2)
  })

  it("never has more under way than it may in all", () => {
    const one = queue()
    for (const host of ["a", "b", "c"]) one.heard(host, true)
    one.take("a", 8)
    expect([one.room("b"), one.room("c")]).toEqual([2, 2])
    one.take("b", 2)
    expect(one.room("c")).toBe(0)
    one.note("c", 0)
    expect([one.ready(0), one.nextAt()]).toEqual([[], Infinity])
    one.give("a", 1)
    expect([one.ready(0), one.nextAt()]).toEqual([["c"], 0])
  })

  it("takes whoever has waited longest first, and forgets who has nothing left", () => {
    const one = queue()
    one.note("late", 5)
    one.note("early", 3)
    one.note("early", 9)
    one.note("future", 50)
    expect(one.ready(10)).toEqual(["early", "late"])
    one.settle("early", undefined)
    one.settle("late", 60)
    expect([one.ready(10), one.nextAt()]).toEqual([[], 50])
  })
})
