import { describe, expect, it } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, Fiber, Runtime } from "effect"
import { runFuture, runFutureUninterruptible } from "../../src/flow/runFuture.ts"
import { Future } from "../../src/flow/Future.ts"
import type { Settled } from "../../src/flow/Future.ts"
import { toEffect } from "../../src/flow/toEffect.ts"
import { PendingFuture } from "../../src/flow/PendingFuture.ts"

/** Work whose end the test says. */
class Work extends PendingFuture<number, string> {
  abandoned = 0

  says(end: Settled<number, string>): void {
    this.end(end)
  }

  protected override abandon(): void {
    this.abandoned++
  }
}

/** What work comes to by plain calls; nothing while it is under way. */
const endsOf = <A, E>(begun: Future<A, E>) => {
  const ends: Array<Exit.Exit<A, E>> = []
  begun.onDone((end) => ends.push(end.exit))
  return ends
}

const runtime = Runtime.defaultRuntime

describe("begun work", () => {
  it("goes on at once where it has ended", () => {
    expect(endsOf(Future.succeed(1).map((n) => n + 1))).toEqual([Exit.succeed(2)])
    expect(endsOf(Future.fail("four").catchAll((error) => Future.succeed(error.length)))).toEqual([Exit.succeed(4)])
    expect(endsOf(Future.die("no").catchAll(() => Future.succeed(1)))).toEqual([Exit.die("no")])
    const count = { onSuccess: (n: number) => Future.succeed(n), onFailure: () => Future.succeed(0) }
    expect(endsOf(Future.fail("x").matchCause(count))).toEqual([Exit.succeed(0)])
    expect(endsOf(Future.succeed(7).matchCause(count))).toEqual([Exit.succeed(7)])
  })

  it("goes on at once when it ends, with all that follows", () => {
    const work = new Work()
    const log: Array<string> = []
    const ends = endsOf(
      work
        .map((n) => n + 1)
        .flatMap((n) => (n > 1 ? Future.succeed(n) : Future.fail("small")))
        .matchCause({
          onSuccess: (n) => {
            log.push("ok")
            return Future.succeed(n * 10)
          },
          onFailure: (cause) => {
            log.push(Cause.pretty(cause))
            return Future.succeed(0)
          }
        })
    )
    expect(ends).toEqual([])
    work.says(Future.succeed(1))
    expect(ends).toEqual([Exit.succeed(20)])
    work.says(Future.succeed(7))
    expect([ends.length, log, work.abandoned]).toEqual([1, ["ok"], 0])
  })

  it("is waited for by as many as like, and is itself whatever follows it", () => {
    const work = new Work()
    const [one, other, itself] = [endsOf(work.map((n) => n + 1)), endsOf(work.map(String)), endsOf(work)]
    work.says(Future.succeed(1))
    expect([one, other, itself]).toEqual([[Exit.succeed(2)], [Exit.succeed("1")], [Exit.succeed(1)]])
    expect(endsOf(work.map((n) => n + 2))).toEqual([Exit.succeed(3)])
  })

  it("may be followed by more work, which is waited for and interrupted in its place", () => {
    const [first, second] = [new Work(), new Work()]
    const whole = first
      .flatMap(() => second)
      .map((n) => n + 1)
      .matchCause({
        onSuccess: (n) => Future.succeed(String(n)),
        onFailure: (cause) => Future.succeed(Cause.isInterruptedOnly(cause) ? "interrupted" : "failed")
      })
    const ends = endsOf(whole)
    first.says(Future.succeed(1))
    expect(ends).toEqual([])
    whole.interrupt()
    expect(ends).toEqual([Exit.succeed("interrupted")])
    expect([first.abandoned, second.abandoned]).toEqual([0, 1])
    whole.interrupt()
    second.says(Future.succeed(1))
    expect([ends.length, second.abandoned]).toEqual([1, 1])
  })

  it("dies of what throws in what follows, whenever that is", () => {
    const defect = new Error("a defect")
    const thrower = () => {
      throw defect
    }
    const work = new Work()
    const all = [work.map(thrower), work.flatMap(thrower), work.matchCause({ onSuccess: thrower, onFailure: thrower })]
    const ends = all.map(endsOf)
    work.says(Future.succeed(1))
    expect(ends).toEqual(all.map(() => [Exit.die(defect)]))
    expect(endsOf(Future.attempt(thrower))).toEqual([Exit.die(defect)])
    expect(endsOf(Future.fail("x").catchAll(thrower))).toEqual([Exit.die(defect)])
  })
})

describe("an effect that is begun", () => {
  it("is over where it needs no fiber, and where its fiber waits for nothing", () => {
    expect(runFuture(runtime, Effect.succeed(1)).settled?.exit).toEqual(Exit.succeed(1))
    expect(runFuture(runtime, Effect.fail("no")).settled?.exit).toEqual(Exit.fail("no"))
    expect(
      runFuture(
        runtime,
        Effect.sync(() => 2)
      ).settled?.exit
    ).toEqual(Exit.succeed(2))
  })

  it.effect("has one fiber however many wait, and ends when that has stopped", () =>
    Effect.gen(function* () {
      let runs = 0
      const cleaned = yield* Deferred.make<void>()
      const effect = Effect.sync(() => runs++).pipe(
        Effect.zipRight(Effect.never),
        Effect.onInterrupt(() => Deferred.await(cleaned))
      )
      const begun = runFuture(yield* Effect.runtime(), effect)
      const both = yield* Effect.fork(
        Effect.zip(Effect.exit(toEffect(() => begun)), Effect.exit(toEffect(() => begun.map(() => 1))))
      )
      yield* Effect.yieldNow()
      begun.interrupt()
      yield* Effect.yieldNow()
      expect(begun.settled).toBeUndefined()
      yield* Deferred.succeed(cleaned, undefined)
      const [one, other] = yield* Fiber.join(both)
      expect([Exit.isInterrupted(one), Exit.isInterrupted(other), runs]).toEqual([true, true, 1])
    })
  )

  it.effect("goes on to its end where it must, and what follows it is stopped instead", () =>
    Effect.gen(function* () {
      const latch = yield* Deferred.make<number>()
      const next = new Work()
      const begun = runFutureUninterruptible(yield* Effect.runtime(), Deferred.await(latch))
      const whole = begun.flatMap(() => next)
      whole.interrupt()
      yield* Effect.yieldNow()
      expect([begun.settled, whole.settled]).toEqual([undefined, undefined])
      yield* Deferred.succeed(latch, 1)
      yield* Effect.yieldNow()
      expect(begun.settled?.exit).toEqual(Exit.succeed(1))
      expect(next.abandoned).toBe(1)
      expect(whole.settled?.exit).toMatchObject({ cause: { _tag: "Interrupt" } })
    })
  )
})

describe("the effect of begun work", () => {
  it.effect("begins whenever it is run, and so can be retried", () =>
    Effect.gen(function* () {
      let calls = 0
      const effect = toEffect(() => (++calls < 3 ? Future.fail("not yet") : Future.succeed(calls)))
      expect(calls).toBe(0)
      expect(yield* Effect.retry(effect, { times: 5 })).toBe(3)
    })
  )

  it.effect("stops the work when it is interrupted, and lets go of what came after all", () =>
    Effect.gen(function* () {
      const work = new Work()
      const fiber = yield* Effect.fork(toEffect(() => work))
      yield* Effect.yieldNow()
      yield* Fiber.interrupt(fiber)
      expect(work.abandoned).toBe(1)

      const latch = yield* Deferred.make<number>()
      const begun = runFutureUninterruptible(yield* Effect.runtime(), Deferred.await(latch))
      const lost: Array<number> = []
      const leaving = yield* Effect.fork(
        toEffect(
          () => begun,
          (n) => lost.push(n)
        )
      )
      yield* Effect.yieldNow()
      const left = yield* Effect.fork(Fiber.interrupt(leaving))
      yield* Deferred.succeed(latch, 7)
      expect(Exit.isInterrupted(yield* Fiber.join(left))).toBe(true)
      expect(lost).toEqual([7])
    })
  )

  it("is the only one: begun work is no effect", () => {
    const misused = (begun: Future<number, string>) => [
      // @ts-expect-error -- it would be done once, however often it is retried
      () => Effect.retry(begun, { times: 5 }),
      // @ts-expect-error -- and be one piece of work, not two
      () => Effect.zip(begun, begun),
      // @ts-expect-error -- and be made although it is never run
      (): Effect.Effect<number, string> => begun
    ]
    expect(misused(Future.succeed(1))).toHaveLength(3)
  })

  it("is not to be dropped, of which the linter hears", () => {
    const work = new Work()
    const dropping = (begun: Future<number, string>) => {
      // oxlint-disable-next-line typescript/no-floating-promises -- unused, and an error, where the linter says nothing
      begun.map((n) => n + 1)
      // oxlint-disable-next-line typescript/no-floating-promises -- the same
      Future.attempt(() => begun)
    }
    expect(dropping(work)).toBeUndefined()
    expect("then" in work).toBe(false)
  })
})
