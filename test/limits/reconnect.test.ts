import { describe, expect, it } from "@effect/vitest"
import { Context, Effect, Layer, Option, Redacted } from "effect"
import { Caller } from "../../src/contract/callers/Caller.ts"
import { Daemons } from "../../src/flow/Daemons.ts"
import { toEffect } from "../../src/flow/toEffect.ts"
import { Limits } from "../../src/limits/Limits.ts"
import { RedisUrl } from "../../src/limits/RedisUrl.ts"
import { FakeRedis, faults, steps } from "./fakeRedis.ts"
import type { Fault, Step } from "./fakeRedis.ts"

const caller = {
  ...Caller.unrestricted("a", "k"),
  keyLimits: { requestsPerMinute: 1_000 }
}

const gatewayAt = (url: string) =>
  Layer.fresh(Limits.Default).pipe(
    Layer.provide(Daemons.Default),
    Layer.provide(Layer.succeed(RedisUrl, Option.some(Redacted.make(url)))),
    Layer.build,
    Effect.map(Context.get(Limits))
  )

const fakeRedis = Effect.acquireRelease(
  Effect.sync(() => new FakeRedis()),
  (redis) => Effect.sync(() => redis.stop())
)

const countsIn = (limits: Limits, where: string) =>
  Effect.repeat(
    Effect.delay(
      Effect.sync(() => limits.countedWhere()),
      "20 millis"
    ),
    { until: (now) => now === where }
  )

const misbehavesAgain = (redis: FakeRedis) =>
  Effect.suspend(() => {
    const before = redis.wrongs
    return Effect.repeat(
      Effect.delay(
        Effect.sync(() => redis.wrongs),
        "20 millis"
      ),
      { until: (now) => now > before }
    )
  })

const cases = steps.flatMap((step) => faults.map((fault) => ({ step, fault })))

describe("a Redis that misbehaves", () => {
  it.live("at the start is asked again until it behaves, though no request comes", () =>
    Effect.forEach(cases, (wrong) => Effect.scoped(startsWith(wrong)), { concurrency: "unbounded", discard: true })
  )

  it.live("while it serves is asked again until it behaves, though no request comes", () =>
    Effect.forEach(cases, (wrong) => Effect.scoped(servesThen(wrong)), { concurrency: "unbounded", discard: true })
  )
})

interface Wrong {
  readonly step: Step
  readonly fault: Fault
}

const startsWith = (wrong: Wrong) =>
  Effect.gen(function* () {
    const redis = yield* fakeRedis
    redis.wrong = wrong
    const limits = yield* gatewayAt(redis.url)
    if (wrong.step === "request") yield* toEffect(() => limits.admit(caller))
    expect([wrong, limits.countedWhere()]).toEqual([wrong, "process while redis is away"])
    redis.wrong = undefined
    yield* countsIn(limits, "redis")
  })

const servesThen = (wrong: Wrong) =>
  Effect.gen(function* () {
    const redis = yield* fakeRedis
    const limits = yield* gatewayAt(redis.url)
    expect([wrong, limits.countedWhere()]).toEqual([wrong, "redis"])
    redis.wrong = { step: "request", fault: wrong.fault }
    yield* toEffect(() => limits.admit(caller))
    expect([wrong, limits.countedWhere()]).toEqual([wrong, "process while redis is away"])
    redis.wrong = wrong
    if (wrong.step !== "request") yield* misbehavesAgain(redis)
    redis.wrong = undefined
    yield* countsIn(limits, "redis")
  })
