import { RateLimitStoreError } from "@effect/experimental/RateLimiter"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "@effect/vitest"
import { Context, Effect, Either, Layer, Logger, Option, Redacted } from "effect"
import { Caller, KeyId } from "../../src/contract/callers/Caller.ts"
import type { Limits as Bounds } from "../../src/contract/callers/Caller.ts"
import { Daemons } from "../../src/flow/Daemons.ts"
import { toEffect } from "../../src/flow/toEffect.ts"
import { makeAvailability } from "../../src/limits/Availability.ts"
import { Limits } from "../../src/limits/Limits.ts"
import type { Admission } from "../../src/limits/Limits.ts"
import { RedisUrl } from "../../src/limits/RedisUrl.ts"
import { sharedWindows } from "../../src/limits/sharedWindows.ts"
import type { Remote } from "../../src/limits/sharedWindows.ts"
import { startRedis, withoutRedis } from "./redisServer.ts"
import type { RedisServer } from "./redisServer.ts"

const callerWith = (keyLimits: Bounds): Caller => ({
  ...Caller.unrestricted("a", "k"),
  keyLimits
})
const model = { id: "m" }

const oneProcess = (url: string) =>
  Layer.fresh(Limits.Default).pipe(
    Layer.provide(Daemons.Default),
    Layer.provide(Layer.succeed(RedisUrl, Option.some(Redacted.make(url)))),
    Layer.build,
    Effect.map(Context.get(Limits))
  )

const admitted = (limits: Limits, caller: Caller) =>
  Effect.flatMap(
    toEffect(() => limits.admit(caller)),
    ({ refusal }) => (refusal === undefined ? Effect.void : Effect.fail(refusal))
  )

const begun = (limits: Limits, caller: Caller) => Effect.either(toEffect(() => limits.begin(caller, model, () => 0)))

const permits = (results: ReadonlyArray<Either.Either<Admission, unknown>>) =>
  results.flatMap((result) => (Either.isRight(result) ? [result.right] : []))

describe.skipIf(withoutRedis("test/limits/redis.test.ts"))("limits in Redis", () => {
  let redis: RedisServer
  beforeAll(async () => {
    redis = await startRedis()
  })
  afterEach(() => redis.client.send("FLUSHALL", []))
  afterAll(() => redis.dispose())

  it.scopedLive("are shared by every process", () =>
    Effect.gen(function* () {
      const caller = callerWith({ requestsPerMinute: 5 })
      const admit = (limits: Limits) => Effect.either(admitted(limits, caller))
      const [first, second] = yield* Effect.all([oneProcess(redis.url), oneProcess(redis.url)])
      const before = yield* minuteOf(redis)
      const results = yield* Effect.all(
        Array.from({ length: 12 }, (_, index) => admit(index % 2 === 0 ? first : second)),
        { concurrency: "unbounded" }
      )
      const minutes = before === (yield* minuteOf(redis)) ? 1 : 2
      const taken = results.filter(Either.isRight).length
      expect(taken).toBeLessThanOrEqual(5 * minutes)
      expect(taken).toBeGreaterThanOrEqual(5)
    })
  )

  it.scopedLive("a minute are known to a Redis that has begun anew, with what was counted meanwhile", () =>
    withinAMinute(redis, (name) =>
      Effect.gen(function* () {
        const caller = { ...callerWith({ requestsPerMinute: 6 }), key: KeyId.make(name) }
        const [first, second] = yield* Effect.all([oneProcess(redis.url), oneProcess(redis.url)])
        for (const limits of [first, first, second]) yield* admitted(limits, caller)
        yield* Effect.promise(() => redis.kill())
        yield* admitted(second, caller)
        const where = second.countedWhere()
        yield* Effect.promise(() => redis.start())
        // Each tells what it has taken as soon as it is connected, whether or not it has noticed anything.
        const told = Effect.promise(() => redis.client.hget(`gateway:limits:requests:key:${name}`, "all"))
        for (let look = 0; look < 500 && (yield* told) !== "4"; look++) yield* Effect.sleep("20 millis")
        const taken = yield* Effect.all(
          [first, second, first, second].map((limits) => Effect.either(admitted(limits, caller)))
        )
        return () => {
          expect(where).toBe("process while redis is away")
          expect(taken.filter(Either.isRight)).toHaveLength(2)
        }
      })
    )
  )

  it.scopedLive("a minute count what was used, and not what was set aside", () =>
    withinAMinute(redis, (name) =>
      Effect.gen(function* () {
        const caller = { ...callerWith({ tokensPerMinute: 100 }), key: KeyId.make(name) }
        const [first, second] = yield* Effect.all([oneProcess(redis.url), oneProcess(redis.url)])
        const begin = (limits: Limits, tokens: number) =>
          Effect.either(toEffect(() => limits.begin(caller, model, () => tokens)))
        const running = permits([yield* begin(first, 90)])
        const refused = yield* begin(second, 20)
        for (const one of running) one.done(30)
        const counted = Effect.promise(() => redis.client.hget(`gateway:limits:tokens:key:${name}`, "all"))
        for (let look = 0; look < 500 && (yield* counted) !== "30"; look++) yield* Effect.sleep("20 millis")
        const fits = yield* begin(second, 70)
        const full = yield* begin(first, 1)
        return () => {
          expect(running).toHaveLength(1)
          expect([refused, fits, full].map(Either.isRight)).toEqual([false, true, false])
        }
      })
    )
  )

  it.scopedLive("of requests at once hold for all processes together, and what ends makes room everywhere", () =>
    Effect.gen(function* () {
      const caller = callerWith({ concurrentRequests: 10 })
      const nodes = yield* Effect.all([1, 2, 3].map(() => oneProcess(redis.url)))
      const all = yield* Effect.all(
        Array.from({ length: 200 }, (_, index) => begun(nodes[index % 3] ?? never(), caller)),
        { concurrency: "unbounded" }
      )
      // Of those that come at once each may be in the way of another, but never do more get in.
      const running = permits(all)
      expect(running.length).toBeLessThanOrEqual(10)
      expect(running.length).toBeGreaterThan(0)
      while (running.length < 10) running.push(...permits([yield* begun(nodes[0] ?? never(), caller)]))
      for (const node of nodes) {
        const refused = yield* Effect.flip(toEffect(() => node.begin(caller, model, () => 0)))
        expect(refused.message).toBe("Too many requests at once: this API key may have 10 running")
      }
      for (const one of running.splice(0, 4)) one.done(0)
      while (running.length < 10) running.push(...permits([yield* begun(nodes[1] ?? never(), caller)]))
      expect(permits([yield* begun(nodes[2] ?? never(), caller)])).toEqual([])
    })
  )

  it.scopedLive("are known to a Redis that has begun anew, which had forgotten them", () =>
    Effect.gen(function* () {
      const caller = callerWith({ concurrentRequests: 3 })
      const [first, second] = yield* Effect.all([oneProcess(redis.url), oneProcess(redis.url)])
      expect(permits([yield* begun(first, caller), yield* begun(first, caller)])).toHaveLength(2)
      yield* Effect.promise(() => redis.kill())
      // Meanwhile each process counts what it runs itself.
      const alone = permits([yield* begun(second, caller), yield* begun(second, caller), yield* begun(second, caller)])
      expect(alone).toHaveLength(3)
      expect(permits([yield* begun(second, caller)])).toEqual([])
      expect(second.countedWhere()).toBe("process while redis is away")
      yield* Effect.promise(() => redis.start())
      for (const one of alone.slice(1)) one.done(0)
      // Both find out that it is back, and tell what they run: two and one.
      while (second.countedWhere() !== "redis" || first.countedWhere() !== "redis") {
        for (const node of [first, second]) for (const one of permits([yield* begun(node, caller)])) one.done(0)
        yield* Effect.sleep("20 millis")
      }
      const told = async () => (await redis.client.send("HVALS", ["gateway:permits:key:k"])) as ReadonlyArray<string>
      while ((yield* Effect.promise(told)).toSorted().join() !== "1,2") yield* Effect.sleep("20 millis")
      expect(permits([yield* begun(first, caller)])).toEqual([])
      expect(permits([yield* begun(second, caller)])).toEqual([])
    })
  )

  it.scopedLive(
    "that ended while Redis did not answer block no one once it does",
    () =>
      Effect.gen(function* () {
        const caller = callerWith({ concurrentRequests: 1 })
        const [first, second] = yield* Effect.all([oneProcess(redis.url), oneProcess(redis.url)])
        const running = permits([yield* begun(first, caller)])
        expect(running).toHaveLength(1)
        // Something else goes on there, so that it is heard of.
        const other = { ...caller, key: KeyId.make("other") }
        expect(permits([yield* begun(first, other)])).toHaveLength(1)
        redis.signal("SIGSTOP")
        yield* admitted(first, callerWith({ requestsPerMinute: 1_000 }))
        expect(first.countedWhere()).toBe("process while redis is away")
        for (const one of running) one.done(0)
        redis.signal("SIGCONT")
        // It finds out by another's requests, and asks nothing of this one any more.
        while (first.countedWhere() !== "redis") {
          yield* admitted(first, callerWith({ requestsPerMinute: 1_000 }))
          yield* Effect.sleep("20 millis")
        }
        while (permits([yield* begun(second, caller)]).length === 0) yield* Effect.sleep("20 millis")
      }),
    // Without being told it would be forgotten in a minute.
    30_000
  )

  it.scopedLive("of a process that is silent are free", () =>
    Effect.gen(function* () {
      const caller = callerWith({ concurrentRequests: 1 })
      // It told that it has one running, and died.
      yield* Effect.promise(() => redis.client.send("HSET", ["gateway:permits:key:k", "dead", "1"]))
      yield* Effect.promise(() => redis.client.send("ZADD", ["gateway:permits", String(Date.now() + 60_000), "dead"]))
      const limits = yield* oneProcess(redis.url)
      expect(permits([yield* begun(limits, caller)])).toEqual([])
      yield* Effect.promise(() => redis.client.send("ZADD", ["gateway:permits", String(Date.now() - 1), "dead"]))
      expect(permits([yield* begun(limits, caller)])).toHaveLength(1)
    })
  )

  it.scopedLive("that hangs holds up no request once it is known", () =>
    Effect.gen(function* () {
      const caller = callerWith({ concurrentRequests: 5, requestsPerMinute: 1_000 })
      const limits = yield* oneProcess(redis.url)
      yield* admitted(limits, caller)
      redis.signal("SIGSTOP")
      yield* admitted(limits, caller)
      expect(limits.countedWhere()).toBe("process while redis is away")
      expect(permits([yield* begun(limits, caller), yield* begun(limits, caller)])).toHaveLength(2)
      redis.signal("SIGCONT")
      while (limits.countedWhere() !== "redis") {
        yield* admitted(limits, caller)
        yield* Effect.sleep("20 millis")
      }
    })
  )
})

describe("limits without their Redis", () => {
  it.scoped("are counted by each process", () =>
    Effect.gen(function* () {
      const caller = callerWith({ requestsPerMinute: 1 })
      const limits = yield* oneProcess("redis://127.0.0.1:9")
      yield* admitted(limits, caller)
      expect(limits.countedWhere()).toBe("process while redis is away")
      const refused = yield* Effect.flip(admitted(limits, caller))
      expect(refused.message).toBe("Too many requests: this API key has 1 a minute")
    })
  )

  it.effect("ask for nothing until it is back, and the log says each once", () =>
    Effect.gen(function* () {
      const lines: Array<unknown> = []
      const log = Logger.make(({ message }) => lines.push(message))
      let asked = 0
      const remote: Remote = {
        take: () =>
          Effect.suspend(() =>
            ++asked === 1
              ? Effect.fail(new RateLimitStoreError({ message: "Redis does not answer", cause: undefined }))
              : Effect.succeed({ count: 1, leftMs: 1, nowMs: 1_000 * asked })
          ),
        correct: () => {}
      }
      const availability = makeAvailability()
      const windows = sharedWindows(remote, yield* Effect.clock, availability)
      const logged = Effect.provide(Logger.replace(Logger.defaultLogger, log))
      const take = logged(windows.take("k", 1, 10))
      for (let n = 1; n <= 5; n++) expect((yield* take).count).toBe(n)
      expect([asked, windows.where()]).toEqual([1, "process while redis is away"])
      yield* logged(availability.back)
      yield* take
      yield* take
      expect([asked, windows.where()]).toEqual([3, "redis"])
      expect(lines.flat()).toEqual([
        "Redis does not answer; each process counts limits on its own until it is back",
        "limits are counted in Redis again"
      ])
    })
  )
})

/** Which minute it is there. */
const minuteOf = (redis: RedisServer) =>
  Effect.promise(async () => {
    const [seconds] = (await redis.client.send("TIME", [])) as ReadonlyArray<string>
    return Math.floor(Number(seconds) / 60)
  })

/** Runs it with a name of its own until one minute there has seen all of it, and then has it judged. */
const withinAMinute = <E, R>(
  redis: RedisServer,
  run: (name: string) => Effect.Effect<() => void, E, R>,
  attempt = 1
): Effect.Effect<void, E, R> =>
  Effect.gen(function* () {
    const before = yield* minuteOf(redis)
    const judge = yield* run(`k${attempt}`)
    if (before === (yield* minuteOf(redis)) || attempt === 5) return judge()
    yield* withinAMinute(redis, run, attempt + 1)
  })

const never = (): never => {
  throw new Error("no such process")
}
