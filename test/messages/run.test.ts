import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Caller } from "../../src/contract/callers/Caller.ts"
import { RateLimited } from "../../src/contract/failures/Failure.ts"
import { testDouble } from "../../src/contract/testDouble.ts"
import { Future } from "../../src/flow/Future.ts"
import type { Generation } from "../../src/generation/Generation.ts"
import type { GenerationEvent } from "../../src/generation/GenerationEvent.ts"
import { makeMessageFamily } from "../../src/messages/messageFamily.ts"
import type { CreateMessage } from "../../src/messages/Request.ts"
import { Pipeline } from "../../src/pipeline/Pipeline.ts"
import { Threads } from "../../src/messages/threads/Threads.ts"
import { Dispatch } from "../../src/dispatch/Dispatch.ts"
import { incoming } from "../contract/incoming.ts"
import { events } from "./golden.ts"

const caller = Caller.unrestricted("a", "k")
const request = incoming({ path: "/v1/messages" })
const hello = { model: "m", max_tokens: 100, messages: "Hello" }

/** Models whose every generation does this, an event at a time. */
const modelsThat = (done: ReadonlyArray<GenerationEvent>) => {
  let cancelled = 0
  const generate = (): Future<Generation> => {
    const left = [...done]
    return Future.succeed({
      next: async () => {
        const event = left.shift()
        return event === undefined ? undefined : [event]
      },
      cancel: () => void cancelled++
    })
  }
  const models = new Dispatch({
    affords: () => Effect.die("not asked"),
    generate,
    choose: () => Effect.die("not asked"),
    find: () => Effect.die("not asked"),
    quote: () => Effect.die("not asked"),
    passes: () => false,
    upstreamCount: () => Effect.die("not asked"),
    translates: () => false,
    get: () => undefined,
    list: () => [],
    limitsOf: () => undefined
  })
  return { models, cancelled: () => cancelled }
}

/** Runs a request that is paid for. */
const run = (models: Dispatch, payload: CreateMessage = hello) =>
  Effect.all([Pipeline, makeMessageFamily]).pipe(
    Effect.flatMap(([pipeline, family]) => pipeline.run(family)({ caller, payload, request })),
    Effect.provide(Layer.merge(Pipeline.Default, testDouble(Threads, {}))),
    Effect.provideService(Dispatch, models)
  )

describe("one request run to its message", () => {
  it.effect("answers the whole message", () =>
    Effect.gen(function* () {
      const message = yield* run(modelsThat(events.tool).models)
      expect(message).toMatchObject({
        id: expect.stringMatching(/^msg_\w{20,}$/),
        model: "m",
        content: [{ type: "tool_use", input: { city: "Paris" } }],
        stop_reason: "tool_use"
      })
    })
  )

  it.effect("fails as the generation did", () =>
    Effect.gen(function* () {
      const failure = new RateLimited({ retryAfterSeconds: 3 })
      const { models } = modelsThat([
        { type: "text-delta", text: "Hel" },
        { type: "failed", failure }
      ])
      expect(yield* Effect.flip(run(models))).toBe(failure)
    })
  )

  it.effect("fails where the generation just stops, and lets go of it", () =>
    Effect.gen(function* () {
      const { cancelled, models } = modelsThat(events.text.slice(0, -1))
      expect(yield* Effect.flip(run(models))).toMatchObject({ _tag: "UpstreamFailed" })
      expect(cancelled()).toBeGreaterThan(0)
    })
  )

  it.effect("tells the operator which rule is broken, for an upstream that knows better", () =>
    Effect.gen(function* () {
      const models = new Dispatch({
        affords: () => Effect.die("asked"),
        generate: (_caller, _conversation, _request, { objection }) => {
          const objected = objection?.()
          return objected === undefined ? Future.die("no objection") : Future.fail(objected)
        },
        choose: () => Effect.die("asked"),
        find: () => Effect.die("asked"),
        quote: () => Effect.die("asked"),
        passes: () => false,
        upstreamCount: () => Effect.die("asked"),
        translates: () => false,
        get: () => undefined,
        list: () => [],
        limitsOf: () => undefined
      })
      const choice = { ...hello, tool_choice: { type: "any" as const } }
      expect(yield* Effect.flip(run(models, choice))).toMatchObject({ param: "tool_choice" })
    })
  )
})
