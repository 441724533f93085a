import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Fiber, TestClock, TestContext } from "effect"
import * as fc from "effect/FastCheck"
import { InvalidRequest, RateLimited, UpstreamFailed } from "../../src/contract/failures/Failure.ts"
import { Future } from "../../src/flow/Future.ts"
import { toEffect } from "../../src/flow/toEffect.ts"
import type { Rest } from "../../src/generation/Rest.ts"
import { makeBulkhead, through } from "../../src/routing/Bulkhead.ts"
import type { Lane, Requester } from "../../src/routing/Lane.ts"
import { RetryAfter } from "../../src/routing/RetryAfter.ts"
import type { Route } from "../../src/routing/Route.ts"
import { tryRoutes } from "../../src/routing/tryRoutes.ts"
import { UpstreamError } from "../../src/upstreams/UpstreamError.ts"
import { refused, requester, word } from "./generations.ts"

const parts = ["lane", "shared", "tier", "flex", "fast", "long", "search", "model", "group", "key"] as const

/** Rests that the upstream does not say to be of all callers. */
const rest: fc.Arbitrary<Rest> = fc.oneof(
  fc.constant("nothing" as const),
  fc.record({ part: fc.constantFrom(...parts) }),
  fc.record({ part: fc.constantFrom(...parts), isOfEveryKey: fc.constant(true as const) })
)

const retryAfterMs = fc.constantFrom(undefined, 1_000, 60_000, 600_000)
const limited = fc.record({ rests: rest, retryAfterMs, status: fc.constantFrom(429, 498, 529, 503) }).map(
  (more) =>
    new UpstreamError({
      failure: new RateLimited({ retryAfterSeconds: null }),
      retry: "again",
      trouble: "saturated",
      ...more
    })
)
const failed = fc
  .record({
    retryAfterMs,
    retry: fc.constantFrom("again" as const, "elsewhere" as const),
    status: fc.constantFrom(401, 403, 500, 503, undefined)
  })
  .map(
    (more) =>
      new UpstreamError({
        failure: new UpstreamFailed({}),
        ...more,
        ...(more.status === 401 || more.status === 403 ? { trouble: "refused-key" } : {})
      })
  )
const wrong = refused({ failure: new InvalidRequest({ param: null }), retry: "never" })
/** `cut`: the answer breaks in its middle. */
const outcome = fc.oneof(limited, failed, fc.constantFrom("answers" as const, "cut" as const, wrong))

const lane: fc.Arbitrary<Partial<Lane> & { readonly tokens: number }> = fc.record({
  tier: fc.constantFrom("" as const, "flex" as const, "ultrafast" as const, "priority" as const),
  isFast: fc.boolean(),
  isLong: fc.boolean(),
  searches: fc.boolean(),
  tokens: fc.constantFrom(0, 10, 100_000)
})
type Outcome = typeof outcome extends fc.Arbitrary<infer A> ? A : never

const oneCall = fc.record({
  lane,
  outcomes: fc.array(outcome, { minLength: 1, maxLength: 4 }),
  afterMs: fc.constantFrom(0, 400, 31_000)
})

type OneCall = typeof oneCall extends fc.Arbitrary<infer A> ? A : never

const worlds: Readonly<Record<string, ReadonlyArray<Route>>> = {
  "one route": [{ upstream: "a", model: "claude-opus-4-5" }],
  "a pool": ["1", "2"].map((key) => ({ upstream: "a", model: "claude-opus-4-5", key })),
  "a pool and a second route": [
    ...["1", "2"].map((key) => ({ upstream: "a", model: "claude-opus-4-5", key })),
    { upstream: "b", model: "m" }
  ],
  "two routes": ["a", "b"].map((upstream) => ({ upstream, model: "m" }))
}

describe("whatever one account sends and an upstream answers to it", () => {
  /** Plays the calls of one account, and between them those of another. */
  const played = (routes: ReadonlyArray<Route>, calls: ReadonlyArray<OneCall>) =>
    Effect.gen(function* () {
      const runtime = yield* Effect.runtime()
      const coolDowns = new RetryAfter(yield* Effect.clock)
      const makeOne = makeBulkhead({ maxConcurrency: undefined, queueDeadline: Duration.seconds(1) })
      const bulkheads = { a: yield* makeOne, b: yield* makeOne }
      const ask = (who: Requester, answer: () => Outcome) => {
        const asked: Array<string> = []
        const call = (route: Route) => () => {
          asked.push(`${route.upstream} ${route.key}`)
          const one = answer()
          if (one === "answers") return Future.succeed(word("yes"))
          return one === "cut" ? Future.succeed(word("no", new UpstreamFailed({}))) : Future.fail(one)
        }
        const run = toEffect(() =>
          tryRoutes({ runtime, coolDowns }, who, routes, (route) =>
            through(route.upstream === "a" ? bulkheads.a : bulkheads.b, who.account, call(route), route.key)
          )
        )
        return Effect.map(Effect.either(run), (end) => {
          if (end._tag === "Right") while (end.right.next() !== undefined);
          return { asked, end }
        })
      }
      for (const { afterMs, lane, outcomes } of calls) {
        let at = 0
        const hostile = ask(requester("one", lane), () => outcomes[at++ % outcomes.length] ?? wrong)
        const fiber = yield* Effect.fork(hostile)
        yield* Effect.yieldNow()
        const { asked, end } = yield* ask(requester("other"), () => "answers")
        expect([end._tag, asked]).toEqual(["Right", [`${routes[0]?.upstream} ${routes[0]?.key}`]])
        yield* TestClock.adjust(20_000 + afterMs)
        yield* Fiber.join(fiber)
      }
    }).pipe(Effect.provide(TestContext.TestContext), Effect.runPromise)

  it.each(Object.entries(worlds))("another one goes where it went before, at once (%s)", (_, routes) =>
    fc.assert(
      fc.asyncProperty(fc.array(oneCall, { minLength: 1, maxLength: 12 }), (calls) => played(routes, calls)),
      { numRuns: 20 }
    )
  )
})
