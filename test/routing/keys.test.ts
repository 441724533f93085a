import { describe, expect, it } from "@effect/vitest"
import { Clock, Duration, Effect, Exit, TestClock } from "effect"
import { AccountId } from "../../src/contract/callers/Caller.ts"
import { Future } from "../../src/flow/Future.ts"
import { toEffect } from "../../src/flow/toEffect.ts"
import { makeBulkhead, through } from "../../src/routing/Bulkhead.ts"
import { RetryAfter } from "../../src/routing/RetryAfter.ts"
import type { UpstreamError } from "../../src/upstreams/UpstreamError.ts"
import { refused, requester, tooMany } from "./generations.ts"

const account = requester("team")
const at = (key: string, model = "m") => ({ upstream: "up", model, key })
const keys = ["one", "two"].map((key) => at(key))
const refusedKey = refused({ retry: "elsewhere", trouble: "refused-key" })
const emptyAccount = refused({ retry: "elsewhere", trouble: "empty-account" })
const full = refused({ trouble: "saturated" })
const resting = (coolDowns: RetryAfter) => {
  const { ask, skipped } = coolDowns.order(keys, account)
  return { ask: ask.map(({ key }) => key), skipped: skipped.map(({ route }) => route.key) }
}

describe("one of an upstream's keys", () => {
  it.effect("is not asked while it is refused, each time twice as long", () =>
    Effect.gen(function* () {
      const coolDowns = new RetryAfter(yield* Effect.clock)
      const rests: Array<number> = []
      for (let failure = 0; failure < 8; failure++) {
        coolDowns.recordFailure(at("one"), account, refusedKey)
        const from = yield* Clock.currentTimeMillis
        while (resting(coolDowns).skipped.includes("one")) yield* TestClock.adjust("1 second")
        rests.push(((yield* Clock.currentTimeMillis) - from) / 1_000)
      }
      expect(rests).toEqual([1, 2, 4, 8, 16, 32, 60, 60])
    })
  )

  it.effect("rests as long as it was told, the others do not", () =>
    Effect.gen(function* () {
      const coolDowns = new RetryAfter(yield* Effect.clock)
      coolDowns.recordFailure(at("one"), account, tooMany(90))
      expect(resting(coolDowns)).toEqual({ ask: ["two"], skipped: ["one"] })
      yield* TestClock.adjust("89 seconds")
      expect(resting(coolDowns)).toEqual({ ask: ["two"], skipped: ["one"] })
      yield* TestClock.adjust("1 second")
      expect(resting(coolDowns)).toEqual({ ask: ["one", "two"], skipped: [] })
    })
  )

  it.effect("rests with all others where the upstream failed", () =>
    Effect.gen(function* () {
      const coolDowns = new RetryAfter(yield* Effect.clock)
      coolDowns.recordFailure(at("one"), account, refused({ trouble: "unreachable", retryAfterMs: 5_000 }))
      expect(resting(coolDowns)).toEqual({ ask: [], skipped: ["one", "two"] })
    })
  )

  it.effect.each([
    { how: "refused", error: refusedKey },
    { how: "without money", error: emptyAccount }
  ])("is asked all the same where it is the only way: $how", ({ error }) =>
    Effect.gen(function* () {
      const coolDowns = new RetryAfter(yield* Effect.clock)
      coolDowns.recordFailure(at("one"), account, error)
      expect(coolDowns.order([at("one")], account)).toEqual({ ask: [at("one")], skipped: [] })
      expect(resting(coolDowns)).toEqual({ ask: ["two"], skipped: ["one"] })
      // Another model answers in its place.
      expect(coolDowns.order([at("one")], account, true).ask).toEqual([])
      // Of several, one: no request is sent once for each key.
      coolDowns.recordFailure(at("two"), account, error)
      expect(resting(coolDowns)).toEqual({ ask: ["one"], skipped: ["two"] })
    })
  )

  it.effect("is not asked before the end that its upstream named, though nothing else is there", () =>
    Effect.gen(function* () {
      const coolDowns = new RetryAfter(yield* Effect.clock)
      const untilThen = refused({ retry: "elsewhere", trouble: "empty-account", retryAfterMs: 5_000 })
      coolDowns.recordFailure(at("one"), account, untilThen)
      expect(coolDowns.order([at("one")], account).ask).toEqual([])
      yield* TestClock.adjust("5 seconds")
      expect(coolDowns.order([at("one")], account).ask).toEqual([at("one")])
    })
  )

  it.effect("is one of many whose rests are remembered: the oldest are forgotten", () =>
    Effect.gen(function* () {
      const coolDowns = new RetryAfter(yield* Effect.clock)
      for (let index = 0; index < 40_000; index++) coolDowns.recordFailure(at("one", `m${index}`), account, tooMany(90))
      const isResting = (index: number) => coolDowns.order([at("one", `m${index}`)], account).skipped.length === 1
      expect([0, 39_999].map(isResting)).toEqual([false, true])
    })
  )

  it.effect("opens no circuit where it is refused, nor does an only key; only a limit of an only key does", () =>
    Effect.gen(function* () {
      const rules = { windowMs: 60_000, leastCalls: 2, failureRate: 0.5, openMs: 1_000, openAtMostMs: 1_000 }
      const refusals = (error: UpstreamError, key?: string) =>
        Effect.gen(function* () {
          const bulkhead = yield* makeBulkhead({ maxConcurrency: undefined, queueDeadline: Duration.seconds(1), rules })
          for (const account of ["a", "b", "c", "d"]) {
            const call = () => Future.fail(error)
            const ended = yield* Effect.exit(toEffect(() => through(bulkhead, AccountId.make(account), call, key)))
            expect(Exit.isFailure(ended)).toBe(true)
          }
          return bulkhead.circuit.state(yield* Clock.currentTimeMillis)
        })
      expect(yield* refusals(refusedKey, "one")).toBe("closed")
      expect(yield* refusals(refusedKey)).toBe("closed")
      expect(yield* refusals(emptyAccount)).toBe("closed")
      expect(yield* refusals(full, "one")).toBe("closed")
      expect(yield* refusals(full)).toBe("open")
    })
  )
})
