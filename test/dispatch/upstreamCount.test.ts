import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Layer, TestClock } from "effect"
import { Caller } from "../../src/contract/callers/Caller.ts"
import { servedModel } from "../../src/catalogue/servedModel.ts"
import type { Passthrough } from "../../src/dispatch/GenerationOptions.ts"
import { makeUpstreamCount } from "../../src/dispatch/upstreamCount.ts"
import { Bulkheads, makeBulkhead } from "../../src/routing/Bulkhead.ts"
import { conversation } from "../generation/conversations.ts"
import type { TextUpstream } from "../../src/upstreams/Upstream.ts"
import { TextUpstreams } from "../../src/upstreams/Upstreams.ts"

const caller = Caller.unrestricted("team", "key_1")
const permit = () => Effect.succeed(undefined)

const model = servedModel({
  id: "m",
  kind: "text",
  routes: [{ upstream: "claude", model: "claude-1" }],
  contextTokens: undefined,
  ownedBy: "claude"
})

const asking = (text: string): Passthrough => ({
  family: "messages",
  request: () => ({ body: { messages: text }, headers: new Headers(), rewrite: (answer) => answer })
})

const generate = () => {
  throw new Error("not asked")
}
const passthrough = { family: "messages", send: generate } as const

/** Counts how often it is asked, and says so. */
const counting = () => {
  let asked = 0
  const upstream: TextUpstream = {
    name: "claude",
    generate,
    passthrough,
    countTokens: () => Effect.sync(() => ++asked)
  }
  return { layer: Layer.succeed(TextUpstreams, new Map([["claude", upstream]])), asked: () => asked }
}

describe("an upstream's count", () => {
  it.effect("is remembered for a minute", () => {
    const { asked, layer } = counting()
    return Effect.gen(function* () {
      const count = yield* makeUpstreamCount(permit)
      expect(yield* count(caller, model, asking("a"), conversation({}))).toBe(1)
      yield* TestClock.adjust("59 seconds")
      expect(yield* count(caller, model, asking("a"), conversation({}))).toBe(1)
      yield* TestClock.adjust("1 second")
      expect(yield* count(caller, model, asking("a"), conversation({}))).toBe(2)
      expect(asked()).toBe(2)
    }).pipe(Effect.provide(layer))
  })

  it.effect("is remembered for a thousand requests", () => {
    const { layer } = counting()
    return Effect.gen(function* () {
      const count = yield* makeUpstreamCount(permit)
      for (let index = 0; index < 1_001; index++) yield* count(caller, model, asking(`${index}`), conversation({}))
      expect(yield* count(caller, model, asking("1"), conversation({}))).toBe(2)
      expect(yield* count(caller, model, asking("0"), conversation({}))).toBe(1_002)
    }).pipe(Effect.provide(layer))
  })

  it.effect("is asked for once, with the first key that gives one", () => {
    let asked: ReadonlyArray<string> = []
    const counts = (key: string, tokens: number | undefined) => {
      const countTokens = () =>
        Effect.sync(() => {
          asked = [...asked, key]
          return tokens
        })
      return { key, weight: 1, upstream: { name: "claude", passthrough, generate, countTokens } }
    }
    const keys = [counts("a", undefined), counts("b", 7), counts("c", 8), counts("d", 9)]
    const upstream: TextUpstream = { name: "claude", passthrough, generate, countTokens: () => Effect.succeed(0), keys }
    return Effect.gen(function* () {
      const count = yield* makeUpstreamCount(permit)
      expect(yield* count(caller, model, asking("a"), conversation({}))).toBe(7)
      expect(asked).toEqual(["a", "b"])
    }).pipe(Effect.provideService(TextUpstreams, new Map([["claude", upstream]])))
  })

  it.effect("is waited for seven seconds with all keys together", () => {
    const silent: TextUpstream = {
      name: "claude",
      passthrough,
      generate,
      countTokens: () => Effect.as(Effect.sleep("6 seconds"), undefined)
    }
    const keys = ["a", "b", "c"].map((key) => ({ key, weight: 1, upstream: silent }))
    return Effect.gen(function* () {
      const count = yield* makeUpstreamCount(permit)
      const counted = yield* Effect.fork(count(caller, model, asking("a"), conversation({})))
      yield* TestClock.adjust("7 seconds")
      expect(yield* Fiber.join(counted)).toBeUndefined()
    }).pipe(Effect.provideService(TextUpstreams, new Map([["claude", { ...silent, keys }]])))
  })

  it.effect("is not asked for where the upstream has no room, or is left alone", () => {
    const { asked, layer } = counting()
    return Effect.gen(function* () {
      const lane = yield* makeBulkhead({ maxConcurrency: 1, queueDeadline: Duration.seconds(1) })
      const count = yield* Effect.provideService(makeUpstreamCount(permit), Bulkheads, new Map([["claude", lane]]))
      const taken = lane.slots?.take(caller.account)
      expect(yield* count(caller, model, asking("a"), conversation({}))).toBeUndefined()
      taken?.leave()
      for (let call = 0; call < 20; call++) {
        const permit = lane.circuit.enter(caller.account, 0)
        if (permit !== undefined) lane.circuit.recordFailure(permit, 0, false)
      }
      expect(yield* count(caller, model, asking("a"), conversation({}))).toBeUndefined()
      expect(asked()).toBe(0)
      yield* TestClock.adjust("10 seconds")
      expect(yield* count(caller, model, asking("a"), conversation({}))).toBe(1)
      expect(lane.slots).toMatchObject({ running: 0, waiting: 0 })
    }).pipe(Effect.provide(layer))
  })
})
