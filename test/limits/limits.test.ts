import { describe, expect, it } from "@effect/vitest"
import { Clock, Effect, Either, FastCheck as fc, Layer, TestClock } from "effect"
import { Caller } from "../../src/contract/callers/Caller.ts"
import type { Limits as Bounds } from "../../src/contract/callers/Caller.ts"
import { toEffect } from "../../src/flow/toEffect.ts"
import { Limits } from "../../src/limits/Limits.ts"

const callerWith = (keyLimits: Bounds, accountLimits: Bounds = {}, key = "k"): Caller => ({
  ...Caller.unrestricted("team", key),
  keyLimits,
  accountLimits
})

const stand = (caller: Caller) => Effect.flatMap(Limits, (limits) => toEffect(() => limits.admit(caller)))

const admit = (caller: Caller) =>
  Effect.flatMap(stand(caller), ({ refusal }) => (refusal === undefined ? Effect.void : Effect.fail(refusal)))

const begin = (caller: Caller, tokens = 0, limits: Bounds = {}) =>
  Effect.flatMap(Limits, (service) => toEffect(() => service.begin(caller, { id: "m", limits }, () => tokens)))

describe("requests a minute", () => {
  it.effect("are refused above the limit until the minute ends, to the second", () =>
    Effect.gen(function* () {
      const caller = callerWith({ requestsPerMinute: 2 })
      yield* TestClock.adjust("12500 millis")
      yield* admit(caller)
      yield* admit(caller)
      const refused = yield* Effect.flip(admit(caller))
      expect(refused.message).toBe("Too many requests: this API key has 2 a minute")
      expect(refused.retryAfterSeconds).toBe(47.5)
      yield* TestClock.adjust("47499 millis")
      yield* Effect.flip(admit(caller))
      yield* TestClock.adjust("1 millis")
      yield* admit(caller)
    }).pipe(Effect.provide(Limits.Default))
  )

  it.effect("of an account are shared by its keys", () =>
    Effect.gen(function* () {
      const one = callerWith({}, { requestsPerMinute: 3 }, "one")
      const two = callerWith({ requestsPerMinute: 1 }, { requestsPerMinute: 3 }, "two")
      yield* admit(two)
      expect((yield* Effect.flip(admit(two))).message).toContain("this API key has 1 a minute")
      yield* admit(one)
      yield* admit(one)
      expect((yield* Effect.flip(admit(one))).message).toContain("this account has 3 a minute")
    }).pipe(Effect.provide(Limits.Default))
  )

  it.effect("of a model are shared by all accounts", () =>
    Effect.gen(function* () {
      yield* begin(callerWith({}, {}, "one"), 0, { requestsPerMinute: 1 })
      const refused = yield* Effect.flip(begin(callerWith({}, {}, "two"), 0, { requestsPerMinute: 1 }))
      expect(refused.message).toBe('Too many requests: the model "m" has 1 a minute')
    }).pipe(Effect.provide(Limits.Default))
  )

  it.effect("say where the caller stands, at its tightest", () =>
    Effect.gen(function* () {
      const atMs = Date.UTC(2026, 0, 1, 0, 0, 10)
      yield* TestClock.setTime(atMs)
      const caller = callerWith({ requestsPerMinute: 2, tokensPerMinute: 100 }, { requestsPerMinute: 50 })
      const minute = { resetMs: 50_000, atMs }
      expect(yield* stand(caller)).toEqual({
        requests: { limit: 2, left: 1, ...minute },
        tokens: { limit: 100, left: 100, ...minute },
        refusal: undefined
      })
      expect((yield* begin(caller, 30)).tokens).toEqual({ limit: 100, left: 70, ...minute })
      expect(yield* stand(caller)).toMatchObject({ requests: { left: 0 }, tokens: { left: 70 }, refusal: undefined })
      expect(yield* stand(caller)).toMatchObject({ requests: { left: 0 }, refusal: { _tag: "RateLimited" } })
    }).pipe(Effect.provide(Limits.Default))
  )

  it.effect("of a model count against no account", () =>
    Effect.gen(function* () {
      const caller = callerWith({ requestsPerMinute: 2 })
      expect(yield* stand(callerWith({ concurrentRequests: 1 }))).toEqual({})
      expect((yield* begin(caller, 30, { tokensPerMinute: 100 })).tokens).toBeUndefined()
    }).pipe(Effect.provide(Limits.Default))
  )

  it.effect("never exceed the limit in an aligned minute, however they come", () =>
    Effect.gen(function* () {
      const runtime = yield* Effect.runtime()
      yield* Effect.promise(() =>
        fc.assert(
          fc.asyncProperty(
            fc.integer({ min: 1, max: 10 }),
            fc.array(fc.nat(20_000), { maxLength: 80 }),
            (limit, gaps) =>
              Effect.gen(function* () {
                const caller = callerWith({ requestsPerMinute: limit })
                const admitted = new Map<number, number>()
                const offered = new Map<number, number>()
                let now = yield* Clock.currentTimeMillis
                for (const gap of gaps) {
                  yield* TestClock.adjust(gap)
                  now += gap
                  const minute = Math.floor(now / 60_000)
                  offered.set(minute, (offered.get(minute) ?? 0) + 1)
                  if (Either.isRight(yield* Effect.either(admit(caller)))) {
                    admitted.set(minute, (admitted.get(minute) ?? 0) + 1)
                  }
                }
                for (const [minute, count] of offered) expect(admitted.get(minute)).toBe(Math.min(limit, count))
              }).pipe(Effect.provide(Layer.fresh(Limits.Default)), Effect.provide(runtime), Effect.runPromise)
          ),
          { numRuns: 50 }
        )
      )
    })
  )
})

describe("tokens a minute", () => {
  it.effect("are set aside at the start and counted exactly at the end", () =>
    Effect.gen(function* () {
      const caller = callerWith({ tokensPerMinute: 100 })
      const first = yield* begin(caller, 80)
      const refused = yield* Effect.flip(begin(caller, 30))
      expect([refused.message, refused.retryAfterSeconds]).toEqual([
        "Too many tokens: this API key has 100 a minute",
        60
      ])
      first.done(50)
      const second = yield* begin(caller, 50)
      second.done(70)
      yield* Effect.flip(begin(caller, 1))
      yield* TestClock.adjust("1 minute")
      first.done(0)
      yield* begin(caller, 100)
    }).pipe(Effect.provide(Limits.Default))
  )

  it.effect("of a request that can never fit are refused without a time to come back", () =>
    Effect.gen(function* () {
      const refused = yield* Effect.flip(begin(callerWith({ tokensPerMinute: 100 }), 101))
      expect([refused.message, refused.retryAfterSeconds]).toEqual([
        "Too many tokens: the request may use 101, and this API key has 100 a minute; ask for fewer output tokens",
        null
      ])
    }).pipe(Effect.provide(Limits.Default))
  )

  it.effect("taken for a key are given back when the account has none left", () =>
    Effect.gen(function* () {
      const other = callerWith({}, { tokensPerMinute: 100 }, "other")
      const caller = callerWith({ tokensPerMinute: 100 }, { tokensPerMinute: 100 })
      const held = yield* begin(other, 60)
      yield* Effect.flip(begin(caller, 60))
      held.done(0)
      yield* begin(caller, 100)
    }).pipe(Effect.provide(Limits.Default))
  )
})

describe("requests at once", () => {
  it.effect("are as many as there are permits", () =>
    Effect.gen(function* () {
      const caller = callerWith({ concurrentRequests: 2 }, { concurrentRequests: 3 })
      const first = yield* begin(caller)
      yield* begin(caller)
      const refused = yield* Effect.flip(begin(caller))
      expect([refused.message, refused.retryAfterSeconds]).toEqual([
        "Too many requests at once: this API key may have 2 running",
        null
      ])
      const other = callerWith({}, { concurrentRequests: 3 }, "other")
      yield* begin(other)
      expect((yield* Effect.flip(begin(other))).message).toContain("this account may have 3 running")
      first.done(0)
      yield* begin(caller)
    }).pipe(Effect.provide(Limits.Default))
  )

  it.effect("give their permits back when another limit refuses", () =>
    Effect.gen(function* () {
      const caller = callerWith({ concurrentRequests: 1, tokensPerMinute: 10 })
      yield* Effect.flip(begin(caller, 11))
      yield* begin(caller, 10)
    }).pipe(Effect.provide(Limits.Default))
  )
})
