import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, TestClock } from "effect"
import { NoCredentials } from "../../src/credentials/Auth.ts"
import { makeRenewed } from "../../src/credentials/Renewed.ts"
import type { Credentials } from "../../src/credentials/Renewed.ts"

/** A source of tokens that counts how often it is asked. */
const source = (lifeMs: number | undefined) => {
  const state = { asked: 0, isDown: false }
  const fetch = Effect.flatMap(Effect.clock, (clock) => {
    state.asked++
    if (state.isDown) return Effect.fail(new NoCredentials({ message: "the token service is down" }))
    const value = `token-${state.asked}`
    const endsAtMs = lifeMs === undefined ? undefined : clock.unsafeCurrentTimeMillis() + lifeMs
    return Effect.succeed<Credentials<string>>({ value, endsAtMs })
  })
  return { state, fetch }
}

describe("credentials that end", () => {
  it.effect("are fetched once for a thousand requests at once, also if the first of them leaves", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const { fetch, state } = source(3_600_000)
      const tokens = yield* makeRenewed(Effect.zipRight(Deferred.await(gate), fetch))
      const first = yield* Effect.fork(tokens.get)
      const others = yield* Effect.fork(
        Effect.all(
          Array.from({ length: 999 }, () => tokens.get),
          { concurrency: "unbounded" }
        )
      )
      yield* Effect.yieldNow()
      yield* Fiber.interrupt(first)
      yield* Deferred.succeed(gate, undefined)
      expect(new Set(yield* Fiber.join(others))).toEqual(new Set(["token-1"]))
      expect(state.asked).toBe(1)
    })
  )

  it.effect("are renewed ahead of their end, while the old ones are used", () =>
    Effect.gen(function* () {
      const { fetch, state } = source(3_600_000)
      const tokens = yield* makeRenewed(fetch)
      expect(yield* tokens.get).toBe("token-1")
      yield* TestClock.adjust("54 minutes")
      expect(yield* tokens.get).toBe("token-1")
      expect(state.asked).toBe(1)
      yield* TestClock.adjust("2 minutes")
      expect(yield* tokens.get).toBe("token-1")
      yield* TestClock.adjust("1 millis")
      expect(yield* tokens.get).toBe("token-2")
      expect(state.asked).toBe(2)
    })
  )

  it.effect("of a short life are renewed at its half", () =>
    Effect.gen(function* () {
      const { fetch, state } = source(60_000)
      const tokens = yield* makeRenewed(fetch)
      yield* tokens.get
      yield* TestClock.adjust("29 seconds")
      yield* tokens.get
      expect(state.asked).toBe(1)
      yield* TestClock.adjust("2 seconds")
      yield* tokens.get
      yield* TestClock.adjust("1 millis")
      expect(yield* tokens.get).toBe("token-2")
    })
  )

  it.effect("that are still good outlive an outage of ten minutes, in which their source is asked seldom", () =>
    Effect.gen(function* () {
      const { fetch, state } = source(3_600_000)
      const tokens = yield* makeRenewed(fetch)
      yield* tokens.get
      state.isDown = true
      yield* TestClock.adjust("49 minutes")
      for (let second = 0; second < 600; second++) {
        expect(yield* tokens.get).toBe("token-1")
        yield* TestClock.adjust("1 second")
      }
      expect(state.asked).toBeGreaterThan(1)
      expect(state.asked).toBeLessThan(62)
      state.isDown = false
      yield* TestClock.adjust("6 seconds")
      yield* tokens.get
      yield* TestClock.adjust("1 millis")
      expect(yield* tokens.get).not.toBe("token-1")
    })
  )

  it.effect("that are over are not used, and their source's failure is told, at most every five seconds anew", () =>
    Effect.gen(function* () {
      const { fetch, state } = source(60_000)
      const tokens = yield* makeRenewed(fetch)
      yield* tokens.get
      state.isDown = true
      yield* TestClock.adjust("1 hour")
      for (let i = 0; i < 100; i++) expect((yield* Effect.flip(tokens.get)).message).toBe("the token service is down")
      expect(state.asked).toBe(2)
      state.isDown = false
      yield* TestClock.adjust("6 seconds")
      expect(yield* tokens.get).toBe("token-3")
    })
  )

  it.effect("are fetched anew once if they are refused, and not again within a minute", () =>
    Effect.gen(function* () {
      const { fetch, state } = source(undefined)
      const tokens = yield* makeRenewed(fetch)
      const first = yield* tokens.get
      expect(yield* tokens.refused(first)).toBe(true)
      const second = yield* tokens.get
      expect(second).toBe("token-2")
      // A request that was on its way with the old ones.
      expect(yield* tokens.refused(first)).toBe(true)
      expect(yield* tokens.refused(second)).toBe(false)
      expect(yield* tokens.get).toBe("token-2")
      yield* TestClock.adjust("61 seconds")
      expect(yield* tokens.refused(second)).toBe(true)
      expect(yield* tokens.get).toBe("token-3")
      expect(state.asked).toBe(3)
    })
  )

  it.effect("that are refused are fetched once for all requests that had them", () =>
    Effect.gen(function* () {
      const { fetch, state } = source(3_600_000)
      const tokens = yield* makeRenewed(Effect.zipRight(Effect.yieldNow(), fetch))
      const first = yield* tokens.get
      const refusals = Array.from({ length: 20 }, () => tokens.refused(first))
      expect(new Set(yield* Effect.all(refusals, { concurrency: "unbounded" }))).toEqual(new Set([true]))
      expect(yield* tokens.get).toBe("token-2")
      expect(state.asked).toBe(2)
      expect(tokens.recent()).toEqual(["token-2", "token-1"])
    })
  )

  it.effect("stay in use if they are refused while their source is down: the refusal may be a caller's", () =>
    Effect.gen(function* () {
      const { fetch, state } = source(3_600_000)
      const tokens = yield* makeRenewed(fetch)
      const first = yield* tokens.get
      state.isDown = true
      expect(yield* tokens.refused(first)).toBe(false)
      expect(yield* tokens.get).toBe("token-1")
      expect(state.asked).toBe(2)
    })
  )

  it.effect("whose source hangs are given up after a minute, and asked for again", () =>
    Effect.gen(function* () {
      const { fetch } = source(3_600_000)
      let hangs = true
      const tokens = yield* makeRenewed(Effect.suspend(() => (hangs ? Effect.never : fetch)))
      const waiting = yield* Effect.fork(Effect.flip(tokens.get))
      yield* TestClock.adjust("1 minute")
      expect((yield* Fiber.join(waiting)).message).toContain("did not answer within 1 minute")
      hangs = false
      yield* TestClock.adjust("6 seconds")
      expect(yield* tokens.get).toBe("token-1")
    })
  )
})
