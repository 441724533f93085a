import { describe, expect, it } from "@effect/vitest"
import { Clock, Effect, Fiber, TestClock } from "effect"
import { InvalidRequest, UpstreamFailed } from "../../src/contract/failures/Failure.ts"
import type { Failure } from "../../src/contract/failures/Failure.ts"
import { runFuture } from "../../src/flow/runFuture.ts"
import { toEffect } from "../../src/flow/toEffect.ts"
import type { Generation } from "../../src/generation/Generation.ts"
import type { Route } from "../../src/routing/Route.ts"
import { RetryAfter } from "../../src/routing/RetryAfter.ts"
import { tryRoutes } from "../../src/routing/tryRoutes.ts"
import type { UpstreamError } from "../../src/upstreams/UpstreamError.ts"
import { refused, requester, tooMany, word } from "./generations.ts"

type Answer = "answers" | UpstreamError | Failure

/** Tries routes whenever it is run, and knows what became of them before. */
const tried = (
  routes: ReadonlyArray<Route>,
  call: (route: Route) => Effect.Effect<Generation, Failure | UpstreamError>
) => {
  let coolDowns: RetryAfter | undefined
  return (account = "one") =>
    Effect.zipWith(Effect.runtime(), Effect.clock, (runtime, clock) => {
      const known = (coolDowns ??= new RetryAfter(clock))
      return toEffect(() =>
        tryRoutes({ runtime, coolDowns: known }, requester(account), routes, (route) => runFuture(runtime, call(route)))
      )
    }).pipe(Effect.flatten)
}

/** Runs requests against upstreams that answer in turn, the last answer for ever; tells who was called, and when. */
const world = (upstreams: Record<string, ReadonlyArray<Answer>>) => {
  const log: Array<readonly [string, number]> = []
  const left = new Map(Object.entries(upstreams).map(([name, answers]) => [name, [...answers]]))
  const routes = Object.keys(upstreams).map((upstream) => ({ upstream, model: "m" }))
  const runFor = tried(routes, ({ upstream }) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      log.push([upstream, now])
      const answers = left.get(upstream) ?? []
      const answer = answers.length > 1 ? answers.shift() : answers[0]
      return answer === undefined || answer === "answers" ? Effect.succeed(word(upstream)) : Effect.fail(answer)
    })
  )
  return { log, called: () => log.map(([name]) => name).join(" "), run: runFor(), runFor }
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

  it.effect("are tried in order at once, and the last of them three times with growing waits", () =>
    Effect.gen(function* () {
      const { called, log, run } = world({ a: [refused()], b: [refused()], c: [refused(), refused(), "answers"] })
      yield* settled(run)
      expect(called()).toBe("a b c c c")
      const [, , first = 0, second = 0, third = 0] = log.map(([, at]) => at)
      expect(first).toBe(0)
      expect(second - first).toBeGreaterThanOrEqual(160)
      expect(second - first).toBeLessThanOrEqual(240)
      expect(third - second).toBeGreaterThanOrEqual(320)
      expect(third - second).toBeLessThanOrEqual(480)
    })
  )

  it.effect("are tried again where it makes sense, whichever of them that is", () =>
    Effect.gen(function* () {
      const { called, run } = world({ a: [refused(), "answers"], b: [refused({ retry: "elsewhere" })] })
      expect((yield* settled(run)).next()).toEqual([{ type: "text-delta", text: "a" }])
      expect(called()).toBe("a b a")
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

  it.effect("wait as long as the last upstream asks, and no longer than five seconds", () =>
    Effect.gen(function* () {
      const soon = world({ a: [tooMany(4), "answers"] })
      yield* settled(soon.run)
      expect(soon.log).toEqual([
        ["a", 0],
        ["a", 4_000]
      ])
      const late = world({ a: [tooMany(6)] })
      expect(yield* settled(Effect.flip(late.run))).toMatchObject({ _tag: "RateLimited", retryAfterSeconds: 6 })
      expect(late.called()).toBe("a")
      const two = world({ a: [tooMany(4), "answers"], b: [tooMany(2), "answers"] })
      const startedAt = yield* Clock.currentTimeMillis
      yield* settled(two.run)
      expect(two.log.map(([name, at]) => [name, at - startedAt])).toEqual([
        ["a", 0],
        ["b", 0],
        ["b", 2_000]
      ])
    })
  )

  it.effect("are not tried again when the first tries took ten seconds", () =>
    Effect.gen(function* () {
      const slow = world({ a: [tooMany(5)] })
      yield* settled(Effect.flip(slow.run))
      expect(slow.called()).toBe("a a a")
      let calls = 0
      const run = tried([{ upstream: "a", model: "m" }], () =>
        Effect.suspend(() => {
          calls++
          return Effect.delay(Effect.fail(refused()), "11 seconds")
        })
      )
      yield* settled(Effect.flip(run()))
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

describe("a route that failed", () => {
  /** Requests one after the other, so many ms apart. */
  const requests = (n: number, apartMs: number, run: Effect.Effect<Generation, Failure>) =>
    Effect.gen(function* () {
      for (let i = 0; i < n; i++) {
        yield* Effect.exit(run)
        yield* TestClock.adjust(`${apartMs} millis`)
      }
    })

  it.effect("is not asked for as long as it wants, and no request waits for it", () =>
    Effect.gen(function* () {
      const { log, run } = world({ limited: [tooMany(30)], other: ["answers"] })
      yield* requests(200, 300, run)
      expect(log.filter(([name]) => name === "other").map(([, at]) => at)).toEqual(
        Array.from({ length: 200 }, (_, n) => n * 300)
      )
      expect(log.filter(([name]) => name === "limited").map(([, at]) => at)).toEqual([0, 30_000])
    })
  )

  it.effect("is not asked by others either while one finds out whether it is back", () =>
    Effect.gen(function* () {
      const { log, run } = world({ limited: [tooMany(30)], other: ["answers"] })
      yield* run
      yield* TestClock.adjust("30 seconds")
      yield* Effect.all(
        Array.from({ length: 20 }, () => run),
        { concurrency: "unbounded" }
      )
      expect(log.filter(([name]) => name === "limited").map(([, at]) => at)).toEqual([0, 30_000])
    })
  )

  it.effect("is left alone longer each time where it does not say how long, and asked first once it is back", () =>
    Effect.gen(function* () {
      const { log, run } = world({ a: [refused(), refused(), refused(), "answers"], b: ["answers"] })
      yield* requests(100, 100, run)
      expect(log.filter(([name]) => name === "a").map(([, at]) => at)).toEqual([
        0,
        1_000,
        3_000,
        ...Array.from({ length: 30 }, (_, n) => 7_000 + n * 100)
      ])
    })
  )

  it.effect("is asked all the same where no other answers, unless it said how long", () =>
    Effect.gen(function* () {
      const broken = world({ a: [refused(), "answers"], b: ["answers", refused({ retry: "elsewhere" })] })
      yield* broken.run
      yield* broken.run
      expect(broken.called()).toBe("a b b a")
      const limited = world({ a: [tooMany(30)], b: [tooMany(60)] })
      yield* Effect.exit(limited.run)
      yield* TestClock.adjust("10 seconds")
      expect(yield* Effect.flip(limited.run)).toMatchObject({ _tag: "RateLimited", retryAfterSeconds: 20 })
      expect(limited.called()).toBe("a b")
    })
  )

  it.effect("is not one that lacks what a request names, or that a request is to blame for", () =>
    Effect.gen(function* () {
      const mistake = new InvalidRequest({ param: null, message: "no such file" })
      const { called, run } = world({ a: [refused({ failure: mistake, retry: "elsewhere" })], b: ["answers"] })
      yield* run
      yield* run
      expect(called()).toBe("a b a b")
    })
  )

  it.effect("cools down for the account whose request it failed alone, unless it speaks of itself", () =>
    Effect.gen(function* () {
      const down = new UpstreamFailed({})
      for (const error of [
        refused({ retryAfterMs: 60_000 }),
        refused(),
        refused({ failure: down, retry: "elsewhere" })
      ]) {
        const { called, runFor } = world({ a: [error, "answers"], b: ["answers"] })
        yield* runFor("one")
        yield* runFor("one")
        yield* runFor("other")
        expect(called()).toBe("a b b a")
      }
      for (const error of [tooMany(60, { part: "model", isOfAll: true }), refused({ trouble: "unreachable" })]) {
        const { called, runFor } = world({ a: [error, "answers"], b: ["answers"] })
        yield* runFor("one")
        yield* runFor("other")
        expect(called()).toBe("a b b")
      }
    })
  )

  it.effect("is asked by others after five seconds where the call that finds out if it is back hangs", () =>
    Effect.gen(function* () {
      let isHanging = false
      const asked: Array<string> = []
      const runFor = tried(
        ["a", "b"].map((upstream) => ({ upstream, model: "m" })),
        ({ upstream }) =>
          Effect.suspend(() => {
            asked.push(upstream)
            if (upstream === "b") return Effect.succeed(word("b"))
            return isHanging ? Effect.never : Effect.fail(tooMany(30, { part: "model", isOfAll: true }))
          })
      )
      yield* runFor("one")
      isHanging = true
      yield* TestClock.adjust("30 seconds")
      const hanging = yield* Effect.fork(runFor("one"))
      yield* Effect.yieldNow()
      yield* runFor("other")
      yield* TestClock.adjust("5 seconds")
      const other = yield* Effect.fork(runFor("other"))
      yield* Effect.yieldNow()
      expect(asked.join(" ")).toBe("a b a b a")
      yield* Fiber.interruptAll([hanging, other])
    })
  )
})
