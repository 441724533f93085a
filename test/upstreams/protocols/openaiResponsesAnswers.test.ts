import { describe, expect, it } from "@effect/vitest"
import type { JsonObject } from "../../../src/contract/fields.ts"
import { openaiResponses } from "../../../src/upstreams/protocols/openaiResponses/openaiResponses.ts"
import { user } from "../conversations.ts"
import { answered, outcome, streamed } from "../events.ts"
import { lower } from "./responsesFrames.ts"
import type { Asked } from "./responsesFrames.ts"

const completed = (over: JsonObject = {}): JsonObject => ({
  type: "response.completed",
  response: { status: "completed", usage: { input_tokens: 10, output_tokens: 5 }, ...over }
})

const added = (output_index: number, item: JsonObject): JsonObject => ({
  type: "response.output_item.added",
  output_index,
  item
})

const done = (output_index: number, item: JsonObject): JsonObject => ({
  type: "response.output_item.done",
  output_index,
  item
})

const read = (frames: ReadonlyArray<JsonObject>, asked?: Asked) =>
  outcome(streamed(openaiResponses, [{ type: "response.created" }, ...frames], { marked: false, asked: asked ?? {} }))

describe("the end of an openai-responses stream", () => {
  const message = {
    type: "message",
    id: "m",
    role: "assistant",
    content: [{ type: "output_text", text: "Hi", annotations: [] }]
  }
  const called = { type: "function_call", id: "f", call_id: "c1", name: "get_weather", arguments: '{"city":"Paris"}' }

  it("tells what nothing before it has told", () => {
    const { ending, items } = read([completed({ output: [message, called] })])
    expect(items).toMatchObject([
      { type: "text", text: "Hi" },
      { type: "tool-call", name: "get_weather", text: '{"city":"Paris"}' }
    ])
    expect(ending).toMatchObject({ reason: "tool-calls" })
  })

  it("tells nothing twice", () => {
    const { items } = read([added(0, message), done(0, message), completed({ output: [message, called] })])
    expect(items).toMatchObject([{ type: "text", text: "Hi" }])
  })
})

describe("openai-responses answers", () => {
  it("reads text with citations and usage, cached tokens apart", () => {
    const annotation = { type: "url_citation", start_index: 0, end_index: 2, url: "https://e.com", title: "E" }
    const usage = {
      input_tokens: 10,
      input_tokens_details: { cached_tokens: 4 },
      output_tokens: 5,
      output_tokens_details: { reasoning_tokens: 2 }
    }
    const frames = [
      added(0, { type: "message", id: "msg_1" }),
      { type: "response.content_part.added", output_index: 0, part: { type: "output_text", text: "" } },
      { type: "response.output_text.delta", output_index: 0, delta: "Hel" },
      { type: "response.output_text.delta", output_index: 0, delta: "lo" },
      { type: "response.output_text.annotation.added", output_index: 0, annotation },
      {
        type: "response.output_text.annotation.added",
        output_index: 0,
        annotation: { ...annotation, url: "javascript:alert(1)" }
      },
      { type: "response.content_part.done", output_index: 0, part: { type: "output_text", text: "Hello" } },
      done(0, { type: "message", id: "msg_1", content: [{ type: "output_text", text: "Hello" }] })
    ]
    expect(read([...frames, completed({ usage })])).toEqual({
      items: [
        {
          type: "text",
          text: "Hello",
          citations: [{ url: "https://e.com", title: "E", citedText: "", start: 0, end: 2 }]
        }
      ],
      ending: { reason: "stop", stopSequence: null },
      usage: {
        inputTokens: 6,
        cacheReadTokens: 4,
        cacheWriteTokens: 0,
        outputTokens: 5,
        reasoningTokens: 2,
        searches: 0
      }
    })
  })

  it("reads reasoning with what replays it, summary parts apart, or only what replays it", () => {
    const frames = [
      added(0, { type: "reasoning", id: "rs_1", summary: [] }),
      { type: "response.reasoning_summary_part.added", output_index: 0, summary_index: 0 },
      { type: "response.reasoning_summary_text.delta", output_index: 0, summary_index: 0, delta: "a" },
      { type: "response.reasoning_summary_part.added", output_index: 0, summary_index: 1 },
      { type: "response.reasoning_summary_text.delta", output_index: 0, summary_index: 1, delta: "b" },
      done(0, { type: "reasoning", id: "rs_1", encrypted_content: "gAAAAA1" }),
      added(1, { type: "reasoning", id: "rs_2", summary: [] }),
      done(1, { type: "reasoning", id: "rs_2", summary: [], encrypted_content: "gAAAAA2" })
    ]
    expect(read([...frames, completed()]).items).toEqual([
      { type: "reasoning", text: "a\n\nb", signature: "gAAAAA1" },
      { type: "reasoning", signature: "gAAAAA2" }
    ])
  })

  it("reads parallel calls, function and custom, whole or in pieces", () => {
    const frames = [
      added(0, { type: "function_call", id: "fc_1", call_id: "call_1", name: "get_weather", arguments: "" }),
      { type: "response.function_call_arguments.delta", output_index: 0, delta: '{"city":' },
      { type: "response.function_call_arguments.delta", output_index: 0, delta: '"Paris"}' },
      done(0, { type: "function_call", id: "fc_1", call_id: "call_1", arguments: '{"city":"Paris"}' }),
      added(1, { type: "custom_tool_call", id: "ct_1", call_id: "call_2", name: "patch" }),
      { type: "response.custom_tool_call_input.delta", output_index: 1, delta: "*** Begin" },
      done(1, { type: "custom_tool_call", call_id: "call_2", input: "*** Begin" }),
      done(2, { type: "function_call", id: "fc_3", call_id: "call_3", name: "now", arguments: "" })
    ]
    expect(read([...frames, completed()])).toMatchObject({
      items: [
        { callId: "call_1", name: "get_weather", kind: "function", text: '{"city":"Paris"}' },
        { callId: "call_2", name: "patch", kind: "custom", text: "*** Begin" },
        { callId: "call_3", name: "now", text: "{}" }
      ],
      ending: { reason: "tool-calls" }
    })
  })

  it("tells a call whose arguments are cut as cut, and fails where nothing says that they are", () => {
    const item = { type: "function_call", call_id: "c", name: "f", arguments: '{"a":"b', status: "incomplete" }
    const incomplete = { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } }
    const cut = { type: "tool-call", callId: "c", name: "f", kind: "function", cut: true }
    const half = (frames: ReadonlyArray<JsonObject>, response: JsonObject) =>
      read([added(0, { ...item, arguments: "" }), ...frames, completed(response)])
    const piece = { type: "response.function_call_arguments.delta", output_index: 0, delta: '{"a":"b' }
    for (const frames of [[done(0, item)], [piece, done(0, item)], [piece]]) {
      expect(half(frames, incomplete)).toMatchObject({
        items: [{ ...cut, text: '{"a":"b' }],
        ending: { reason: "max-tokens" }
      })
      expect(half(frames, { status: "completed" }).ending).toMatchObject({ failed: "UpstreamFailed" })
    }
    expect(half([done(0, { ...item, arguments: "" })], incomplete).items).toEqual([cut])
    const whole = { status: "incomplete", output: [item], incomplete_details: { reason: "max_output_tokens" } }
    expect(outcome(answered(openaiResponses, whole)).items).toEqual([{ ...cut, text: '{"a":"b' }])
  })

  it("knows its own searches under the names of other families, and names one whose results are lost", () => {
    const searched = (id: string) => {
      const { adapted, body } = lower({ items: [user("Hi"), { type: "search", id, query: "q", outcome: undefined }] })
      return [adapted, body["input"]]
    }
    expect(searched("srvtoolu_ws_1")).toMatchObject([[], [{}, { type: "web_search_call", id: "ws_1" }]])
    expect(searched("srvtoolu_1")).toMatchObject([["web_search_call"], [{ role: "user" }]])
  })

  it("gives twins, and calls without an id, one of their own", () => {
    const twin = (index: number, call_id: string) => {
      const item = { type: "function_call", call_id, name: "f", arguments: `{"a":${index}}` }
      return [added(index, { ...item, arguments: "" }), done(index, item)]
    }
    const { items } = read([...twin(0, "t"), ...twin(1, "t"), ...twin(2, ""), completed()])
    expect(items.map(({ text }) => text)).toEqual(['{"a":0}', '{"a":1}', '{"a":2}'])
    expect(items.map(({ callId }) => callId)).toEqual([
      "t",
      expect.stringMatching(/^call_[0-9a-f]{32}_1$/),
      expect.stringMatching(/^call_[0-9a-f]{32}_2$/)
    ])
  })

  it("reads a search with its sources, and counts it", () => {
    const action = { type: "search", query: "x", sources: [{ type: "url", url: "https://e.com" }] }
    const frames = [
      added(0, { type: "web_search_call", id: "ws_1", status: "in_progress" }),
      { type: "response.web_search_call.searching", output_index: 0 },
      done(0, { type: "web_search_call", id: "ws_1", status: "completed", action })
    ]
    const { items, usage } = read([...frames, completed()])
    expect(items).toMatchObject([{ type: "search", id: "ws_1", query: "x", outcome: { type: "results" } }])
    expect(usage).toMatchObject({ searches: 1 })
  })

  it.each([
    ["max_output_tokens", "max-tokens"],
    ["content_filter", "refusal"]
  ])("reads an answer cut by %s", (reason, expected) => {
    const incomplete = { status: "incomplete", incomplete_details: { reason } }
    expect(read([{ ...completed(incomplete), type: "response.incomplete" }]).ending).toMatchObject({ reason: expected })
  })

  it.each([
    ["nested", { type: "error", error: { type: "server_error", code: "server_error", message: "10.0.0.3" } }],
    ["flat", { type: "error", code: "server_error", message: "10.0.0.3", param: null }],
    [
      "failed",
      { type: "response.failed", response: { status: "failed", error: { code: "server_error", message: "10.0.0.3" } } }
    ]
  ])("fails on a %s error and keeps the upstream's trouble to itself", (_, frame) => {
    expect(read([frame, completed()]).ending).toEqual({
      failed: "UpstreamFailed",
      message: "The model's upstream failed"
    })
  })

  it("keeps the upstream's words where they are about the caller's input, and fails where the stream is cut", () => {
    const error = { code: "invalid_prompt", message: "Your prompt is not allowed." }
    expect(read([{ type: "error", ...error }]).ending).toEqual({
      failed: "InvalidRequest",
      message: "Your prompt is not allowed."
    })
    expect(read([]).ending).toMatchObject({ failed: "UpstreamFailed" })
  })

  it("reads a response in one piece like a stream", () => {
    const output = [
      { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "hm" }], encrypted_content: "gAAAAA" },
      {
        type: "message",
        id: "msg_1",
        content: [
          { type: "output_text", text: "Hi", annotations: [] },
          { type: "refusal", refusal: "No." }
        ]
      },
      { type: "function_call", id: "fc_1", call_id: "call_1", name: "now", arguments: "" }
    ]
    const response = { object: "response", status: "completed", output, usage: { input_tokens: 1, output_tokens: 2 } }
    expect(outcome(answered(openaiResponses, response))).toMatchObject({
      items: [
        { type: "reasoning", text: "hm", signature: "gAAAAA" },
        { type: "text", text: "Hi" },
        { type: "refusal", text: "No." },
        { type: "tool-call", callId: "call_1", text: "{}" }
      ],
      ending: { reason: "tool-calls" },
      usage: { inputTokens: 1, outputTokens: 2 }
    })
  })
})
