import { afterAll, describe, expect, it } from "@effect/vitest"
import { readOrigin } from "../../../src/generation/origin.ts"
import { Effect, Either } from "effect"
import type { Conversation, Item } from "../../../src/generation/Conversation.ts"
import { conversation, pixel, search } from "../conversations.ts"
import { outcome } from "../events.ts"
import type { DialectName } from "../fakes/fakeUpstream.ts"
import { fakeUpstream } from "../fakes/fakeUpstream.ts"
import { spoken } from "../fakes/scenarios.ts"
import { generated } from "../generated.ts"
import type { Told } from "../generated.ts"
import type { Scenario } from "../fakes/scenarios.ts"
import { all, asking, at, how, key } from "../runningUpstream.ts"

const names = ["anthropic-messages", "openai-responses", "openai-chat"] as const

const fakes = {
  "anthropic-messages": fakeUpstream("anthropic-messages", { cut: 7 }),
  "openai-responses": fakeUpstream("openai-responses", { cut: 1_000 }),
  "openai-chat": fakeUpstream("openai-chat")
}

afterAll(() => Promise.all(Object.values(fakes).map((fake) => fake.stop())))

const run = (protocol: DialectName, stream: boolean, asked: Conversation, over: Partial<Told> = {}) =>
  generated(at(protocol, fakes[protocol].url), asked, how(stream, over)).pipe(
    Effect.flatMap((generation) => Effect.promise(() => all(generation))),
    Effect.map(outcome)
  )

const signatures = {
  "anthropic-messages": spoken.signature,
  "openai-responses": spoken.encrypted,
  "openai-chat": undefined
}

const said = { type: "text", text: spoken.text }

const calls = [
  { type: "tool-call", name: "get_weather", text: `{"city":"${spoken.city}"}` },
  { type: "tool-call", name: "get_weather", text: `{"city":"${spoken.other}"}` }
]

for (const protocol of names) {
  for (const stream of [true, false]) {
    describe(`${protocol}, ${stream ? "streamed" : "in one piece"}`, () => {
      const play = (scenario: Scenario, over: Partial<Conversation> = {}) =>
        run(protocol, stream, asking(`play:${scenario}`, over))

      it.effect("text with usage, cached tokens apart", () =>
        Effect.map(play("text"), (got) => {
          expect(got).toMatchObject({ items: [said], ending: { reason: "stop", stopSequence: null } })
          expect(got.usage).toMatchObject({ inputTokens: 15, cacheReadTokens: 5, outputTokens: 8 })
        })
      )
      it.effect("a tool call", () =>
        Effect.map(play("tools"), (got) =>
          expect(got).toMatchObject({ items: calls.slice(0, 1), ending: { reason: "tool-calls" } })
        )
      )
      it.effect("parallel tool calls", () =>
        Effect.map(play("parallel-tools"), (got) =>
          expect(got).toMatchObject({ items: calls, ending: { reason: "tool-calls" } })
        )
      )
      it.effect("reasoning with what replays it", () =>
        Effect.map(play("reasoning"), ({ items }) => {
          expect(items).toMatchObject([{ type: "reasoning", text: spoken.thought }, said])
          const signature = items[0]?.["signature"]
          const by = { "anthropic-messages": "anthropic", "openai-responses": "openai", "openai-chat": "" }[protocol]
          const made = { origin: { by, model: "m-1" }, opaque: signatures[protocol] }
          expect(typeof signature === "string" ? readOrigin(signature) : undefined).toEqual(
            signatures[protocol] === undefined ? undefined : made
          )
        })
      )
      it.effect("a refusal", () =>
        Effect.map(play("refusal"), ({ items, ending }) => {
          expect(items[0]?.["text"]).toBe(spoken.refusal)
          expect(ending?.["reason"]).toBe(protocol === "anthropic-messages" ? "refusal" : "stop")
        })
      )
      it.effect("an answer cut by its bound", () =>
        Effect.map(play("max-tokens"), ({ ending }) => expect(ending).toMatchObject({ reason: "max-tokens" }))
      )
      it.effect("an error before the first byte", () =>
        Effect.map(Effect.flip(play("error-before")), (error) =>
          expect(error).toMatchObject({
            _tag: "UpstreamError",
            retry: "never",
            status: 400,
            failure: { _tag: "InvalidRequest", message: "messages: too few of them", param: null }
          })
        )
      )
      it.live("an error after the first byte", () =>
        Effect.map(Effect.either(play("error-after")), (either) => {
          if (!stream) {
            const failure = { _tag: "UpstreamFailed" }
            expect(either).toMatchObject({ left: { _tag: "UpstreamError", retry: "again", status: 200, failure } })
            return
          }
          const { items, ending } = Either.getOrThrow(either)
          expect(ending).toMatchObject({ failed: expect.stringMatching(/UpstreamFailed/) })
          expect(JSON.stringify([items, ending])).not.toContain("10.0.0.3")
          expect(items).toMatchObject([said])
        })
      )
      it.effect("a web search, or why there is none", () =>
        Effect.map(Effect.either(play("search", { tools: [search] })), (either) => {
          if (protocol === "openai-chat") {
            expect(either).toMatchObject({ left: { _tag: "InvalidRequest", param: "tools" } })
            return
          }
          const { items, usage } = Either.getOrThrow(either)
          expect(items).toMatchObject([
            { type: "search", query: "hello", outcome: { type: "results", results: [{ url: spoken.url }] } },
            { ...said, citations: [{ url: spoken.url, title: spoken.title, start: 0 }] }
          ])
          expect(usage?.searches).toBe(1)
        })
      )
      it.effect("images and documents arrive", () => {
        const source = { type: "base64", mediaType: "image/png", data: pixel } as const
        const content: Item = {
          type: "message",
          role: "user",
          content: [
            { type: "text", text: "play:text" },
            { type: "image", source, detail: "auto" },
            { type: "document", source: { type: "text", mediaType: "text/plain", text: "the plan" }, name: "plan.txt" }
          ]
        }
        return Effect.map(run(protocol, stream, conversation({ items: [content] })), ({ items }) => {
          expect(items).toMatchObject([said])
          const sent = JSON.stringify(fakes[protocol].asked.at(-1)?.body)
          expect(sent).toContain(pixel)
          expect(sent).toContain("the plan")
          expect(sent).toContain("plan.txt")
        })
      })
    })
  }
}

describe("an upstream", () => {
  it.effect("is called with its own key, model and path, and nothing of the gateway's", () =>
    Effect.gen(function* () {
      yield* run("anthropic-messages", true, asking("hi"))
      expect(fakes["anthropic-messages"].asked.at(-1)).toMatchObject({
        path: "/v1/messages",
        headers: { "x-api-key": key, "anthropic-version": "2023-06-01", "content-type": "application/json" },
        body: { model: "m-1", stream: true }
      })
      yield* run("openai-chat", false, asking("hi"))
      expect(fakes["openai-chat"].asked.at(-1)).toMatchObject({
        path: "/v1/chat/completions",
        headers: { authorization: `Bearer ${key}` }
      })
    })
  )

  const refused = (status: number, body: unknown, headers: Record<string, string> = {}) =>
    Effect.acquireUseRelease(
      Effect.sync(() => fakeUpstream("openai-chat", { answer: () => Response.json(body, { status, headers }) })),
      (fake) =>
        Effect.map(Effect.flip(generated(at("openai-chat", fake.url), asking("hi"), how(true))), (error) => {
          expect(JSON.stringify(error)).not.toContain(key)
          return error
        }),
      (fake) => Effect.promise(() => fake.stop())
    )
  const emptyAccount =
    "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits."
  const wrong = (message: string) => ({ error: { message, type: "x", code: "y" } })

  it.effect("refuses our key without the caller hearing of it", () =>
    Effect.gen(function* () {
      for (const status of [401, 403, 402, 302, 418]) {
        expect(yield* refused(status, wrong(`Incorrect API key provided: ${key}`))).toMatchObject({
          retry: "elsewhere",
          status,
          failure: { _tag: "UpstreamFailed", message: "The model's upstream failed" }
        })
      }
      const empty = { type: "error", error: { type: "invalid_request_error", message: emptyAccount } }
      expect(yield* refused(400, empty)).toMatchObject({
        retry: "elsewhere",
        trouble: "empty-account",
        failure: { _tag: "UpstreamFailed" }
      })
    })
  )
  it.effect("is too busy, for as long as it says", () =>
    Effect.gen(function* () {
      expect(yield* refused(429, wrong("slow down"), { "retry-after": "7" })).toMatchObject({
        retry: "again",
        retryAfterMs: 7_000,
        failure: { _tag: "RateLimited", retryAfterSeconds: 7 }
      })
      const info = { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34s" }
      const google = { error: { code: 429, status: "RESOURCE_EXHAUSTED", message: "Quota exceeded.", details: [info] } }
      expect(yield* refused(429, google)).toMatchObject({
        retryAfterMs: 34_000,
        failure: { _tag: "RateLimited", retryAfterSeconds: 34 }
      })
      for (const header of ["retry-after", "retry-after-ms"])
        expect(yield* refused(429, wrong("slow down"), { [header]: "99999999999" })).toMatchObject({
          retryAfterMs: 86_400_000
        })
      expect(yield* refused(503, wrong("10.0.0.3 is down"), { "retry-after-ms": "50" })).toMatchObject({
        retry: "again",
        retryAfterMs: 50,
        failure: { _tag: "UpstreamFailed", message: "The model's upstream failed" }
      })
    })
  )
  it.effect("keeps its words about the caller's input, without our key and address", () =>
    Effect.gen(function* () {
      const error = yield* refused(422, wrong(`max_tokens is too large (key ${key})`))
      expect(error).toMatchObject({
        retry: "never",
        failure: { _tag: "InvalidRequest", message: "max_tokens is too large (key […])" }
      })
      expect(yield* refused(404, wrong("no such model"))).toMatchObject({ failure: { _tag: "InvalidRequest" } })
      expect(yield* refused(404, "nginx")).toMatchObject({ failure: { _tag: "UpstreamFailed" } })
    })
  )
  it.effect("can't be reached", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(generated(at("openai-chat", "http://127.0.0.1:1"), asking("hi"), how(true)))
      expect(error).toMatchObject({ retry: "again", status: undefined, failure: { _tag: "UpstreamFailed" } })
    })
  )

  it.effect("is told nothing where a strict caller would lose something", () =>
    Effect.gen(function* () {
      const asked = asking("hi", { sampling: { temperature: undefined, topP: undefined, topK: 5 } })
      const upstream = at("openai-chat", fakes["openai-chat"].url)
      const error = yield* Effect.flip(generated(upstream, asked, how(true, { strict: true })))
      expect(error).toMatchObject({ _tag: "InvalidRequest", param: "top_k" })
      const generation = yield* generated(upstream, asked, how(true))
      expect(generation.adapted).toEqual(["top_k"])
      generation.cancel()
    })
  )

  it.effect("answers in one piece although a stream was asked for, and the other way round", () =>
    Effect.gen(function* () {
      const fake = fakes["openai-chat"]
      const whole = (yield* Effect.promise(() => fetch(`${fake.url}/v1/chat/completions`, post({ model: "m" })))).json()
      const answer = yield* Effect.promise(() => whole)
      const odd = fakeUpstream("openai-chat", { answer: () => Response.json(answer) })
      const generation = yield* generated(at("openai-chat", odd.url), asking("hi"), how(true))
      expect(outcome(yield* Effect.promise(() => all(generation))).items).toEqual([said])
      yield* Effect.promise(() => odd.stop())
    })
  )

  it.effect("refuses more stop sequences than are looked for, by the caller's word for them", () =>
    Effect.gen(function* () {
      const long = asking("play:text", { stopSequences: ["a".repeat(65_536), "b"], stopParam: "stop" })
      const refused = yield* Effect.flip(run("openai-responses", true, long))
      expect(refused).toMatchObject({ _tag: "InvalidRequest", param: "stop" })
      expect(String(refused)).toContain("got 65537")
      // Who takes them is told them.
      expect((yield* run("anthropic-messages", true, long)).items).toMatchObject([said])
    })
  )
  it.effect("has its stop sequences looked for where it takes none", () =>
    Effect.gen(function* () {
      for (const stream of [true, false]) {
        const got = yield* run("openai-responses", stream, asking("play:text", { stopSequences: ["XX", "wör"] }))
        expect(got).toMatchObject({
          items: [{ type: "text", text: "Hello, " }],
          ending: { reason: "stop-sequence", stopSequence: "wör" }
        })
      }
    })
  )
})

const post = (body: unknown) => ({ method: "POST", body: JSON.stringify(body) })
