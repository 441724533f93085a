import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, TestClock } from "effect"
import { RateLimited } from "../../src/contract/failures/Failure.ts"
import { runFuture } from "../../src/flow/runFuture.ts"
import { toEffect } from "../../src/flow/toEffect.ts"
import { plainLane } from "../../src/routing/Lane.ts"
import type { Requester } from "../../src/routing/Lane.ts"
import { RetryAfter } from "../../src/routing/RetryAfter.ts"
import type { Route } from "../../src/routing/Route.ts"
import { tryRoutes } from "../../src/routing/tryRoutes.ts"
import type { UpstreamError } from "../../src/upstreams/UpstreamError.ts"
import { refused, requester, tooMany, word } from "./generations.ts"

const memory = Effect.map(Effect.clock, (clock) => ({ coolDowns: new RetryAfter(clock) }))

/** The calls of a request over routes that fail or answer. */
const asked = Effect.fnUntraced(function* (
  routes: ReadonlyArray<Route>,
  who: Requester,
  answer: (route: Route) => UpstreamError | undefined,
  coolDowns?: RetryAfter
) {
  const runtime = yield* Effect.runtime()
  const known = coolDowns ?? new RetryAfter(yield* Effect.clock)
  const calls: Array<string> = []
  const run = toEffect(() =>
    tryRoutes({ runtime, coolDowns: known }, who, routes, (one) => {
      calls.push(`${one.upstream}${one.key ?? ""}`)
      return runFuture(runtime, answer(one) ?? Effect.succeed(word("yes")))
    })
  )
  const fiber = yield* Effect.fork(Effect.either(run))
  yield* TestClock.adjust("1 minute")
  return { calls: calls.join(" "), end: yield* Fiber.join(fiber) }
})

describe("a request that is larger than its upstream ever takes", () => {
  const beyond = refused({
    failure: new RateLimited({ retryAfterSeconds: null, neverFits: true }),
    retry: "elsewhere",
    rests: "nothing"
  })
  const pool = [
    { upstream: "a", model: "m", key: "1" },
    { upstream: "a", model: "m", key: "2" }
  ]

  it.effect("is sent with no other key and not again, but to another route, and rests nothing", () =>
    Effect.gen(function* () {
      const { coolDowns } = yield* memory
      expect((yield* asked(pool, requester("a"), () => beyond, coolDowns)).calls).toBe("a1")
      const other = { upstream: "b", model: "m" }
      const answer = ({ upstream }: Route) => (upstream === "a" ? beyond : undefined)
      expect((yield* asked([...pool, other], requester("a"), answer, coolDowns)).calls).toBe("a1 b")
      expect((yield* asked(pool, requester("a"), () => undefined, coolDowns)).calls).toBe("a1")
    })
  )
})

describe("a flex request whose lane is full", () => {
  /** Carries the tier where the route is not named `plain`. */
  const flex: Requester = {
    ...requester("a"),
    laneAt: ({ upstream }) => ({ ...plainLane, tier: upstream.startsWith("plain") ? "" : "flex" })
  }
  const full = tooMany(600, { part: "flex", isOfAll: true, isOfEveryKey: true })
  const routes = ["first", "plain", "second"].map((upstream) => ({ upstream, model: "m" }))

  it.effect("goes to another route's flex, and never to a dearer tier", () =>
    Effect.gen(function* () {
      const { coolDowns } = yield* memory
      const isFull = (name: string) => (one: Route) => (one.upstream === name ? full : undefined)
      expect((yield* asked(routes, flex, isFull("first"), coolDowns)).calls).toBe("first second")
      const { calls, end } = yield* asked(routes.slice(0, 2), flex, isFull("first"))
      expect([calls, end]).toMatchObject(["first", { left: { _tag: "RateLimited" } }])
      // Its deadline is known by now.
      expect((yield* asked(routes.slice(0, 2), flex, () => undefined, coolDowns)).calls).toBe("")
      expect((yield* asked(routes, flex, () => undefined, coolDowns)).calls).toBe("first")
    })
  )

  it.effect("leaves the standard tier alone", () =>
    Effect.gen(function* () {
      const { coolDowns } = yield* memory
      yield* asked(routes, flex, () => full, coolDowns)
      expect((yield* asked(routes, requester("b"), () => undefined, coolDowns)).calls).toBe("first")
      expect((yield* asked(routes.slice(0, 2), flex, () => undefined, coolDowns)).calls).toBe("")
    })
  )

  it.effect("is served at a dearer tier where the upstream itself fails", () =>
    Effect.gen(function* () {
      const down = ({ upstream }: Route) => (upstream === "first" ? refused() : undefined)
      expect((yield* asked(routes, flex, down)).calls).toBe("first plain")
    })
  )
})
