import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, TestClock } from "effect"
import { makeThrottles } from "../../src/guard/throttle.ts"
import type { Throttle } from "../../src/guard/throttle.ts"
import { makeTries } from "../../src/guard/tries.ts"

const secrets = Effect.map(Effect.clock, (clock) => makeThrottles(clock)({ free: 10, mostWaiting: 20 }))

/** How long an effect waits, in ms. */
const took = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.fork(Effect.either(effect))
    for (let ms = 0; ms <= 10_000; ms += 100) {
      yield* Effect.yieldNow()
      if ((yield* Fiber.poll(fiber))._tag === "Some") return ms
      yield* TestClock.adjust(100)
    }
    return Infinity
  })
const noted = (throttle: Throttle, from: string, times: number) => {
  for (let n = 0; n < times; n++) throttle.note(from)
}
const check = (throttle: Throttle, secret: string, from = "a") =>
  throttle.checked(from, secret === "right" ? Effect.succeed("in") : Effect.fail(secret), () => true)

describe("an address that tries secrets", () => {
  it.effect("is looked at ten times a minute at once, then more slowly each time", () =>
    Effect.gen(function* () {
      const throttle = yield* secrets
      const times: Array<number> = []
      for (let n = 0; n < 14; n++) times.push(yield* took(check(throttle, "wrong")))
      expect(times).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 100, 200, 300])
      noted(throttle, "a", 100)
      expect(yield* took(check(throttle, "wrong"))).toBe(4_000)
      expect(yield* took(check(throttle, "wrong", "b"))).toBe(0)
      yield* TestClock.adjust("1 minute")
      expect(yield* took(check(throttle, "wrong"))).toBe(0)
    })
  )

  it.effect("is let in by the right one among any number of wrong ones, which costs it nothing before", () =>
    Effect.gen(function* () {
      const throttle = yield* secrets
      for (let n = 0; n < 1_000; n++) expect(yield* check(throttle, "right")).toBe("in")
      expect(yield* took(check(throttle, "right"))).toBe(0)
      noted(throttle, "a", 1_000)
      const fiber = yield* Effect.fork(check(throttle, "right"))
      yield* TestClock.adjust("4 seconds")
      expect(yield* Fiber.join(fiber)).toBe("in")
    })
  )

  it.effect("is told nothing by the time that it waits: secrets are looked at behind the delay", () =>
    Effect.gen(function* () {
      const throttle = yield* secrets
      noted(throttle, "a", 15)
      const looked: Array<string> = []
      const look = (secret: string) =>
        Effect.zipRight(
          Effect.sync(() => looked.push(secret)),
          secret === "right" ? Effect.void : Effect.fail(secret)
        )
      for (const secret of ["right", "wrong"]) yield* Effect.fork(throttle.checked("a", look(secret), () => true))
      yield* TestClock.adjust(499)
      expect(looked).toEqual([])
      yield* TestClock.adjust(1)
      expect(looked.toSorted()).toEqual(["right", "wrong"])
    })
  )

  it.effect("counts for failures that are no wrong secret nothing", () =>
    Effect.gen(function* () {
      const throttle = yield* secrets
      for (let n = 0; n < 50; n++) yield* Effect.either(throttle.checked("a", Effect.fail("away"), () => false))
      expect(yield* took(check(throttle, "wrong"))).toBe(0)
    })
  )

  it.effect("has so many waiting, and gets the places of those back that leave", () =>
    Effect.gen(function* () {
      const throttle = yield* secrets
      noted(throttle, "a", 1_000)
      const fibers = yield* Effect.forEach(Array(20).fill(0), () => Effect.fork(check(throttle, "right")))
      yield* Effect.yieldNow()
      expect(yield* Effect.flip(check(throttle, "right"))).toMatchObject({ _tag: "RateLimited", retryAfterSeconds: 4 })
      yield* Fiber.interruptAll(fibers.slice(0, 1))
      const last = yield* Effect.fork(check(throttle, "right"))
      yield* TestClock.adjust("4 seconds")
      expect(yield* Fiber.join(last)).toBe("in")
      expect(yield* took(check(throttle, "right"))).toBe(4_000)
    })
  )
})

describe("all addresses together", () => {
  it.effect("have so many waiting, of every kind", () =>
    Effect.gen(function* () {
      const make = makeThrottles(yield* Effect.clock, 30)
      const [one, other] = [make({ free: 0, mostWaiting: 20 }), make({ free: 0, mostWaiting: 20 })]
      const begin = (throttle: Throttle, from: string) => Effect.fork(throttle.each(from))
      yield* Effect.forEach(Array(20).fill(0), () => begin(one, "a"), { discard: true })
      yield* Effect.forEach(Array(10).fill(0), () => begin(other, "b"), { discard: true })
      yield* Effect.yieldNow()
      expect(yield* Effect.flip(other.each("c"))).toMatchObject({ _tag: "RateLimited" })
      yield* TestClock.adjust("4 seconds")
      expect(yield* took(other.each("c"))).toBe(200)
    })
  )

  it.effect("take no more than so much room: further ones share a count", () =>
    Effect.gen(function* () {
      const throttle = yield* secrets
      for (let n = 0; n < 10_020; n++) throttle.note(`address ${n}`)
      expect(yield* took(throttle.turn("address 1"))).toBe(0)
      expect(yield* took(throttle.turn("address 10001"))).toBe(1_000)
      expect(yield* took(throttle.turn("one more"))).toBe(1_000)
    })
  )

  it.effect("are counted by kind", () =>
    Effect.gen(function* () {
      const tries = makeTries([], yield* Effect.clock)
      const { begun, codes, logouts, programs, secrets } = tries
      for (const busy of [begun, programs, secrets, codes, logouts]) {
        noted(busy, "a", 1_000)
        for (const other of [begun, programs, secrets, codes, logouts].filter((one) => one !== busy)) {
          expect(yield* took(other.turn("a"))).toBe(0)
        }
        expect(yield* took(busy.turn("a"))).toBe(4_000)
        yield* TestClock.adjust("1 minute")
      }
    })
  )

  it.effect("are counted apart from what another site's page causes there", () =>
    Effect.gen(function* () {
      const { begun, countedAs } = makeTries([], yield* Effect.clock)
      const server = { requestIP: () => ({ address: "203.0.113.9", family: "IPv4" as const, port: 1 }) }
      const by = (headers: Record<string, string>) =>
        countedAs({ request: new Request("http://gateway.test/sign-in", { headers }), server })
      for (const site of ["cross-site", "same-site"]) noted(begun, by({ "sec-fetch-site": site }), 1_000)
      for (const headers of [
        {},
        { "sec-fetch-site": "none" },
        { "sec-fetch-site": "same-origin" },
        { "sec-fetch-site": "cross-site", "sec-fetch-user": "?1" }
      ]) {
        expect(by(headers)).toBe("203.0.113.9")
        expect(yield* took(begun.turn(by(headers)))).toBe(0)
      }
      expect(yield* took(begun.turn(by({ "sec-fetch-site": "cross-site" })))).toBe(4_000)
    })
  )

  it.effect("are slowed with a sign-in that is the 301st in a minute", () =>
    Effect.gen(function* () {
      const { begun } = makeTries([], yield* Effect.clock)
      for (let n = 0; n < 300; n++) yield* begun.each("a")
      expect(yield* took(begun.each("a"))).toBe(100)
    })
  )
})
