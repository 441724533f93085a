import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Context, Effect, Layer, Logger, Option, Redacted } from "effect"
import type { Sentinel } from "../../src/config/sections/Redis.ts"
import { Caller } from "../../src/contract/callers/Caller.ts"
import { Daemons } from "../../src/flow/Daemons.ts"
import { toEffect } from "../../src/flow/toEffect.ts"
import { Limits } from "../../src/limits/Limits.ts"
import { RedisUrl } from "../../src/limits/RedisUrl.ts"
import { withoutRedis } from "./redisServer.ts"
import { redisPassword, startSentinels } from "./sentinels.ts"
import type { SentinelledRedis } from "./sentinels.ts"

const gatewayWith = (sentinel: Sentinel) =>
  Layer.fresh(Limits.Default).pipe(
    Layer.provide(Daemons.Default),
    Layer.provide(Layer.succeed(RedisUrl, Option.some(sentinel))),
    Layer.build,
    Effect.map(Context.get(Limits))
  )

const countsIn = (limits: Limits, where: string) =>
  Effect.repeat(
    Effect.delay(
      Effect.sync(() => limits.countedWhere()),
      "20 millis"
    ),
    { until: (now) => now === where }
  )

describe.skipIf(withoutRedis("test/limits/sentinel.test.ts"))("a Redis behind sentinels", () => {
  let redis: SentinelledRedis
  beforeAll(async () => {
    redis = await startSentinels()
  }, 120_000)
  afterAll(() => redis.dispose())

  const sentinel = (change: Partial<Sentinel> = {}): Sentinel => ({
    hosts: redis.hosts,
    name: "limits",
    password: Redacted.make(redisPassword),
    ...change
  })

  it.scopedLive(
    "is found, though the first sentinel is gone, and followed when its master is killed",
    () =>
      Effect.gen(function* () {
        const limits = yield* gatewayWith(sentinel())
        expect(limits.countedWhere()).toBe("redis")
        const before = yield* Effect.promise(() => redis.master())
        expect(redis.ports).toContain(before)
        const caller = { ...Caller.unrestricted("a", "k"), keyLimits: { requestsPerMinute: 1_000 } }
        yield* Effect.promise(() => redis.kill(before))
        yield* countsIn(limits, "process while redis is away")
        // Requests go on meanwhile.
        expect((yield* toEffect(() => limits.admit(caller))).refusal).toBeUndefined()
        yield* countsIn(limits, "redis")
        expect(redis.ports).toContain(yield* Effect.promise(() => redis.master()))
        expect(yield* Effect.promise(() => redis.master())).not.toBe(before)
      }),
    120_000
  )

  for (const [what, change] of [
    ["a wrong password", { password: Redacted.make("wrong") }],
    ["no password", { password: undefined }],
    ["another name", { name: "other" }],
    ["sentinels that are away", { hosts: ["127.0.0.1:1", "127.0.0.1:2"] }]
  ] satisfies ReadonlyArray<readonly [string, Partial<Sentinel>]>) {
    it.scopedLive(`with ${what} is away, and the log says so without the password`, () =>
      Effect.gen(function* () {
        const lines: Array<string> = []
        const log = Logger.replace(
          Logger.defaultLogger,
          Logger.make(({ message }) => void lines.push(String(message)))
        )
        const limits = yield* Effect.provide(gatewayWith(sentinel(change)), log)
        expect(limits.countedWhere()).toBe("process while redis is away")
        const name = change.name ?? "limits"
        expect(lines.join("\n")).toContain(`no sentinel names a master "${name}" that answers and takes writes`)
        expect(lines.join("\n")).not.toMatch(/wrong|p@ss/)
      })
    )
  }
})
