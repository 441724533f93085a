import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, TestClock } from "effect"
import { InvalidRequest } from "../../src/contract/failures/Failure.ts"
import { Future } from "../../src/flow/Future.ts"
import { toEffect } from "../../src/flow/toEffect.ts"
import { RetryAfter } from "../../src/routing/RetryAfter.ts"
import { tryRoutes } from "../../src/routing/tryRoutes.ts"
import type { UpstreamError } from "../../src/upstreams/UpstreamError.ts"
import { refused, requester, tooMany } from "./generations.ts"

/** The calls of a request whose routes all fail, and the failure that it ends with. */
const failing = Effect.fnUntraced(function* (routes: Record<string, UpstreamError>, hasFallback: boolean) {
  const runtime = yield* Effect.runtime()
  const coolDowns = new RetryAfter(yield* Effect.clock)
  const called: Array<string> = []
  const all = Object.keys(routes).map((upstream) => ({ upstream, model: "m" }))
  const run = toEffect(() =>
    tryRoutes({ runtime, coolDowns, hasFallback }, requester("one"), all, ({ upstream }) => {
      called.push(upstream)
      return Future.fail(routes[upstream] ?? refused())
    })
  )
  const fiber = yield* Effect.fork(Effect.flip(run))
  yield* TestClock.adjust("5 minutes")
  return { called: called.join(" "), failure: yield* Fiber.join(fiber) }
})

const tooLong = refused({ retry: "elsewhere", failure: new InvalidRequest({ param: null, reason: "too_long" }) })

describe("a model that another one stands in for", () => {
  it.effect.each([
    ["retries a failure twice", refused(), "a a a"],
    ["waits for no limited route", tooMany(3), "a"],
    ["waits for no limited route without a deadline", tooMany(null), "a"]
  ] as const)("%s", ([, error, called]) =>
    Effect.gen(function* () {
      expect((yield* failing({ a: error }, true)).called).toBe(called)
    })
  )

  it.effect("reports an input that is too long for one of its routes, and waits for none", () =>
    Effect.gen(function* () {
      const { called, failure } = yield* failing({ a: refused(), b: tooLong, c: tooMany(3) }, false)
      expect([called, failure]).toEqual(["a b c", tooLong.failure])
    })
  )
})
