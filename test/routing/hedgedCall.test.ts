import { describe, expect, it } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, Fiber, TestClock } from "effect"
import type { Duration } from "effect"
import { InvalidRequest } from "../../src/contract/failures/Failure.ts"
import type { Failure } from "../../src/contract/failures/Failure.ts"
import { Failed } from "../../src/flow/Future.ts"
import { PendingFuture } from "../../src/flow/PendingFuture.ts"
import { runFuture, runFutureUninterruptible } from "../../src/flow/runFuture.ts"
import { toEffect } from "../../src/flow/toEffect.ts"
import type { Generation } from "../../src/generation/Generation.ts"
import { hedgedCall } from "../../src/routing/hedgedCall.ts"
import { RetryAfter } from "../../src/routing/RetryAfter.ts"
import { tryRoutes } from "../../src/routing/tryRoutes.ts"
import type { UpstreamError } from "../../src/upstreams/UpstreamError.ts"
import { refused, requester, tooMany, word } from "./generations.ts"

type Answer = Effect.Effect<Generation, Failure | UpstreamError>

const account = requester("one")

/** Upstreams with their answers, asked with a hedge after two seconds; tells what happened to each call. */
const world = (answers: Readonly<Record<string, Answer>>) =>
  Effect.zipWith(Effect.runtime(), Effect.clock, (runtime, clock) => {
    const log: Array<string> = []
    const coolDowns = new RetryAfter(clock)
    const routes = Object.keys(answers).map((upstream) => ({ upstream, model: "m" }))
    const call =
      (who: string) =>
      ({ upstream }: { readonly upstream: string }) => {
        log.push(`${who}: ${upstream}`)
        const answer = Effect.onInterrupt(answers[upstream] ?? Effect.never, () =>
          Effect.sync(() => log.push(`${upstream} interrupted`))
        )
        return runFuture(runtime, answer)
      }
    const watcher = { failed: () => {}, again: () => {}, refused: () => {} }
    const run = toEffect(
      () =>
        tryRoutes({ runtime, coolDowns }, account, routes, call("first"), watcher, {
          afterMs: 2_000,
          call: call("second"),
          watcher,
          won: (by) => log.push(`${by} won`)
        }),
      (generation) => generation.cancel()
    )
    const resting = () => coolDowns.order(routes, account).ask.map(({ upstream }) => upstream)
    return { log, run, resting }
  })

const after = (seconds: number, answer: Answer): Answer => Effect.delay(answer, seconds * 1_000)
const says = (text: string): Answer => Effect.sync(() => word(text))
const wordOf = (generation: Generation) => generation.next()

const settled = <A, E>(effect: Effect.Effect<A, E>, within: Duration.DurationInput = "1 minute") =>
  Effect.gen(function* () {
    const fiber = yield* Effect.fork(effect)
    yield* TestClock.adjust(within)
    return yield* Fiber.join(fiber)
  })

describe("a hedge", () => {
  it.effect("asks no second route while the first answers in time", () =>
    Effect.gen(function* () {
      const { log, run } = yield* world({ a: after(1.9, says("a")), b: says("b") })
      expect(wordOf(yield* settled(run))).toEqual([{ type: "text-delta", text: "a" }])
      expect(log).toEqual(["first: a", "first won"])
    })
  )

  it.effect(
    "asks the second route if the first is silent, and cancels the slower one, which does not rest for it",
    () =>
      Effect.gen(function* () {
        const { log, resting, run } = yield* world({ a: Effect.never, b: says("b"), c: says("c") })
        expect(wordOf(yield* settled(run))).toEqual([{ type: "text-delta", text: "b" }])
        expect(log).toEqual(["first: a", "second: b", "second won", "a interrupted"])
        expect(resting()).toEqual(["a", "b", "c"])
      })
  )

  it.effect("is cancelled if the first answers meanwhile", () =>
    Effect.gen(function* () {
      const { log, run } = yield* world({ a: after(3, says("a")), b: Effect.never })
      expect(wordOf(yield* settled(run))).toEqual([{ type: "text-delta", text: "a" }])
      expect(log).toEqual(["first: a", "second: b", "first won", "b interrupted"])
    })
  )

  it.effect("answers once if both do at the same instant, and gives the other answer up", () =>
    Effect.gen(function* () {
      const runtime = yield* Effect.runtime()
      const both = yield* Deferred.make<void>()
      const [one, other] = [word("a"), word("b")]
      const won: Array<string> = []
      // An interruption comes too late for both.
      const answering = (answer: Generation) => () =>
        runFutureUninterruptible(runtime, Effect.as(Deferred.await(both), answer))
      const race = hedgedCall({
        runtime,
        after: "2 seconds",
        first: answering(one),
        second: answering(other),
        isWanted: () => true,
        isFinal: () => false,
        won: (by) => won.push(by),
        lost: (generation) => generation.cancel("failed")
      })
      const fiber = yield* Effect.fork(toEffect(() => race))
      yield* TestClock.adjust("3 seconds")
      yield* Deferred.succeed(both, undefined)
      expect(yield* Fiber.join(fiber)).toEqual({ answer: one })
      yield* TestClock.adjust("1 second")
      expect([one.cancelled(), other.cancelled(), won]).toEqual([0, 1, ["first"]])
    })
  )

  it.effect("is waited for if the first fails, and then asked no more", () =>
    Effect.gen(function* () {
      const { log, resting, run } = yield* world({ a: after(3, Effect.fail(tooMany(120))), b: after(3, says("b")) })
      expect(wordOf(yield* settled(run, "10 seconds"))).toEqual([{ type: "text-delta", text: "b" }])
      expect(log).toEqual(["first: a", "second: b", "second won"])
      expect(resting()).toEqual(["b"])
    })
  )

  it.effect("is followed by the third route if both fail", () =>
    Effect.gen(function* () {
      const { log, run } = yield* world({
        a: after(3, Effect.fail(refused())),
        b: after(4, Effect.fail(refused())),
        c: says("c")
      })
      expect(wordOf(yield* settled(run))).toEqual([{ type: "text-delta", text: "c" }])
      expect(log).toEqual(["first: a", "second: b", "first: c"])
    })
  )

  it.effect("does not delay failover, and may follow it", () =>
    Effect.gen(function* () {
      const { log, run } = yield* world({ a: Effect.fail(refused()), b: Effect.never, c: says("c") })
      expect(wordOf(yield* settled(run))).toEqual([{ type: "text-delta", text: "c" }])
      expect(log).toEqual(["first: a", "first: b", "second: c", "second won", "b interrupted"])
    })
  )

  it.effect("ends with a refusal of the request itself", () =>
    Effect.gen(function* () {
      const failure = new InvalidRequest({ param: "x", message: "x: no" })
      const { log, run } = yield* world({
        a: after(3, Effect.fail(refused({ failure, retry: "never" }))),
        b: Effect.never
      })
      expect(yield* settled(Effect.flip(run))).toBe(failure)
      expect(log).toEqual(["first: a", "second: b", "first won", "b interrupted"])
    })
  )

  it.effect("is won by none if a client leaves, even if a call ends at once", () =>
    Effect.gen(function* () {
      const runtime = yield* Effect.runtime()
      class Silent extends PendingFuture<never> {}
      const won: Array<string> = []
      const race = hedgedCall<never, never>({
        runtime,
        after: 2_000,
        first: () => new Silent(),
        second: () => new Silent(),
        isWanted: () => true,
        isFinal: () => true,
        won: (by) => won.push(by),
        lost: () => {}
      })
      yield* TestClock.adjust("3 seconds")
      race.interrupt()
      expect([won, race.settled instanceof Failed && Cause.isInterrupted(race.settled.cause)]).toEqual([[], true])
    })
  )

  it.effect("is stopped with the first by a client that leaves", () =>
    Effect.gen(function* () {
      const { log, resting, run } = yield* world({ a: Effect.never, b: Effect.never })
      const fiber = yield* Effect.fork(run)
      yield* TestClock.adjust("3 seconds")
      expect(Exit.isInterrupted(yield* Fiber.interrupt(fiber))).toBe(true)
      expect(log.slice(2).sort()).toEqual(["a interrupted", "b interrupted"])
      expect(resting()).toEqual(["a", "b"])
    })
  )
})
