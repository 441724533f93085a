import { describe, expect, it } from "@effect/vitest"
import { Clock, Effect, Either, FastCheck as fc, Layer, TestClock } from "effect"
import { AccountId, KeyId, unrestricted } from "../../src/contract/Caller.ts"
import type { Caller, Limits as Bounds } from "../../src/contract/Caller.ts"
import { Limits } from "../../src/limits/Limits.ts"

const callerWith = (keyLimits: Bounds, accountLimits: Bounds = {}, key = "k"): Caller => ({
  ...unrestricted(AccountId.make("team"), KeyId.make(key)),
  keyLimits,
  accountLimits
})

const admit = (caller: Caller, headers: Record<string, string> = {}, dialect: "openai" | "anthropic" = "openai") =>
  Effect.flatMap(Limits, (limits) => limits.admit(caller, dialect, headers))

const begin = (caller: Caller, tokens = 0, limits: Bounds = {}, headers: Record<string, string> = {}) =>
  Effect.flatMap(Limits, (service) => service.begin(caller, { id: "m", limits }, () => tokens, headers))

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

  it.effect("of a model are shared by everybody", () =>
    Effect.gen(function* () {
      yield* begin(callerWith({}, {}, "one"), 0, { requestsPerMinute: 1 })
      const refused = yield* Effect.flip(begin(callerWith({}, {}, "two"), 0, { requestsPerMinute: 1 }))
      expect(refused.message).toBe('Too many requests: the model "m" has 1 a minute')
    }).pipe(Effect.provide(Limits.Default))
  )

  it.effect("are told in the headers of each dialect", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 0, 1, 0, 0, 10))
      const caller = callerWith({ requestsPerMinute: 2, tokensPerMinute: 100 }, { requestsPerMinute: 50 })
      const openai: Record<string, string> = {}
      yield* admit(caller, openai)
      expect(openai).toEqual({
        "x-ratelimit-limit-requests": "2",
        "x-ratelimit-remaining-requests": "1",
        "x-ratelimit-reset-requests": "50s",
        "x-ratelimit-limit-tokens": "100",
        "x-ratelimit-remaining-tokens": "100",
        "x-ratelimit-reset-tokens": "50s"
      })
      yield* begin(caller, 30, {}, openai)
      expect(openai["x-ratelimit-remaining-tokens"]).toBe("70")
      const anthropic: Record<string, string> = {}
      yield* admit(caller, anthropic, "anthropic")
      expect(anthropic).toMatchObject({
        "anthropic-ratelimit-requests-limit": "2",
        "anthropic-ratelimit-requests-remaining": "0",
        "anthropic-ratelimit-requests-reset": "2026-01-01T00:01:00Z",
        "anthropic-ratelimit-tokens-remaining": "70"
      })
      const refused: Record<string, string> = {}
      yield* Effect.flip(admit(caller, refused))
      expect(refused["x-ratelimit-remaining-requests"]).toBe("0")
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
