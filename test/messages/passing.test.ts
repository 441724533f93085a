import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Caller } from "../../src/contract/callers/Caller.ts"
import { testDouble } from "../../src/contract/testDouble.ts"
import { toEffect } from "../../src/flow/toEffect.ts"
import { makeMessageFamily } from "../../src/messages/messageFamily.ts"
import type { CreateMessage } from "../../src/messages/Request.ts"
import { Pipeline } from "../../src/pipeline/Pipeline.ts"
import { Threads } from "../../src/messages/threads/Threads.ts"
import { incoming } from "../contract/incoming.ts"
import { blocking, caller, counted, modelsInOwnDialect } from "../dispatch/ownDialect.ts"

const live = Pipeline.Default.pipe(
  Layer.merge(testDouble(Threads, {})),
  Layer.provide(modelsInOwnDialect("messages", { content: [{ text: "passed through" }] }))
)

/** What a request is answered with, and how often its text was read. */
const ask = (who: Caller, more: Partial<CreateMessage>) =>
  Effect.gen(function* () {
    const { answer } = yield* Pipeline
    const family = yield* makeMessageFamily
    const { part, reads } = counted("text")
    const payload = { model: "own", max_tokens: 10, messages: [{ role: "user" as const, content: [part] }], ...more }
    const answered = yield* toEffect(() => answer(family)({ caller: who, payload, request: incoming() }))
    const message = answered instanceof Response ? yield* Effect.promise(() => answered.json()) : answered
    return { text: message.content[0].text as string, reads: reads.count }
  })

describe("a request for an upstream of its own dialect", () => {
  it.layer(live)((it) => {
    it.effect("passes through, and nothing of the gateway reads its messages", () =>
      Effect.gen(function* () {
        expect(yield* ask(caller, {})).toEqual({ text: "passed through", reads: 0 })
      })
    )

    it.effect("is read where its model's context bounds it, once, and passes through all the same", () =>
      Effect.gen(function* () {
        expect(yield* ask(caller, { model: "bounded" })).toEqual({ text: "passed through", reads: 1 })
      })
    )

    it.effect("is told in the gateway's words where the account has changed it", () =>
      Effect.gen(function* () {
        const tools = [{ type: "web_search_20250305" as const, name: "web_search" as const }]
        expect(yield* ask(blocking, { tools })).toEqual({ text: "translated 1 and 1", reads: 1 })
      })
    )
  })
})
