import { describe, expect, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Exit, Fiber, TestClock } from "effect"
import { AccountId } from "../../src/contract/callers/Caller.ts"
import { InvalidRequest, UpstreamFailed } from "../../src/contract/failures/Failure.ts"
import type { Failure } from "../../src/contract/failures/Failure.ts"
import { Descriptors } from "../../src/flow/Descriptors.ts"
import { runFuture } from "../../src/flow/runFuture.ts"
import { toEffect } from "../../src/flow/toEffect.ts"
import type { Generation } from "../../src/generation/Generation.ts"
import { makeBulkhead, makeQueue, through } from "../../src/routing/Bulkhead.ts"
import type { Bulkhead, Queue } from "../../src/routing/Bulkhead.ts"
import { unreachable } from "../../src/upstreams/calls/connectionFailure.ts"
import type { UpstreamError } from "../../src/upstreams/UpstreamError.ts"
import { refused, tooMany, word } from "./generations.ts"

const rules = { windowMs: 60_000, leastCalls: 2, failureRate: 0.5, openMs: 1_000, openAtMostMs: 1_000 }
const lane = (maxConcurrency?: number) => makeBulkhead({ maxConcurrency, queueDeadline: Duration.seconds(30), rules })
/** Makes a call whenever it is run. */
const make = (lane: Bulkhead, call: Effect.Effect<Generation, Failure | UpstreamError>, account = "one") =>
  toEffect(
    () => through(lane, AccountId.make(account), () => runFuture(lane.runtime, call)),
    (generation) => generation.cancel()
  )

/** Makes a call of a route with a queue of its own. */
const makeAt = (lane: Bulkhead, ofRoute: Queue, call: Effect.Effect<Generation, Failure | UpstreamError>) =>
  toEffect(
    () => through(lane, AccountId.make("one"), () => runFuture(lane.runtime, call), undefined, ofRoute),
    (generation) => generation.cancel()
  )

/** Lets so many microtasks run. */
const turns = (n: number) =>
  Effect.promise(async () => {
    for (let i = 0; i < n; i++) await Promise.resolve()
  })

describe("the line of an upstream", () => {
  it.effect("opens no circuit for calls that the gateway itself could not make", () =>
    Effect.gen(function* () {
      const up = yield* lane()
      const short = unreachable(
        "ECONNREFUSED",
        undefined,
        new Descriptors(
          () => 400,
          () => 400
        )
      )
      const far = unreachable(
        "ECONNREFUSED",
        undefined,
        new Descriptors(
          () => 400,
          () => 40
        )
      )
      expect([short.keptBack, short.neverSent, short.failure._tag]).toEqual([true, true, "RateLimited"])
      for (let call = 0; call < 20; call++) yield* Effect.flip(make(up, Effect.fail(short), `${call}`))
      expect(up.circuit.state(up.clock.unsafeCurrentTimeMillis())).toBe("closed")
      yield* make(
        up,
        Effect.sync(() => word("hi"))
      )
      for (let call = 0; call < 20; call++) yield* Effect.flip(make(up, Effect.fail(far), `${call}`))
      expect(up.circuit.state(up.clock.unsafeCurrentTimeMillis())).toBe("open")
    })
  )

  it.effect("and that of a route are waited for as long as for one", () =>
    Effect.gen(function* () {
      const up = yield* lane(1)
      const route = yield* makeQueue({ maxConcurrency: 1, queueDeadline: Duration.seconds(30), room: undefined })
      const call = Effect.sync(() => word("hi"))
      yield* make(up, call)
      const place = route.slots?.take(AccountId.make("one"))
      const waiting = yield* Effect.fork(makeAt(up, route, call))
      yield* TestClock.adjust("20 seconds")
      place?.leave()
      yield* TestClock.adjust("9 seconds")
      expect(waiting.unsafePoll()).toBeNull()
      yield* TestClock.adjust("1 second")
      expect(waiting.unsafePoll()).toMatchObject({ _tag: "Failure" })
      yield* Fiber.interrupt(waiting)
    })
  )

  it.effect("serves as many at a time as it may, in the order they came", () =>
    Effect.gen(function* () {
      const up = yield* lane(2)
      const served: Array<number> = []
      const calls = yield* Effect.forEach([0, 1, 2, 3, 4], (n) =>
        Effect.fork(
          make(
            up,
            Effect.sync(() => {
              served.push(n)
              return word("hi")
            })
          )
        )
      )
      yield* TestClock.adjust("1 second")
      expect(served).toEqual([0, 1])
      const [first, second] = calls
      if (first === undefined || second === undefined) throw new Error("no calls")
      ;(yield* Fiber.join(second)).cancel()
      yield* TestClock.adjust("1 second")
      expect(served).toEqual([0, 1, 2])
      const generation = yield* Fiber.join(first)
      generation.cancel()
      generation.cancel()
      yield* TestClock.adjust("1 second")
      expect(served).toEqual([0, 1, 2, 3])
      expect(up.slots?.waiting).toBe(1)
      yield* Fiber.interruptAll(calls)
    })
  )

  it.effect("is left after its deadline, with a failure that another upstream may answer", () =>
    Effect.gen(function* () {
      const up = yield* lane(1)
      yield* make(up, Effect.succeed(word("hi")))
      const waiting = yield* Effect.fork(Effect.flip(make(up, Effect.succeed(word("never")))))
      yield* TestClock.adjust("29 seconds")
      expect(up.slots?.waiting).toBe(1)
      yield* TestClock.adjust("1 second")
      expect(yield* Fiber.join(waiting)).toMatchObject({ retry: "elsewhere", failure: { _tag: "RateLimited" } })
      expect(up.slots).toMatchObject({ waiting: 0, running: 1 })
    })
  )

  it.effect("goes on behind calls that fail, die or are interrupted at any step", () =>
    Effect.gen(function* () {
      const up = yield* lane(1)
      yield* Effect.exit(make(up, Effect.fail(refused({ retry: "never" }))))
      yield* Effect.exit(make(up, Effect.dieMessage("a defect")))
      for (let steps = 0; steps < 200; steps++) {
        const holder = yield* make(up, Effect.succeed(word("hi")))
        const call: Effect.Effect<Generation> = Effect.as(turns(2), word("hi"))
        const answered = Effect.flatMap(make(up, call), (generation) =>
          Effect.onInterrupt(Effect.interruptible(Effect.never), () => Effect.sync(() => generation.cancel()))
        )
        const fiber = yield* Effect.fork(Effect.uninterruptible(answered).pipe(Effect.withMaxOpsBeforeYield(10)))
        yield* turns(steps % 20)
        holder.cancel()
        yield* turns(steps / 10)
        yield* Fiber.interrupt(fiber)
        expect(up.slots).toMatchObject({ waiting: 0, running: 0 })
      }
    })
  )
})

describe("the circuit of an upstream", () => {
  const failing = Effect.fail(refused())
  const isOpen = (up: Bulkhead) =>
    Effect.map(Effect.exit(make(up, Effect.succeed(word("hi")))), (exit) => Exit.isFailure(exit))

  it.effect("opens when it fails, is tried with one call after a while, and closes when that succeeds", () =>
    Effect.gen(function* () {
      const up = yield* lane()
      yield* Effect.exit(make(up, failing))
      yield* Effect.exit(make(up, failing))
      expect(yield* Effect.flip(make(up, Effect.dieMessage("called")))).toMatchObject({
        retry: "elsewhere",
        failure: { _tag: "UpstreamFailed", retryAfterSeconds: 1 }
      })
      yield* TestClock.adjust("1 second")
      const answer = yield* Deferred.make<void>()
      const probe = yield* Effect.fork(make(up, Effect.as(Deferred.await(answer), word("hi"))))
      yield* Effect.yieldNow()
      expect(yield* isOpen(up)).toBe(true)
      yield* Deferred.succeed(answer, undefined)
      yield* Fiber.join(probe)
      expect(yield* isOpen(up)).toBe(false)
    })
  )

  it.effect("is not opened by an upstream that is there but says no, nor by callers that leave", () =>
    Effect.gen(function* () {
      const up = yield* lane()
      const no = refused({ failure: new InvalidRequest({ param: null }), retry: "never" })
      for (let n = 0; n < 5; n++) {
        yield* Effect.exit(make(up, Effect.fail(tooMany(1))))
        yield* Effect.exit(make(up, Effect.fail(no)))
        yield* Effect.exit(make(up, Effect.fail(new InvalidRequest({ param: null }))))
        yield* Effect.flatMap(Effect.fork(make(up, Effect.never)), Fiber.interrupt)
      }
      expect(yield* isOpen(up)).toBe(false)
    })
  )

  it.effect("counts answers that break off", () =>
    Effect.gen(function* () {
      const up = yield* lane()
      for (let n = 0; n < 2; n++) {
        const generation = yield* make(up, Effect.succeed(word("hi", new UpstreamFailed({}))))
        while (generation.next() !== undefined);
      }
      expect(yield* isOpen(up)).toBe(true)
    })
  )

  it.effect("lets another probe through when the one that was let through is left", () =>
    Effect.gen(function* () {
      const up = yield* lane()
      yield* Effect.exit(make(up, failing))
      yield* Effect.exit(make(up, failing))
      yield* TestClock.adjust("1 second")
      yield* Effect.flatMap(Effect.fork(make(up, Effect.never)), Fiber.interrupt)
      expect(yield* isOpen(up)).toBe(false)
    })
  )

  it.effect("opens for the account alone whose calls fail, and lets others through", () =>
    Effect.gen(function* () {
      const up = yield* lane()
      for (let n = 0; n < 20; n++) yield* Effect.exit(make(up, failing))
      expect(yield* Effect.flip(make(up, failing))).toMatchObject({
        failure: { message: expect.stringContaining("account") }
      })
      expect(yield* Effect.exit(make(up, Effect.succeed(word("hi")), "other"))).toMatchObject({ _tag: "Success" })
    })
  )

  it.effect("opens for every account when the upstream is unreachable", () =>
    Effect.gen(function* () {
      const up = yield* lane()
      for (let n = 0; n < 2; n++) yield* Effect.exit(make(up, Effect.fail(refused({ trouble: "unreachable" }))))
      expect(yield* Effect.flip(make(up, Effect.dieMessage("called"), "other"))).toMatchObject({ keptBack: true })
    })
  )
})
