import { describe, expect, it } from "@effect/vitest"
import type { JsonObject } from "../../../src/contract/fields.ts"
import { anthropicMessages } from "../../../src/upstreams/protocols/anthropicMessages/anthropicMessages.ts"
import { hourTokens, noUsage } from "../../../src/generation/GenerationEvent.ts"
import { readUsage } from "../../../src/upstreams/protocols/anthropicMessages/usage.ts"
import { answered, outcome, streamed } from "../events.ts"
import { signature } from "./anthropicFrames.ts"
import type { Asked } from "./anthropicFrames.ts"

const started: JsonObject = {
  type: "message_start",
  message: {
    id: "msg_1",
    type: "message",
    role: "assistant",
    content: [],
    usage: { input_tokens: 10, cache_creation_input_tokens: 3, cache_read_input_tokens: 7, output_tokens: 1 }
  }
}

const start = (content_block: JsonObject, index = 0): JsonObject => ({
  type: "content_block_start",
  index,
  content_block
})

const delta = (delta: JsonObject, index = 0): JsonObject => ({ type: "content_block_delta", index, delta })
const stop = (index = 0): JsonObject => ({ type: "content_block_stop", index })

const ended = (stop_reason: string, stop_sequence: string | null = null): ReadonlyArray<JsonObject> => [
  { type: "message_delta", delta: { stop_reason, stop_sequence }, usage: { output_tokens: 9 } },
  { type: "message_stop" }
]

const text = (value: string, index = 0): ReadonlyArray<JsonObject> => [
  start({ type: "text", text: "" }, index),
  delta({ type: "text_delta", text: value }, index),
  stop(index)
]

const read = (frames: ReadonlyArray<JsonObject>, asked?: Asked) =>
  outcome(streamed(anthropicMessages, [started, ...frames], { marked: false, asked: asked ?? {} }))

describe("anthropic-messages answers", () => {
  it("reads text and usage, whose totals grow", () => {
    expect(read([{ type: "ping" }, ...text("Hello"), ...ended("end_turn")])).toEqual({
      items: [{ type: "text", text: "Hello" }],
      ending: { reason: "stop", stopSequence: null },
      usage: {
        inputTokens: 10,
        cacheReadTokens: 7,
        cacheWriteTokens: 3,
        outputTokens: 9,
        reasoningTokens: 0,
        searches: 0
      }
    })
  })

  it("reads how much of what was written into a cache is kept for an hour, as far as that can be", () => {
    const told = (cache_creation: unknown) =>
      readUsage({ input_tokens: 1, output_tokens: 1, cache_creation_input_tokens: 5, cache_creation }, undefined)
    const hour = { ephemeral_5m_input_tokens: 2, ephemeral_1h_input_tokens: 3 }
    expect(told(hour)).toMatchObject({ cacheWriteTokens: 5, cacheWriteHourTokens: 3 })
    expect(readUsage({ output_tokens: 9 }, told(hour))).toMatchObject({ outputTokens: 9, cacheWriteHourTokens: 3 })
    expect(told(null)).not.toHaveProperty("cacheWriteHourTokens")
    // Before the whole is, as far as it can be, and without it.
    const before = readUsage({ input_tokens: 1, cache_creation_input_tokens: 0, cache_creation: hour }, undefined)
    const whole = readUsage({ output_tokens: 9, cache_creation_input_tokens: 1_000 }, before)
    expect([before, whole].map((usage) => hourTokens(usage ?? noUsage))).toEqual([0, 3])
    expect(hourTokens(told({ ephemeral_1h_input_tokens: 50 }) ?? noUsage)).toBe(5)
    expect(readUsage({ input_tokens: 1, cache_creation: hour }, undefined)).toMatchObject({ cacheWriteTokens: 5 })
    for (const none of [-600, 0.5, "600", 1e300, {}]) {
      expect(told({ ephemeral_1h_input_tokens: none })).toMatchObject({ inputTokens: 1, cacheWriteTokens: 5 })
      expect(told({ ephemeral_1h_input_tokens: none })).not.toHaveProperty("cacheWriteHourTokens")
    }
  })

  it("reads thinking with its signature, and redacted thinking", () => {
    const frames = [
      start({ type: "thinking", thinking: "", signature: "" }),
      delta({ type: "thinking_delta", thinking: "hm" }),
      delta({ type: "signature_delta", signature }),
      stop(),
      start({ type: "redacted_thinking", data: "opaque" }, 1),
      stop(1),
      ...text("Hi", 2)
    ]
    expect(read([...frames, ...ended("end_turn")]).items).toEqual([
      { type: "reasoning", text: "hm", signature },
      { type: "redacted-reasoning", data: "opaque" },
      { type: "text", text: "Hi" }
    ])
  })

  it("reads parallel calls, one without arguments", () => {
    const frames = [
      start({ type: "tool_use", id: "toolu_1", name: "get_weather", input: {} }),
      delta({ type: "input_json_delta", partial_json: "" }),
      delta({ type: "input_json_delta", partial_json: '{"city":' }),
      delta({ type: "input_json_delta", partial_json: '"Paris"}' }),
      stop(),
      start({ type: "tool_use", id: "toolu_2", name: "now", input: {} }, 1),
      stop(1)
    ]
    expect(read([...frames, ...ended("tool_use")])).toMatchObject({
      items: [
        { callId: "toolu_1", name: "get_weather", text: '{"city":"Paris"}' },
        { callId: "toolu_2", name: "now", text: "{}" }
      ],
      ending: { reason: "tool-calls" }
    })
  })

  it("tells a call whose arguments are cut as cut, and fails where nothing says that they are", () => {
    const half = (reason: string, written: string) => [
      start({ type: "tool_use", id: "toolu_1", name: "f", input: {} }),
      ...(written === "" ? [] : [delta({ type: "input_json_delta", partial_json: written })]),
      stop(),
      ...ended(reason)
    ]
    const cut = { type: "tool-call", callId: "toolu_1", name: "f", kind: "function", cut: true }
    expect(read(half("max_tokens", '{"a":"b'))).toMatchObject({
      items: [{ ...cut, text: '{"a":"b' }],
      ending: { reason: "max-tokens" }
    })
    expect(read(half("max_tokens", "")).items).toEqual([cut])
    expect(read(half("tool_use", '{"a":"b')).ending).toMatchObject({ failed: "UpstreamFailed" })
    const custom = { tools: [{ type: "custom", name: "f", description: undefined }] } as const
    expect(read(half("max_tokens", '{"input":"half a'), custom).items).toMatchObject([{ text: "half a", cut: true }])
  })

  it("gives twins, and calls without an id, one of their own", () => {
    const twin = (index: number, id: string) => [
      start({ type: "tool_use", id, name: "f", input: {} }, index),
      delta({ type: "input_json_delta", partial_json: `{"a":${index}}` }, index),
      stop(index)
    ]
    const { items } = read([...twin(0, "t"), ...twin(1, "t"), ...twin(2, ""), ...ended("tool_use")])
    expect(items.map(({ text }) => text)).toEqual(['{"a":0}', '{"a":1}', '{"a":2}'])
    expect(items.map(({ callId }) => callId)).toEqual(["t", "call_msg1_1", "call_msg1_2"])
  })

  it("reads a search, and one text with citations of the blocks it came in", () => {
    const cited = { type: "web_search_result_location", url: "https://e.com", title: "E", cited_text: "quote" }
    const frames = [
      start({ type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} }),
      delta({ type: "input_json_delta", partial_json: '{"query":"x"}' }),
      stop(),
      start(
        {
          type: "web_search_tool_result",
          tool_use_id: "srvtoolu_1",
          content: [
            { type: "web_search_result", url: "javascript:alert(1)", title: "E", encrypted_content: "Eo8" },
            { type: "web_search_result", url: "https://e.com", title: "E", encrypted_content: "Eo8", page_age: "today" }
          ]
        },
        1
      ),
      stop(1),
      ...text("As said: ", 2),
      start({ type: "text", text: "", citations: [] }, 3),
      delta({ type: "citations_delta", citation: { ...cited, url: "javascript:alert(1)" } }, 3),
      delta({ type: "citations_delta", citation: cited }, 3),
      delta({ type: "text_delta", text: "it is so" }, 3),
      stop(3)
    ]
    expect(read([...frames, ...ended("end_turn")]).items).toEqual([
      {
        type: "search",
        id: "srvtoolu_1",
        query: "x",
        outcome: {
          type: "results",
          results: [{ url: "https://e.com", title: "E", text: "", sealed: "Eo8", pageAge: "today" }]
        }
      },
      {
        type: "text",
        text: "As said: it is so",
        citations: [{ url: "https://e.com", title: "E", citedText: "quote", start: 9, end: 17 }]
      }
    ])
  })

  it("reads a search that failed", () => {
    const frames = [
      start({ type: "server_tool_use", id: "s1", name: "web_search", input: { query: "x" } }),
      stop(),
      start(
        {
          type: "web_search_tool_result",
          tool_use_id: "s1",
          content: { type: "web_search_tool_result_error", error_code: "max_uses_exceeded" }
        },
        1
      ),
      stop(1)
    ]
    expect(read([...frames, ...ended("end_turn")]).items).toMatchObject([
      { outcome: { type: "error", code: "max_uses_exceeded" } }
    ])
  })

  it.each([
    ["end_turn", "stop"],
    ["max_tokens", "max-tokens"],
    ["pause_turn", "pause"],
    ["refusal", "refusal"],
    ["model_context_window_exceeded", "context-exceeded"],
    ["something_new", "stop"]
  ])("reads stop_reason %s as %s", (stopReason, reason) => {
    expect(read([...text("a"), ...ended(stopReason)]).ending).toMatchObject({ reason })
  })

  it("names the stop sequence", () => {
    expect(read([...text("a"), ...ended("stop_sequence", "END")]).ending).toEqual({
      reason: "stop-sequence",
      stopSequence: "END"
    })
  })

  it("reads the answer's tool as the answer's text", () => {
    const format = {
      type: "json-schema",
      name: "answer",
      description: undefined,
      schema: { type: "object" },
      strict: undefined
    } as const
    const frames = [
      start({ type: "tool_use", id: "t1", name: "json_answer", input: {} }),
      delta({ type: "input_json_delta", partial_json: '{"a":1}' }),
      stop()
    ]
    // The model `m` has no structured output of its own.
    expect(read([...frames, ...ended("tool_use")], { format })).toMatchObject({
      items: [{ type: "text", text: '{"a":1}' }],
      ending: { reason: "stop" }
    })
  })

  it("fails on an error in mid-stream and on a stream that is cut", () => {
    const error = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } }
    expect(read([...text("a"), error, ...ended("end_turn")]).ending).toMatchObject({ failed: "UpstreamFailed" })
    expect(read(text("a")).ending).toMatchObject({ failed: "UpstreamFailed" })
  })

  it("reads a message in one piece like a stream", () => {
    const message = {
      id: "msg_1",
      type: "message",
      role: "assistant",
      content: [
        { type: "thinking", thinking: "hm", signature },
        { type: "text", text: "Hi" },
        { type: "tool_use", id: "t1", name: "get_weather", input: { city: "Paris" } }
      ],
      stop_reason: "tool_use",
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 2 }
    }
    expect(outcome(answered(anthropicMessages, message))).toMatchObject({
      items: [
        { type: "reasoning", text: "hm", signature },
        { type: "text", text: "Hi" },
        { type: "tool-call", callId: "t1", text: '{"city":"Paris"}' }
      ],
      ending: { reason: "tool-calls" },
      usage: { inputTokens: 1, outputTokens: 2 }
    })
  })
})
