import { describe, expect, it } from "@effect/vitest"
import { Duration } from "effect"
import fc from "fast-check"
import { DeliveryQueue } from "../../src/callbacks/DeliveryQueue.ts"
import { domainOf } from "../../src/callbacks/domainOf.ts"
import { AccountId } from "../../src/contract/callers/Caller.ts"
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
  const me = AccountId.make("acc_me")
  const hosts = (one: DeliveryQueue, nowMs: number) => one.ready(nowMs).map(([host]) => host)
  const queue = () => new DeliveryQueue({ all: 10, perHost: 8, perUnprovenHost: 2, perAccount: 4, perDomain: 6 })

  it("gives a receiver more room once it answers, and less when it stops", () => {
    const one = queue()
    expect(one.room("a", me)).toBe(2)
    one.noteAnswer("a", true)
    expect(one.room("a", me)).toBe(8)
    const taken = one.take("a", me, 5)
    expect(one.room("a", me)).toBe(3)
    one.noteAnswer("a", false)
    expect(one.room("a", me)).toBe(0)
    one.give(taken, 5)
    expect(one.room("a", me)).toBe(2)
  })

  it("never has more under way than it may in all", () => {
    const one = queue()
    for (const host of ["a", "b", "c"]) one.noteAnswer(host, true)
    const taken = one.take("a", me, 8)
    expect([one.room("b", me), one.room("c", me)]).toEqual([2, 2])
    one.take("b", me, 2)
    expect(one.room("c", me)).toBe(0)
    one.note("c", { atMs: 0, account: me })
    expect([hosts(one, 0), one.nextAt()]).toEqual([[], Infinity])
    one.give(taken, 1)
    expect([hosts(one, 0), one.nextAt()]).toEqual([["c"], 0])
  })

  it("takes the longest-waiting host first, and forgets hosts with nothing left", () => {
    const one = queue()
    one.note("late", { atMs: 5, account: me })
    one.note("early", { atMs: 3, account: me })
    one.note("early", { atMs: 9, account: me })
    one.note("future", { atMs: 50, account: me })
    expect(hosts(one, 10)).toEqual(["early", "late"])
    one.settle("early", undefined, one.ask("early"))
    one.settle("late", { atMs: 60, account: me }, one.ask("late"))
    expect([hosts(one, 10), one.nextAt()]).toEqual([[], 50])
  })

  it("heeds no answer that a later question or a new change has overtaken", () => {
    const one = queue()
    const [first, second] = [one.ask("a"), one.ask("a")]
    one.settle("a", { atMs: 7, account: me }, second)
    one.settle("a", undefined, first)
    expect(one.nextAt()).toBe(7)
    const third = one.ask("a")
    one.note("a", { atMs: 3, account: me })
    one.settle("a", undefined, third)
    expect(one.nextAt()).toBe(3)
    // What a look at everything saw may be over.
    const fourth = one.ask("a")
    one.noteScan("a", { atMs: 9, account: me })
    one.settle("a", { atMs: 1, account: me }, fourth)
    expect(one.nextAt()).toBe(1)
  })

  it("keeps room that one account's unproven receivers, or one domain's, don't get", () => {
    const one = queue()
    const [other, third] = [AccountId.make("acc_other"), AccountId.make("acc_third")]
    one.take("a.one.test:8443", me, 2)
    const taken = one.take("b.one.test", me, 2)
    expect([one.room("two.test", me), one.room("two.test", other)]).toEqual([0, 2])
    one.take("c.one.test", other, 2)
    expect([one.room("d.one.test", third), one.room("two.test", third)]).toEqual([0, 2])
    one.noteAnswer("d.one.test", true)
    expect(one.room("d.one.test", me)).toBe(4)
    one.noteAnswer("b.one.test", true)
    one.give(taken, 2)
    expect([one.room("two.test", me), one.room("e.one.test", third)]).toEqual([2, 2])
  })

  it.each([
    ["hooks.example.com", "example.com"],
    ["a.b.example.co.uk:443", "example.co.uk"],
    ["example.de", "example.de"],
    ["localhost:80", "localhost"],
    ["127.0.0.1:8080", "127.0.0.1"],
    ["[::1]:8080", "[::1]"]
  ])("takes %s for a host of %s", (host, domain) => expect(domainOf(host)).toBe(domain))
})
