import { describe, expect, it } from "@effect/vitest"
import type { JsonObject } from "../../../src/contract/fields.ts"
import { hourTokens, noUsage } from "../../../src/generation/GenerationEvent.ts"
import { translatingReader } from "../../../src/upstreams/text/translatingReader.ts"
import { bedrockConverse } from "../../../src/upstreams/protocols/bedrockConverse/bedrockConverse.ts"
import { noBack } from "../../../src/upstreams/protocols/back.ts"
import { conversation, weather } from "../conversations.ts"
import { answered, outcome, streamed } from "../events.ts"
import { awsEvent, awsException, awsMessage } from "../fakes/awsMessage.ts"
import { converseAnswer, converseEvents } from "../fakes/converse.ts"
import { scenarios, spoken } from "../fakes/scenarios.ts"

const read = (frames: ReadonlyArray<JsonObject>, asked = {}) =>
  outcome(streamed(bedrockConverse, frames, { marked: false, asked }))

const delta = (delta: JsonObject, contentBlockIndex = 0): JsonObject => ({
  contentBlockDelta: { contentBlockIndex, delta }
})
const stop = (contentBlockIndex = 0): JsonObject => ({ contentBlockStop: { contentBlockIndex } })
const call = (name: string, toolUseId: string): JsonObject => ({
  contentBlockStart: { contentBlockIndex: 0, start: { toolUse: { toolUseId, name } } }
})
const input = (text: string) => delta({ toolUse: { input: text } })
const ended = (stopReason: string): ReadonlyArray<JsonObject> => [
  { messageStop: { stopReason } },
  { metadata: { usage: { inputTokens: 4, outputTokens: 2, totalTokens: 6 } } }
]

describe("bedrock-converse answers", () => {
  it("read alike, streamed and whole", () => {
    for (const scenario of scenarios.filter((one) => one !== "error-after" && one !== "search")) {
      const whole = outcome(answered(bedrockConverse, converseAnswer(scenario)))
      expect(read(converseEvents(scenario))).toEqual(whole)
      expect(whole.ending).toHaveProperty("reason")
    }
    expect(read(converseEvents("reasoning-tools"))).toEqual({
      items: [
        { type: "reasoning", text: spoken.thought, signature: spoken.signature },
        { type: "tool-call", callId: "tooluse_1", name: "get_weather", kind: "function", text: '{"city":"Paris"}' }
      ],
      ending: { reason: "tool-calls", stopSequence: null },
      usage: { ...noUsage, inputTokens: 15, cacheReadTokens: 5, outputTokens: 8 }
    })
  })

  it.each([
    ["end_turn", "stop"],
    ["tool_use", "tool-calls"],
    ["max_tokens", "max-tokens"],
    ["stop_sequence", "stop-sequence"],
    ["guardrail_intervened", "refusal"],
    ["content_filtered", "refusal"],
    ["model_context_window_exceeded", "context-exceeded"],
    ["new_reason", "stop"]
  ])("%s is %s", (told, reason) => {
    const events = streamed(bedrockConverse, [delta({ text: "Hi" }), stop(), ...ended(told)])
    expect(events.at(-1)).toMatchObject({ type: "finished", reason })
  })

  it("are not over by their usage: one that is cut after it is a failure", () => {
    const [messageStop = {}, metadata = {}] = ended("end_turn")
    const begun = [delta({ text: "Hi" }), metadata, delta({ text: " there" })]
    const complete = read([...begun, stop(), messageStop])
    expect(complete).toMatchObject({ items: [{ text: "Hi there" }], ending: { reason: "stop" } })
    expect(complete.usage).toMatchObject({ inputTokens: 4, outputTokens: 2 })
    expect(streamed(bedrockConverse, begun, { marked: false }).at(-1)).toMatchObject({ type: "failed" })
  })

  it.each(["malformed_model_output", "malformed_tool_use"])("%s is a failure", (told) => {
    expect(read([delta({ text: "Hi" }), stop(), ...ended(told)]).ending).toMatchObject({ failed: "UpstreamFailed" })
  })

  it("wait for the usage behind the stop, and end without it where it never comes", () => {
    const [messageStop = {}, metadata = {}] = ended("end_turn")
    const begun = [delta({ text: "Hi" }), stop()]
    const events = streamed(bedrockConverse, [...begun, messageStop, metadata])
    expect(events.map(({ type }) => type)).toEqual(["text-delta", "usage", "finished"])
    expect(read([...begun, messageStop])).toMatchObject({ ending: { reason: "stop" }, usage: undefined })
    expect(read(begun).ending).toMatchObject({ failed: "UpstreamFailed" })
  })

  it("tell what was read from a cache and written to one, for an hour too, and tolerate counts that are none", () => {
    const usage = {
      inputTokens: 3,
      outputTokens: 2,
      totalTokens: 30,
      cacheReadInputTokens: 10,
      cacheWriteInputTokens: 15,
      cacheDetails: [
        { ttl: "5m", inputTokens: 5 },
        { ttl: "1h", inputTokens: 10 }
      ]
    }
    const told = read([
      delta({ text: "Hi" }),
      { messageStop: { stopReason: "end_turn" } },
      { metadata: { usage } }
    ]).usage
    expect(told).toMatchObject({ inputTokens: 3, cacheReadTokens: 10, cacheWriteTokens: 15, outputTokens: 2 })
    expect(told && hourTokens(told)).toBe(10)
    const odd = { inputTokens: -1, outputTokens: 1.5, cacheDetails: "none" }
    expect(read([{ messageStop: { stopReason: "end_turn" } }, { metadata: { usage: odd } }]).usage).toMatchObject({
      inputTokens: Number.NaN,
      outputTokens: Number.NaN
    })
  })

  it("read calls without arguments, cut ones, and those of free text", () => {
    expect(read([call("get_weather", "a"), stop(), ...ended("tool_use")]).items).toMatchObject([{ text: "{}" }])
    const cut = [call("get_weather", "a"), input('{"ci'), stop()]
    expect(read([...cut, ...ended("max_tokens")]).items).toMatchObject([{ text: '{"ci', cut: true }])
    expect(read([...cut, ...ended("tool_use")]).ending).toMatchObject({ failed: "UpstreamFailed" })
    const custom = { tools: [{ type: "custom", name: "patch", description: undefined }] }
    expect(
      read([call("patch", "a"), input('{"input":"*** Begin"}'), stop(), ...ended("tool_use")], custom).items
    ).toEqual([{ type: "tool-call", callId: "a", name: "patch", kind: "custom", text: "*** Begin" }])
    const twice = [call("get_weather", "a"), input("{}"), stop(), call("get_weather", "a"), input("{}"), stop()]
    const ids = read([...twice, ...ended("tool_use")]).items.map(({ callId }) => callId)
    expect(new Set(ids).size).toBe(2)
  })

  it("read the answer tool's call as the answer", () => {
    const format = {
      type: "json-schema",
      name: "a",
      description: undefined,
      schema: { type: "object" },
      strict: true
    } as const
    // The model of these tests has no such tool, so Nova is asked.
    const { back } = bedrockConverse.lower(conversation({ format }), {
      model: "us.amazon.nova-lite-v1:0",
      stream: true
    })
    let state = bedrockConverse.begin(back)
    const events = [call("json_answer", "a"), input('{"a":1}'), stop(), ...ended("tool_use")].flatMap((frame) => {
      const [next, emitted] = bedrockConverse.step(state, frame)
      state = next
      return emitted
    })
    expect(outcome(events)).toMatchObject({ items: [{ type: "text", text: '{"a":1}' }], ending: { reason: "stop" } })
  })

  it("read redacted reasoning, reasoning without a signature, and reasoning that ends only where the text begins", () => {
    const redacted = { reasoningContent: { redactedContent: "cmVk" } }
    const answer = { output: { message: { content: [redacted, { text: "Hi" }] } }, stopReason: "end_turn" }
    expect(outcome(answered(bedrockConverse, answer)).items).toMatchObject([
      { type: "redacted-reasoning" },
      { text: "Hi" }
    ])
    const thought = delta({ reasoningContent: { text: "so" } })
    expect(read([thought, delta({ text: "Hi" }, 1), stop(1), ...ended("end_turn")]).items).toEqual([
      { type: "reasoning", text: "so" },
      { type: "text", text: "Hi" }
    ])
  })

  it("read citations of pages, and none of documents", () => {
    const web = { title: "A", sourceContent: [{ text: "words" }], location: { web: { url: "https://a.example" } } }
    const page = { title: "B", location: { documentPage: { documentIndex: 0, start: 1, end: 2 } } }
    const frames = [delta({ text: "Hello" }), delta({ citation: web }), delta({ citation: page }), stop()]
    expect(read([...frames, ...ended("end_turn")]).items).toEqual([
      {
        type: "text",
        text: "Hello",
        citations: [{ url: "https://a.example", title: "A", citedText: "words", start: 0, end: 5 }]
      }
    ])
  })

  it("leave out what they don't know, and are none without a message", () => {
    expect(
      read([{ newEvent: { a: 1 } }, delta({ new: {} }), delta({ text: "Hi" }), stop(), ...ended("end_turn")])
    ).toMatchObject({
      items: [{ text: "Hi" }]
    })
    expect(bedrockConverse.frames({ output: {} })).toBeUndefined()
    expect(bedrockConverse.frames({ message: "no" })).toBeUndefined()
  })

  const events = (...messages: ReadonlyArray<Uint8Array>) => {
    const reader = translatingReader(bedrockConverse, { back: noBack, stops: [] }, { model: "m" })
    return outcome([...messages.flatMap((message) => [...reader.push(message)]), ...reader.end()])
  }

  it("come in AWS's event stream, and exceptions within end them", () => {
    const bytes = converseEvents("tools").map((event) => {
      const [name = "", payload] = Object.entries(event)[0] ?? []
      return awsEvent(name, payload)
    })
    expect(events(...bytes)).toEqual(read(converseEvents("tools"), { tools: [weather] }))
    const begun = awsEvent("messageStart", { role: "assistant" })
    expect(events(begun, awsException("throttlingException", "slow down")).ending).toMatchObject({
      failed: "RateLimited"
    })
    expect(events(begun, awsException("validationException", "too big")).ending).toEqual({
      failed: "InvalidRequest",
      message: "too big"
    })
    // As a member of the union of events, and with its type inside.
    expect(events(begun, awsEvent("throttlingException", { message: "slow down" })).ending).toMatchObject({
      failed: "RateLimited"
    })
    const inside = awsMessage({ ":message-type": "exception" }, '{"__type":"ThrottlingException","message":"slow"}')
    expect(events(begun, inside).ending).toMatchObject({ failed: "RateLimited" })
    const error = awsMessage({ ":message-type": "error", ":error-code": "InternalFailure", ":error-message": "oh" }, "")
    expect(events(begun, error).ending).toMatchObject({ failed: "UpstreamFailed" })
  })
})
