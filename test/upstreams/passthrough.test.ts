import { afterAll, describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import type { JsonObject } from "../../src/contract/fields.ts"
import { streamed as streaming } from "../../src/pipeline/streamed.ts"
import { Future } from "../../src/flow/Future.ts"
import { toEffect } from "../../src/flow/toEffect.ts"
import type { GenerationEvent } from "../../src/generation/GenerationEvent.ts"
import { passthroughMachine } from "../../src/pipeline/passthrough.ts"
import { defaultDeadlines } from "../../src/upstreams/client.ts"
import { sseParser } from "../../src/upstreams/framing/sse.ts"
import { protocols } from "../../src/upstreams/protocols.ts"
import type { PassthroughRequest } from "../../src/upstreams/Upstream.ts"
import { nativeText } from "./events.ts"
import { dialects, fakeUpstream } from "./fakes/fakeUpstream.ts"
import type { FakeOptions } from "./fakes/fakeUpstream.ts"
import { spoken } from "./fakes/scenarios.ts"

type Native = "anthropic-messages" | "openai-responses"

const fakes: Array<ReturnType<typeof fakeUpstream>> = []
afterAll(() => Promise.all(fakes.map((fake) => fake.stop())))

const fake = (protocol: Native, options: FakeOptions = {}) => {
  const made = fakeUpstream(protocol, options)
  fakes.push(made)
  return made
}

const forward = (
  protocol: Native,
  up: ReturnType<typeof fakeUpstream>,
  body: JsonObject,
  over: { readonly stream?: boolean; readonly headers?: Record<string, string>; readonly upstreamModel?: string } = {}
) => {
  const upstream = protocols[protocol].upstream({
    name: "up",
    baseUrl: up.url + (protocol === "openai-responses" ? "/v1" : ""),
    apiKey: Redacted.make("sk-ours"),
    headers: {},
    deadlines: defaultDeadlines,
    readDocument: () => Effect.dieMessage("no document is read here")
  })
  const seen: Array<JsonObject> = []
  const request: PassthroughRequest = {
    body,
    headers: new Headers(over.headers),
    rewrite: (answer) => {
      const renamed = { ...answer, model: "caller-model", id: "id_ours" }
      seen.push(renamed)
      return renamed
    }
  }
  const how = { upstreamModel: over.upstreamModel ?? "m-1", stream: over.stream ?? true, requestId: "req_1" }
  return Effect.flatMap(Effect.runtime(), (runtime) =>
    toEffect(() => {
      const started =
        upstream.passthrough?.send(request, { ...how, runtime }, () => Future.die("it is offered")) ??
        Future.die("no native dialect")
      return started.map((generation) => ({ generation, seen }))
    })
  )
}

const events = (running: Effect.Effect<{ generation: { next: () => unknown } }, unknown>) =>
  Effect.flatMap(running, ({ generation }) =>
    Effect.promise(async () => {
      const all: Array<GenerationEvent> = []
      for (;;) {
        const batch = (await generation.next()) as ReadonlyArray<GenerationEvent> | undefined
        if (batch === undefined) return all
        all.push(...batch)
      }
    })
  )

const textOf = (all: ReadonlyArray<GenerationEvent>) => all.map(nativeText).join("")
const framesOf = (text: string) => {
  const parser = sseParser()
  return [...parser.push(new TextEncoder().encode(text)), ...parser.end()].map(
    ({ event, data }) => [event, JSON.parse(data)] as const
  )
}

describe.each(["anthropic-messages", "openai-responses"] as const)("%s, passed through", (protocol) => {
  const dialect = dialects[protocol]
  const answerIn = protocol === "anthropic-messages" ? "message" : "response"

  it.effect("every frame survives, in order and whatever the cut, under the caller's names", () =>
    Effect.gen(function* () {
      for (const cut of [3, 64, 100_000, undefined]) {
        const up = fake(protocol, cut === undefined ? {} : { cut })
        const all = yield* events(forward(protocol, up, { messages: [], input: "play:search" }))
        const expected = dialect.frames("search", "m-1").map((frame) => {
          const answer = frame[answerIn]
          const renamed = { ...(answer as JsonObject), model: "caller-model", id: "id_ours" }
          return [frame["type"], answer === undefined ? frame : { ...frame, [answerIn]: renamed }]
        })
        expect(framesOf(textOf(all))).toEqual(expected)
        expect(all.findLast((event) => event.type === "usage")).toMatchObject({
          usage: { inputTokens: 15, cacheReadTokens: 5, outputTokens: 8, searches: 1 }
        })
        expect(all.slice(-2).map((event) => event.type)).toEqual(["passthrough", "finished"])
      }
    })
  )

  it.effect("unknown events and fields survive", () =>
    Effect.gen(function* () {
      const odd = `event: odd\ndata: {"type":"odd","n":1}\n\n`
      const written = dialect
        .frames("text", "m-1")
        .map((frame) => `event: ${String(frame["type"])}\ndata: ${JSON.stringify({ ...frame, unknown: true })}\n\n`)
        .toSpliced(1, 0, odd)
        .join("")
      const up = fake(protocol, {
        answer: () => new Response(written, { headers: { "content-type": "text/event-stream" } })
      })
      const frames = framesOf(textOf(yield* events(forward(protocol, up, {}))))
      expect(frames[1]).toEqual(["odd", { type: "odd", n: 1 }])
      expect(frames.filter(([event]) => event !== "odd").every(([, data]) => data.unknown === true)).toBe(true)
    })
  )

  it.effect("an answer in one piece keeps its fields, and tells its usage", () =>
    Effect.gen(function* () {
      const up = fake(protocol)
      const all = yield* events(
        forward(protocol, up, { messages: "play:search", input: "play:search" }, { stream: false })
      )
      expect(JSON.parse(textOf(all))).toEqual({
        ...dialect.answer("search", "m-1"),
        model: "caller-model",
        id: "id_ours"
      })
      expect(all.map((event) => event.type)).toEqual(["started", "usage", "passthrough", "finished"])
    })
  )

  it.live("a failure in mid-stream is told as ours, and nothing of the upstream's after it", () =>
    Effect.gen(function* () {
      const up = fake(protocol)
      const all = yield* events(forward(protocol, up, { messages: "play:error-after", input: "play:error-after" }))
      expect(all.at(-1)).toMatchObject({ type: "failed", failure: { _tag: "UpstreamFailed" } })
      expect(JSON.stringify(all)).not.toContain("10.0.0.3")
      expect(textOf(all)).not.toContain("event: error")
    })
  )

  it.effect("a refusal before it keeps the field's name, which is the caller's own", () =>
    Effect.gen(function* () {
      const up = fake(protocol)
      const error = yield* Effect.flip(
        forward(protocol, up, { messages: "play:error-before", input: "play:error-before" })
      )
      expect(error).toMatchObject({
        retry: "never",
        failure: { _tag: "InvalidRequest", param: protocol === "openai-responses" ? "input" : null }
      })
    })
  )

  it.effect.each([
    [400, "InvalidRequest"],
    [404, "NotFound"]
  ] as const)("a refusal of %i keeps what programs act on, without what is the operator's", ([status, tag]) =>
    Effect.gen(function* () {
      const details = { error_code: "thread_not_found", unsupported: ["thread"], why: "sk-ours at http://10.0.0.3/x" }
      const error = { type: "invalid_request_error", message: "No.", details }
      const up = fake(protocol, { answer: () => Response.json({ type: "error", error }, { status }) })
      const refused = yield* Effect.flip(forward(protocol, up, { messages: "Hi", input: "Hi" }))
      expect(refused).toMatchObject({
        failure: { _tag: tag, message: "No.", details: { ...details, why: "[…] at […]" } }
      })
    })
  )

  it.effect("a refusal whose details are beyond measure has none", () =>
    Effect.gen(function* () {
      const error = { type: "invalid_request_error", message: "No.", details: { more: "x".repeat(10_000) } }
      const up = fake(protocol, { answer: () => Response.json({ type: "error", error }, { status: 400 }) })
      const refused = yield* Effect.flip(forward(protocol, up, { messages: "Hi", input: "Hi" }))
      expect(refused).toMatchObject({ failure: { _tag: "InvalidRequest", message: "No." } })
      expect(JSON.stringify(refused)).not.toContain("xxx")
    })
  )

  it.effect("the last frames leave only once the answer is stored", () =>
    Effect.gen(function* () {
      const up = fake(protocol)
      const { generation, seen } = yield* forward(protocol, up, { messages: "play:text", input: "play:text" })
      const response = yield* toEffect(() =>
        streaming({
          generation,
          machine: passthroughMachine((failure) => [{ type: "error", message: failure.message }]),
          heartbeat: ": ping\n\n",
          request: { shutdown: new AbortController().signal } as never,
          keep: () => Promise.reject(new Error("disk full"))
        })
      )
      const sent = framesOf(yield* Effect.promise(() => response.text()))
      expect(sent.at(-1)?.[0]).toBe("error")
      expect(sent.map(([event]) => event)).not.toContain(
        protocol === "anthropic-messages" ? "message_stop" : "response.completed"
      )
      expect(seen.length).toBeGreaterThan(0)
    })
  )
})

describe("a messages request, passed through", () => {
  it.effect("has ids of calls that its upstream takes", () =>
    Effect.gen(function* () {
      const up = fake("anthropic-messages")
      const id = "functions.get_weather:0"
      const messages = [
        { role: "assistant", content: [{ type: "tool_use", id, name: "get_weather", input: {}, own: 1 }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "sunny" }] }
      ]
      yield* events(forward("anthropic-messages", up, { messages }))
      expect(up.asked.at(-1)?.body.messages).toMatchObject([
        { content: [{ id: "functions_get_weather_0", own: 1 }] },
        { content: [{ tool_use_id: "functions_get_weather_0", content: "sunny" }] }
      ])
    })
  )

  it.effect("keeps unknown fields and beta headers, and changes model, key and stream alone", () =>
    Effect.gen(function* () {
      const up = fake("anthropic-messages")
      const messages = [
        { role: "user", content: [{ type: "text", text: "play:text", cache_control: { type: "ephemeral" } }] }
      ]
      const body = { model: "caller-model", messages, max_tokens: 5, context_management: { edits: [] }, async: false }
      const headers = { "anthropic-beta": "context-1m", "x-api-key": "caller's", cookie: "c", "x-other": "y" }
      yield* events(forward("anthropic-messages", up, body, { headers }))
      const asked = up.asked.at(-1)
      const { async: _, ...rest } = body
      expect(asked?.body).toEqual({ ...rest, model: "m-1", stream: true })
      expect(asked?.headers).toMatchObject({ "anthropic-beta": "context-1m", "x-api-key": "sk-ours" })
      expect(asked?.headers).not.toHaveProperty("cookie")
      expect(asked?.headers).not.toHaveProperty("x-other")
    })
  )

  it.effect("has blocks that are ours said in the upstream's way, and what we sealed left out", () =>
    Effect.gen(function* () {
      const up = fake("anthropic-messages")
      const sealed = btoa("gateway:1") + btoa("text")
      const messages = [
        {
          role: "user",
          content: [
            { type: "file_data", media_type: "application/pdf", data: "JVBERi0=" },
            { type: "file", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
            { type: "document", source: { type: "base64", media_type: "text/markdown", data: btoa("# a") }, title: "t" }
          ]
        },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "a", signature: sealed },
            { type: "thinking", thinking: "b", signature: spoken.signature },
            { type: "server_tool_use", id: "s1", name: "web_search", input: {} },
            {
              type: "web_search_tool_result",
              tool_use_id: "s1",
              content: [{ type: "web_search_result", url: "https://e.com", encrypted_content: sealed }]
            },
            { type: "text", text: "x", citations: [{ encrypted_index: sealed }, { encrypted_index: "Eo8B" }] }
          ]
        }
      ]
      yield* events(forward("anthropic-messages", up, { messages }))
      expect(up.asked.at(-1)?.body.messages).toEqual([
        {
          role: "user",
          content: [
            { type: "document", source: { type: "base64", media_type: "application/pdf", data: "JVBERi0=" } },
            { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
            { type: "document", source: { type: "text", media_type: "text/plain", data: "# a" }, title: "t" }
          ]
        },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "b", signature: spoken.signature },
            { type: "text", text: "x", citations: [{ encrypted_index: "Eo8B" }] }
          ]
        }
      ])
    })
  )
})

it.effect("a responses request, passed through, stores nothing upstream and gets reasoning it can replay", () =>
  Effect.gen(function* () {
    const up = fake("openai-responses")
    const body = { model: "x", input: "play:text", store: true, previous_response_id: "resp_1", unknown: { a: 1 } }
    yield* events(forward("openai-responses", up, body, { upstreamModel: "gpt-5.1" }))
    expect(up.asked.at(-1)?.body).toEqual({
      model: "gpt-5.1",
      input: "play:text",
      store: false,
      stream: true,
      unknown: { a: 1 },
      include: ["reasoning.encrypted_content"]
    })
  })
)
