import { describe, expect, it } from "@effect/vitest"
import { RateLimited, UpstreamFailed } from "../../src/contract/failures/Failure.ts"
import type { FinishReason, GenerationEvent } from "../../src/generation/GenerationEvent.ts"
import { noUsage } from "../../src/generation/GenerationEvent.ts"
import { unsealThinking } from "../../src/messages/opaque.ts"
import { events, streams } from "./golden.ts"
import { rendered, run } from "./machine.ts"

const text = (text: string): ReadonlyArray<GenerationEvent> => [
  { type: "text-start" },
  { type: "text-delta", text },
  { type: "text-end" }
]
const finished = (reason: FinishReason = "stop", stopSequence: string | null = null): GenerationEvent => ({
  type: "finished",
  reason,
  stopSequence
})

describe("reference streams", () => {
  for (const name of ["text", "tool", "reason", "search"] as const) {
    it(`${name}: byte for byte`, () => {
      const stream = rendered(run(events[name]).frames)
      expect(stream.replaceAll(/"encrypted_content":"[^"]+"/g, '"encrypted_content":"<opaque>"')).toBe(streams[name])
    })
  }
})

describe("the synchronous message", () => {
  it("of a text", () => {
    expect(run(events.text).state.message).toEqual({
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "gw-text",
      content: [{ type: "text", text: "Hello" }],
      stop_reason: "end_turn",
      stop_sequence: null,
      usage: {
        input_tokens: 10,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
        cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
        output_tokens: 5
      }
    })
  })

  it("of a tool call holds its input as an object", () => {
    expect(run(events.tool).state.message).toMatchObject({
      content: [{ type: "tool_use", id: "toolu_1", name: "get_weather", input: { city: "Paris" } }],
      stop_reason: "tool_use"
    })
  })

  it("of an answer cut inside a call goes without it", () => {
    const half = (text: string): ReadonlyArray<GenerationEvent> => [
      { type: "text-delta", text: "I look." },
      { type: "tool-call-start", callId: "c", name: "f", kind: "function" },
      ...(text === "" ? [] : [{ type: "tool-call-delta", callId: "c", text } as const])
    ]
    for (const text of ["", '{"city":"Par']) {
      expect(run([...half(text), finished("max-tokens")]).state.message).toMatchObject({
        content: [{ type: "text", text: "I look." }],
        stop_reason: "max_tokens"
      })
    }
    expect(run([...half("{}"), finished("max-tokens")]).state.message.content).toHaveLength(2)
    expect(run([...half(""), finished("tool-calls")]).state.message.content).toHaveLength(2)
  })

  for (const none of ["", "[1]"]) {
    it(`of a tool call whose arguments are ${JSON.stringify(none)} has an empty input`, () => {
      const { state } = run([
        { type: "tool-call-start", callId: "c", name: "f", kind: "function" },
        { type: "tool-call-delta", callId: "c", text: none },
        finished("tool-calls")
      ])
      expect(state.message).toMatchObject({ content: [{ type: "tool_use", input: {} }], stop_reason: "tool_use" })
    })
  }

  it("tells what is kept for an hour apart from what is for five minutes", () => {
    const usage = { ...noUsage, cacheWriteTokens: 3, cacheWriteHourTokens: 2 }
    expect(run([{ type: "usage", usage }, finished()]).state.message.usage).toMatchObject({
      cache_creation_input_tokens: 3,
      cache_creation: { ephemeral_5m_input_tokens: 1, ephemeral_1h_input_tokens: 2 }
    })
  })

  it("counts cached tokens and searches apart", () => {
    const usage = { ...noUsage, inputTokens: 1, cacheReadTokens: 2, cacheWriteTokens: 3, outputTokens: 4, searches: 5 }
    const { state, frames } = run([{ type: "usage", usage }, finished()])
    expect(state.message.usage).toEqual({
      input_tokens: 1,
      cache_read_input_tokens: 2,
      cache_creation_input_tokens: 3,
      cache_creation: { ephemeral_5m_input_tokens: 3, ephemeral_1h_input_tokens: 0 },
      output_tokens: 4,
      server_tool_use: { web_search_requests: 5, web_fetch_requests: 0 }
    })
    expect(frames.find(({ type }) => type === "message_delta")).toMatchObject({
      usage: { server_tool_use: { web_search_requests: 5 } }
    })
  })
})

describe("stop reasons", () => {
  const reasons: ReadonlyArray<readonly [FinishReason, string]> = [
    ["stop", "end_turn"],
    ["max-tokens", "max_tokens"],
    ["stop-sequence", "stop_sequence"],
    ["refusal", "refusal"],
    ["context-exceeded", "model_context_window_exceeded"],
    ["pause", "pause_turn"]
  ]
  for (const [reason, stopReason] of reasons) {
    it(`${reason} is ${stopReason}`, () => {
      expect(run([...text("a"), finished(reason)]).state.message.stop_reason).toBe(stopReason)
    })
  }

  it("names the stop sequence that was hit", () => {
    expect(run([...text("a"), finished("stop-sequence", "END")]).state.message.stop_sequence).toBe("END")
  })

  it("a refusal is text and ends as one", () => {
    expect(run([{ type: "refusal-delta", text: "No." }, finished()]).state.message).toMatchObject({
      content: [{ type: "text", text: "No." }],
      stop_reason: "refusal"
    })
  })
})

describe("thinking", () => {
  const thought = (signature: string | undefined): ReadonlyArray<GenerationEvent> => [
    { type: "reasoning-delta", text: "because" },
    { type: "reasoning-end", signature },
    ...text("so"),
    finished()
  ]

  it("without a signature gets one of ours", () => {
    const [block] = run(thought(undefined)).state.message.content
    expect(block).toMatchObject({ type: "thinking", thinking: "because", signature: expect.stringMatching(/.+/) })
  })

  it("that is not to be shown is signed all the same", () => {
    const { frames, state } = run(thought("c2ln"), { hideThinking: true })
    expect(state.message.content[0]).toEqual({ type: "thinking", thinking: "", signature: "c2ln" })
    expect(rendered(frames)).not.toContain("because")
  })

  it("that is not to be shown and has no signature survives in ours", () => {
    const [block] = run(thought(undefined), { hideThinking: true }).state.message.content
    expect(block?.type === "thinking" && unsealThinking(block.signature)).toBe("because")
  })

  it("may be unreadable", () => {
    const { frames, state } = run([{ type: "redacted-reasoning", data: "xyz" }, ...text("so"), finished()])
    expect(state.message.content[0]).toEqual({ type: "redacted_thinking", data: "xyz" })
    expect(frames.slice(1, 3)).toEqual([
      { type: "content_block_start", index: 0, content_block: { type: "redacted_thinking", data: "xyz" } },
      { type: "content_block_stop", index: 0 }
    ])
  })
})

describe("web search", () => {
  it("cites in the text that rests on it", () => {
    const citation = { url: "https://e.com", title: "E", citedText: "e".repeat(200), start: 0, end: 5 }
    const { frames, state } = run([{ type: "text-delta", text: "Hello" }, { type: "citation", citation }, finished()])
    const wire = {
      type: "web_search_result_location",
      url: "https://e.com",
      title: "E",
      encrypted_index: expect.stringMatching(/.+/),
      cited_text: "e".repeat(150)
    }
    expect(frames).toContainEqual({
      type: "content_block_delta",
      index: 0,
      delta: { type: "citations_delta", citation: wire }
    })
    expect(state.message.content).toEqual([{ type: "text", text: "Hello", citations: [wire] }])
  })

  it("that failed says so in its result", () => {
    const { state } = run([
      { type: "search-start", id: "s1", query: "q" },
      { type: "search-end", id: "s1", outcome: { type: "error", code: "max_uses_exceeded" } },
      finished()
    ])
    expect(state.message.content).toEqual([
      { type: "server_tool_use", id: "srvtoolu_s1", name: "web_search", input: { query: "q" } },
      {
        type: "web_search_tool_result",
        tool_use_id: "srvtoolu_s1",
        content: { type: "web_search_tool_result_error", error_code: "max_uses_exceeded" }
      }
    ])
  })
})

describe("a failure in mid-stream", () => {
  it("is an error event with the request id, and the last one", () => {
    const { frames } = run([
      { type: "text-delta", text: "Hel" },
      { type: "failed", failure: new UpstreamFailed({ message: "boom" }) },
      { type: "text-delta", text: "lo" },
      finished()
    ])
    expect(frames.map(({ type }) => type)).toEqual([
      "message_start",
      "content_block_start",
      "ping",
      "content_block_delta",
      "error"
    ])
    expect(frames.at(-1)).toEqual({
      type: "error",
      error: { type: "internal_server_error", message: "boom" },
      request_id: "req_1"
    })
  })

  it("keeps its kind", () => {
    const { frames } = run([{ type: "failed", failure: new RateLimited({ retryAfterSeconds: 1 }) }])
    expect(frames.at(-1)).toMatchObject({ error: { type: "rate_limit_error" } })
  })
})

it("a free-text tool's input is wrapped in an object", () => {
  const { frames, state } = run([
    { type: "tool-call-start", callId: "c", name: "sql", kind: "custom" },
    { type: "tool-call-delta", callId: "c", text: "select " },
    { type: "tool-call-delta", callId: "c", text: '"a"' },
    { type: "tool-call-end", callId: "c" },
    finished()
  ])
  expect(state.message.content).toEqual([{ type: "tool_use", id: "c", name: "sql", input: { input: 'select "a"' } }])
  expect(frames).toContainEqual({
    type: "content_block_delta",
    index: 0,
    delta: { type: "input_json_delta", partial_json: '{"input":"select \\"a\\""}' }
  })
})
