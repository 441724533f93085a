import { describe, expect, it } from "@effect/vitest"
import { Clock, Effect, Fiber, TestClock } from "effect"
import { InvalidRequest, UpstreamFailed } from "../../src/contract/Failure.ts"
import type { Failure } from "../../src/contract/Failure.ts"
import { tryRoutes } from "../../src/models/tryRoutes.ts"
import type { UpstreamError } from "../../src/upstreams/UpstreamError.ts"
import { refused, tooMany, word } from "./generations.ts"

type Answer = "answers" | UpstreamError | Failure

/** Runs requests against upstreams that answer in turn, the last answer for ever; tells who was called, and when. */
const world = (upstreams: Record<string, ReadonlyArray<Answer>>) => {
  const log: Array<readonly [string, number]> = []
  const left = new Map(Object.entries(upstreams).map(([name, answers]) => [name, [...answers]]))
  const routes = Object.keys(upstreams).map((upstream) => ({ upstream, model: "m" }))
  const run = Effect.uninterruptible(
    tryRoutes(routes, ({ upstream }) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        log.push([upstream, now])
        const answers = left.get(upstream) ?? []
        const answer = answers.length > 1 ? answers.shift() : answers[0]
        return answer === undefined || answer === "answers" ? Effect.succeed(word(upstream)) : Effect.fail(answer)
      })
    )
  )
  return { log, called: () => log.map(([name]) => name).join(" "), run }
}

/** Runs with as much time as it needs. */
const settled = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.fork(effect)
    yield* TestClock.adjust("5 minutes")
    return yield* Fiber.join(fiber)
  })

describe("a model's routes", () => {
  it.effect("are not left while the first answers", () =>
    Effect.gen(function* () {
      const { called, run } = world({ a: ["answers"], b: ["answers"] })
      expect((yield* run).next()).toEqual([{ type: "text-delta", text: "a" }])
      expect(called()).toBe("a")
    })
  )

  it.effect("are tried in order, each three times with growing waits", () =>
    Effect.gen(function* () {
      const { called, log, run } = world({ a: [refused()], b: [refused()], c: ["answers"] })
      yield* settled(run)
      expect(called()).toBe("a a a b b b c")
      const [first = 0, second = 0, third = 0, next = 0] = log.map(([, at]) => at)
      expect(second - first).toBeGreaterThanOrEqual(160)
      expect(second - first).toBeLessThanOrEqual(240)
      expect(third - second).toBeGreaterThanOrEqual(320)
      expect(third - second).toBeLessThanOrEqual(480)
      expect(next).toBe(third)
    })
  )

  it.effect("are left at once where another try makes no sense", () =>
    Effect.gen(function* () {
      const { log, run } = world({ a: [refused({ retry: "elsewhere" })], b: ["answers"] })
      yield* run
      expect(log).toEqual([
        ["a", 0],
        ["b", 0]
      ])
    })
  )

  it.effect("are given up where the request is at fault", () =>
    Effect.gen(function* () {
      const mistake = new InvalidRequest({ param: "messages", message: "messages: no" })
      for (const answer of [refused({ failure: mistake, retry: "never" }), mistake]) {
        const { called, run } = world({ a: [answer], b: ["answers"] })
        expect(yield* Effect.flip(run)).toBe(mistake)
        expect(called()).toBe("a")
      }
    })
  )

  it.effect("wait as long as an upstream asks, and no longer than five seconds", () =>
    Effect.gen(function* () {
      const soon = world({ a: [tooMany(4), "answers"], b: ["answers"] })
      yield* settled(soon.run)
      expect(soon.log).toEqual([
        ["a", 0],
        ["a", 4_000]
      ])
      const late = world({ a: [tooMany(6)], b: ["answers"] })
      yield* settled(late.run)
      expect(late.called()).toBe("a b")
    })
  )

  it.effect("are not tried again when the first tries took ten seconds", () =>
    Effect.gen(function* () {
      const slow = world({ a: [tooMany(5)], b: ["answers"] })
      yield* settled(slow.run)
      expect(slow.called()).toBe("a a a b")
      let calls = 0
      const run = tryRoutes([{ upstream: "a", model: "m" }], () =>
        Effect.suspend(() => {
          calls++
          return Effect.delay(Effect.fail(refused()), "11 seconds")
        })
      )
      yield* settled(Effect.flip(run))
      expect(calls).toBe(2)
    })
  )

  it.effect("fail as rate-limited only where all of them are, with the soonest time", () =>
    Effect.gen(function* () {
      const all = world({ a: [tooMany(20)], b: [tooMany(10)], c: [tooMany(30)] })
      expect(yield* settled(Effect.flip(all.run))).toMatchObject({ _tag: "RateLimited", retryAfterSeconds: 10 })
      const some = world({ a: [tooMany(20)], b: [refused({ failure: new UpstreamFailed({ message: "b is down" }) })] })
      expect(yield* settled(Effect.flip(some.run))).toMatchObject({ _tag: "UpstreamFailed", message: "b is down" })
    })
  )

  it.effect("are left when the caller leaves during a wait", () =>
    Effect.gen(function* () {
      const { called, run } = world({ a: [refused()] })
      const fiber = yield* Effect.fork(run)
      yield* TestClock.adjust("1 millis")
      yield* Fiber.interrupt(fiber)
      yield* TestClock.adjust("1 minute")
      expect(called()).toBe("a")
    })
  )
})
