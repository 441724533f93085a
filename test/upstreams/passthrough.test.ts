import { afterAll, describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { JsonObject } from "../../src/contract/fields.ts"
import { streamAnswer as streaming } from "../../src/pipeline/streamAnswer.ts"
import { toEffect } from "../../src/flow/toEffect.ts"
import type { GenerationEvent } from "../../src/generation/GenerationEvent.ts"
import { passthroughMachine } from "../../src/pipeline/passthrough.ts"
import { sseParser } from "../../src/upstreams/framing/sse.ts"
import { nativeText } from "./events.ts"
import { dialects, fakeUpstream } from "./fakes/fakeUpstream.ts"
import type { FakeOptions } from "./fakes/fakeUpstream.ts"
import { events, forward } from "./passing.ts"
import type { Native } from "./passing.ts"
import { incoming } from "../contract/incoming.ts"

const fakes: Array<ReturnType<typeof fakeUpstream>> = []

afterAll(() => Promise.all(fakes.map((fake) => fake.stop())))

const fake = (protocol: Native, options: FakeOptions = {}) => {
  const made = fakeUpstream(protocol, options)
  fakes.push(made)
  return made
}

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
          request: incoming(),
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
