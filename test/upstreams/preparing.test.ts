import { expect, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import type { Runtime } from "effect"
import type { Auth } from "../../src/credentials/Auth.ts"
import { toEffect } from "../../src/flow/toEffect.ts"
import type { Preparing } from "../../src/upstreams/calls/Preparing.ts"
import { conversation } from "./conversations.ts"
import { fakeUpstream } from "./fakes/fakeUpstream.ts"
import { at, how } from "./runningUpstream.ts"

/** Notes what an attempt hears, between the request and the upstream that gets it. */
const heard = () => {
  const log: Array<string> = []
  const attempt: Preparing = {
    prepares: () => {
      log.push("prepares")
      return () => void log.push("sends")
    }
  }
  return { log, attempt }
}

const pdf = conversation({
  items: [
    {
      type: "message",
      role: "user",
      content: [
        { type: "document", name: "plan.pdf", source: { type: "base64", mediaType: "application/pdf", data: "AAAA" } }
      ]
    }
  ]
})

it.live("a request is sent once the text of its PDF is there, and its attempt hears of both", () =>
  Effect.gen(function* () {
    const fake = fakeUpstream("openai-chat")
    const text = yield* Deferred.make<{ readonly pages: number; readonly text: string }>()
    const { attempt, log } = heard()
    const runtime: Runtime.Runtime<never> = yield* Effect.runtime()
    const upstream = at("openai-chat", fake.url, { readDocument: () => Deferred.await(text) }, "vllm")
    const fiber = yield* Effect.fork(toEffect(() => upstream.generate(pdf, { ...how(false), runtime, attempt })))
    yield* Effect.promise(() => expect.poll(() => log).toEqual(["prepares"]))
    expect(fake.asked).toEqual([])
    yield* Deferred.succeed(text, { pages: 1, text: "the plan" })
    const generation = yield* Fiber.join(fiber)
    generation.cancel()
    expect([log, fake.asked.length]).toEqual([["prepares", "sends"], 1])
    yield* Effect.promise(() => fake.stop())
  })
)

it.live("likewise with credentials that are fetched", () =>
  Effect.gen(function* () {
    const fake = fakeUpstream("openai-chat")
    const token = Promise.withResolvers<Readonly<Record<string, string>>>()
    const { attempt, log } = heard()
    const runtime: Runtime.Runtime<never> = yield* Effect.runtime()
    const auth: Auth = {
      headers: () => token.promise,
      refused: () => Promise.resolve(false),
      secrets: () => [],
      identity: () => Promise.resolve("nobody")
    }
    const upstream = at("openai-chat", fake.url, { auth })
    const fiber = yield* Effect.fork(
      toEffect(() => upstream.generate(conversation(), { ...how(false), runtime, attempt }))
    )
    yield* Effect.promise(() => expect.poll(() => log).toEqual(["prepares"]))
    expect(fake.asked).toEqual([])
    token.resolve({ authorization: "Bearer t" })
    const generation = yield* Fiber.join(fiber)
    generation.cancel()
    expect([log, fake.asked.length]).toEqual([["prepares", "sends"], 1])
    yield* Effect.promise(() => fake.stop())
  })
)
