import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { AccountId, KeyId, unrestricted } from "../../src/contract/Caller.ts"
import { RateLimited } from "../../src/contract/Failure.ts"
import type { Failure } from "../../src/contract/Failure.ts"
import type { Incoming } from "../../src/contract/handlers.ts"
import type { Generation } from "../../src/generation/Generation.ts"
import type { GenerationEvent } from "../../src/generation/GenerationEvent.ts"
import { runMessage } from "../../src/messages/Handlers.ts"
import { Models } from "../../src/models/Models.ts"
import { events } from "./golden.ts"

const caller = unrestricted(AccountId.make("a"), KeyId.make("k"))
const request: Incoming = {
  id: "req_1",
  method: "POST",
  path: "/v1/messages",
  headers: new Headers(),
  body: {},
  replyHeaders: {},
  shutdown: new AbortController().signal
}
const hello = { model: "m", max_tokens: 100, messages: "Hello" }

/** Models whose every generation does this, an event at a time. */
const modelsThat = (done: ReadonlyArray<GenerationEvent>) => {
  let cancelled = 0
  const generate = (): Effect.Effect<Generation, Failure> => {
    const left = [...done]
    return Effect.succeed({
      next: async () => {
        const event = left.shift()
        return event === undefined ? undefined : [event]
      },
      cancel: () => void cancelled++
    })
  }
  const models = new Models({
    generate,
    find: () => Effect.die("not asked"),
    quote: () => Effect.die("not asked"),
    get: () => undefined,
    list: () => []
  })
  return { models, cancelled: () => cancelled }
}

describe("one request run to its message", () => {
  it.effect("answers the whole message", () =>
    Effect.gen(function* () {
      const message = yield* runMessage(modelsThat(events.tool).models, caller, hello, request)
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
      expect(yield* Effect.flip(runMessage(models, caller, hello, request))).toBe(failure)
    })
  )

  it.effect("fails where the generation just stops, and lets go of it", () =>
    Effect.gen(function* () {
      const { cancelled, models } = modelsThat(events.text.slice(0, -1))
      expect(yield* Effect.flip(runMessage(models, caller, hello, request))).toMatchObject({ _tag: "UpstreamFailed" })
      expect(cancelled()).toBeGreaterThan(0)
    })
  )

  it.effect("asks no model where a rule is broken", () =>
    Effect.gen(function* () {
      const models = new Models({
        generate: () => Effect.die("asked"),
        find: () => Effect.die("asked"),
        quote: () => Effect.die("asked"),
        get: () => undefined,
        list: () => []
      })
      const choice = { ...hello, tool_choice: { type: "any" as const } }
      expect(yield* Effect.flip(runMessage(models, caller, choice, request))).toMatchObject({ param: "tool_choice" })
    })
  )
})
