import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Context, Deferred, Duration, Effect, Fiber, Layer, Option, Redacted } from "effect"
import { AccountId } from "../../src/contract/callers/Caller.ts"
import { Future } from "../../src/flow/Future.ts"
import { Daemons } from "../../src/flow/Daemons.ts"
import { toEffect } from "../../src/flow/toEffect.ts"
import type { Generation } from "../../src/generation/Generation.ts"
import { RedisUrl } from "../../src/limits/RedisUrl.ts"
import { SharedBulkheads } from "../../src/catalogue/SharedBulkheads.ts"
import { usualRules } from "../../src/routing/CircuitBreakerRules.ts"
import { makeBulkhead, through } from "../../src/routing/Bulkhead.ts"
import type { Bulkhead } from "../../src/routing/Bulkhead.ts"
import { startRedis, withoutRedis } from "../limits/redisServer.ts"
import type { RedisServer } from "../limits/redisServer.ts"

const account = AccountId.make("team")
const generation = (): Generation => ({ next: () => undefined, cancel: () => {} })

describe.skipIf(withoutRedis("test/catalogue/sharedLanes.test.ts"))("lanes of several processes", () => {
  let redis: RedisServer
  beforeAll(async () => {
    redis = await startRedis()
  })
  afterAll(() => redis.dispose())

  const oneProcess = Effect.suspend(() =>
    Layer.fresh(SharedBulkheads.layer).pipe(
      Layer.provide(Daemons.Default),
      Layer.provide(Layer.succeed(RedisUrl, Option.some(Redacted.make(redis.url)))),
      Layer.build,
      Effect.map(Context.get(SharedBulkheads))
    )
  )
  const laneOf = (process: Context.Tag.Service<typeof SharedBulkheads>, name: string, most: number) =>
    makeBulkhead({
      maxConcurrency: most,
      room: process.roomOf(name, most),
      queueDeadline: Duration.minutes(1),
      opened: (forMs) => process.opened(name, forMs)
    })
  const call = (lane: Bulkhead) => toEffect(() => through(lane, account, () => Future.succeed(generation())))

  it.scopedLive("let so many calls through together, and the next when one of them ends, wherever that was", () =>
    Effect.gen(function* () {
      const [one, other] = yield* Effect.all([oneProcess, oneProcess])
      const [first, second] = yield* Effect.all([laneOf(one, "narrow", 2), laneOf(other, "narrow", 2)])
      const running = yield* Effect.all([call(first), call(second)])
      const waiting = yield* Effect.fork(call(second))
      const told = yield* Deferred.make<void>()
      yield* Effect.fork(Effect.zipRight(Fiber.await(waiting), Deferred.succeed(told, undefined)))
      // It is asked for again and again, and refused.
      yield* Effect.sleep("200 millis")
      expect(yield* Deferred.isDone(told)).toBe(false)
      for (const each of running.slice(0, 1)) each.cancel()
      ;(yield* Fiber.join(waiting)).cancel()
      for (const each of running.slice(1)) each.cancel()
    })
  )

  it.scopedLive("leave nothing behind when a caller leaves the line", () =>
    Effect.gen(function* () {
      const process = yield* oneProcess
      const lane = yield* laneOf(process, "left", 1)
      const running = yield* call(lane)
      const waiting = yield* Effect.fork(call(lane))
      yield* Effect.yieldNow()
      yield* Fiber.interrupt(waiting)
      running.cancel()
      for (let n = 0; n < 3; n++) (yield* call(lane)).cancel()
      expect([lane.slots?.running, lane.slots?.waiting]).toEqual([0, 0])
    })
  )

  it.scopedLive("hear of a circuit that opened elsewhere, once: the next failure is enough there", () =>
    Effect.gen(function* () {
      const [one, other] = yield* Effect.all([oneProcess, oneProcess])
      const [first, second] = yield* Effect.all([laneOf(one, "failing", 9), laneOf(other, "failing", 9)])
      const look = other.look ?? (() => Effect.void)
      const lanes = new Map([["failing", second]])
      const permitOf = (lane: Bulkhead) => {
        const permit = lane.circuit.enter(account, Date.now())
        if (permit === undefined) throw new Error("it is open")
        return permit
      }
      const fail = (lane: Bulkhead) => lane.circuit.recordFailure(permitOf(lane), Date.now(), true)
      const state = (lane: Bulkhead) => lane.circuit.state(Date.now())
      fail(second)
      expect(state(second)).toBe("closed")
      for (let n = 0; n < usualRules.leastCalls; n++) fail(first)
      expect(state(first)).toBe("open")
      while ((yield* Effect.promise(() => redis.client.get("gateway:circuits:failing"))) === null) {
        yield* Effect.sleep("5 millis")
      }
      yield* look(lanes)
      // Who is well there stays well, and what was heard once is not heard again.
      second.circuit.recordSuccess(permitOf(second), Date.now())
      yield* look(lanes)
      fail(second)
      expect(state(second)).toBe("closed")
      yield* Effect.promise(() => redis.client.set("gateway:circuits:failing", "another opening"))
      yield* look(lanes)
      fail(second)
      expect(state(second)).toBe("open")
    })
  )
})
