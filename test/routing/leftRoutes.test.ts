import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, TestClock } from "effect"
import { runFuture } from "../../src/flow/runFuture.ts"
import { toEffect } from "../../src/flow/toEffect.ts"
import { RetryAfter } from "../../src/routing/RetryAfter.ts"
import { tryRoutes } from "../../src/routing/tryRoutes.ts"
import { refused, requester } from "./generations.ts"

/** Runs with as much time as it needs. */
const settled = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.fork(effect)
    yield* TestClock.adjust("5 minutes")
    return yield* Fiber.join(fiber)
  })

describe("a model's routes", () => {
  it.effect("are not left for others once the client has left", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const [runtime, clock] = yield* Effect.all([Effect.runtime(), Effect.clock])
      const routes = ["a", "b"].map((upstream) => ({ upstream, model: "m" }))
      const routing = { runtime, coolDowns: new RetryAfter(clock) }
      const run = (isLeft: boolean) =>
        toEffect(() =>
          tryRoutes(routing, { ...requester("one"), isLeft }, routes, ({ upstream }) => {
            asked.push(upstream)
            return runFuture(runtime, Effect.fail(refused()))
          })
        )
      yield* settled(Effect.flip(run(true)))
      expect(asked).toEqual(["a"])
      yield* settled(Effect.flip(run(false)))
      expect(asked.length).toBeGreaterThan(2)
    })
  )
})
