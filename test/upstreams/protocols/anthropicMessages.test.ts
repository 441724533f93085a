import { describe, expect, it } from "@effect/vitest"
import type { JsonObject } from "../../../src/contract/fields.ts"
import { anthropicMessages } from "../../../src/upstreams/protocols/anthropicMessages/anthropicMessages.ts"
import { hourTokens, noUsage } from "../../../src/generation/GenerationEvent.ts"
import { readUsage } from "../../../src/upstreams/protocols/anthropicMessages/usage.ts"
import {
  assistant,
  call,
  conversation,
  pixel,
  result,
  search,
  system,
  thought,
  user,
  weather
} from "../conversations.ts"
import { answered, outcome, streamed } from "../events.ts"

type Asked = Parameters<typeof conversation>[0]
const lower = (over: Asked, model = "claude-sonnet-4-5") =>
  anthropicMessages.lower(conversation(over), { model, stream: true })
const messages = (over: Asked) => lower(over).body["messages"]
const reasoning = { enabled: undefined, effort: undefined, budgetTokens: undefined, summary: undefined }
const signature = "EqQBCkYIBxgCKkDT"

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

describe("anthropic-messages requests", () => {
  it("makes alternating turns, results first, system text on top or marked", () => {
    const { body } = lower({
      system: ["Be brief."],
      items: [
        system("Be kind."),
        user("Weather?"),
        thought("two cities", signature),
        assistant("Looking."),
        call("call.1", "get_weather", '{"city":"Paris"}'),
        call("call_2", "get_weather", ""),
        user("Hurry!"),
        system("They are in a hurry."),
        result("call.1", "sunny"),
        result("call_2", "no such city", true)
      ]
    })
    expect(body["system"]).toEqual([
      { type: "text", text: "Be brief." },
      { type: "text", text: "Be kind." }
    ])
    expect(body["messages"]).toEqual([
      { role: "user", content: [{ type: "text", text: "Weather?" }] },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "two cities", signature },
          { type: "text", text: "Looking." },
          { type: "tool_use", id: "call_1", name: "get_weather", input: { city: "Paris" } },
          { type: "tool_use", id: "call_2", name: "get_weather", input: {} }
        ]
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "call_1", content: [{ type: "text", text: "sunny" }] },
          {
            type: "tool_result",
            tool_use_id: "call_2",
            content: [{ type: "text", text: "no such city" }],
            is_error: true
          },
          { type: "text", text: "Hurry!" },
          { type: "text", text: "<system>\nThey are in a hurry.\n</system>" }
        ]
      }
    ])
  })

  it("replays only thinking that Anthropic signed, and redacted thinking as it was", () => {
    const origin = { by: "anthropic", model: "claude-sonnet-4-5" }
    const redacted = { type: "reasoning", text: "", signature: undefined, redacted: "opaque", origin } as const
    const others = { ...redacted, origin: { ...origin, model: "claude-opus-4-5" } }
    const { origin: _, ...nobodys } = redacted
    expect(
      messages({
        items: [user("a"), thought("x", "gAAAAABo"), thought("y"), others, nobodys, redacted, assistant("b")]
      })
    ).toMatchObject([
      {},
      {
        role: "assistant",
        content: [
          { type: "redacted_thinking", data: "opaque" },
          { type: "text", text: "b" }
        ]
      }
    ])
  })

  it("sends images and documents as they are, text documents as text", () => {
    const file = (type: "image" | "document", source: object) => ({ type, source, name: "n", detail: "auto" }) as never
    const content = [
      file("image", { type: "base64", mediaType: "image/png", data: pixel }),
      file("image", { type: "url", url: "https://e.com/a.png" }),
      file("document", { type: "base64", mediaType: "application/pdf", data: "JVBERi0=" }),
      file("document", { type: "base64", mediaType: "text/csv", data: btoa("a,b") })
    ]
    expect(messages({ items: [{ type: "message", role: "user", content }] })).toMatchObject([
      {
        content: [
          { type: "image", source: { type: "base64", media_type: "image/png", data: pixel } },
          { type: "image", source: { type: "url", url: "https://e.com/a.png" } },
          { type: "document", source: { type: "base64", media_type: "application/pdf" }, title: "n" },
          { type: "document", source: { type: "text", media_type: "text/plain", data: "a,b" } }
        ]
      }
    ])
    const word = file("document", { type: "base64", mediaType: "application/msword", data: "AAAA" })
    expect(lower({ items: [{ type: "message", role: "user", content: [word] }] }).refused?.param).toBe("document")
  })

  it("replays its own searches with their sealed pages, others as text, and names one whose results are lost", () => {
    const searched = (id: string, result: object) =>
      lower({
        items: [
          user("Hi"),
          {
            type: "search",
            id,
            query: "q",
            outcome: {
              type: "results",
              results: [{ url: "https://e.com", title: "E", text: "", pageAge: null, ...result }]
            }
          }
        ]
      }).body["messages"]
    expect(searched("srvtoolu_1", { sealed: "Eo8" })).toMatchObject([
      {},
      {
        role: "assistant",
        content: [
          { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "q" } },
          {
            type: "web_search_tool_result",
            tool_use_id: "srvtoolu_1",
            content: [{ type: "web_search_result", url: "https://e.com", encrypted_content: "Eo8" }]
          }
        ]
      }
    ])
    expect(JSON.stringify(searched("call_1", { text: "The page." }))).toContain("The page.")
    const lost = lower({ items: [user("Hi"), { type: "search", id: "ws_1", query: "q", outcome: undefined }] })
    expect(lost.adapted).toEqual(["web_search_call"])
  })

  it("marks the prompt of a single question where the caller gives it a key", () => {
    const first = (over: Asked) => lower({ system: ["Be brief."], cachesByItself: true, ...over })
    expect(JSON.stringify(first({}).body)).not.toContain("cache_control")
    const { adapted, body } = first({ cacheKey: "k" })
    const cache_control = { type: "ephemeral" }
    expect(body["system"]).toEqual([{ type: "text", text: "Be brief.", cache_control }])
    expect(body["messages"]).toEqual([{ role: "user", content: [{ type: "text", text: "Hi", cache_control }] }])
    expect(adapted).toEqual([])
  })

  it("marks tools, system text and the user's last two turns, for an hour where a day is asked for", () => {
    const all = {
      system: ["Be brief.", "Be kind."],
      tools: [weather, { ...weather, name: "get_time" }],
      items: [user("Hi"), assistant("Hello"), user("Paris?"), assistant("Sunny."), user("And Rome?")],
      cachesByItself: true
    }
    const marks = (over: Asked) =>
      JSON.stringify(lower({ ...all, ...over }).body, (key, value) => (key === "cache_control" ? undefined : value))
        .length
    const { adapted, body } = lower({ ...all, cacheRetention: "24h" })
    const cache_control = { type: "ephemeral", ttl: "1h" }
    expect(body["tools"]).toMatchObject([{ name: "get_weather" }, { name: "get_time", cache_control }])
    expect(body["system"]).toEqual([
      { type: "text", text: "Be brief." },
      { type: "text", text: "Be kind.", cache_control }
    ])
    expect(body["messages"]).toMatchObject([
      { content: [{ text: "Hi" }] },
      { content: [{ text: "Hello" }] },
      { content: [{ text: "Paris?", cache_control }] },
      { content: [{ text: "Sunny." }] },
      { content: [{ text: "And Rome?", cache_control }] }
    ])
    expect(JSON.stringify(body).match(/cache_control/g)).toHaveLength(4)
    expect(adapted).toEqual([])
    const five = lower({ ...all, cacheRetention: "in_memory" }).body
    expect(JSON.stringify(five).match(/"cache_control":\{"type":"ephemeral"\}/g)).toHaveLength(4)
    expect(marks({ cacheRetention: "24h" })).toBe(marks({}))
  })

  it("marks every prompt of an upstream whose entry says so, unless the caller has", () => {
    const said = (over: Asked, cachesAll: boolean) =>
      JSON.stringify(
        anthropicMessages.lower(conversation(over), { model: "claude-sonnet-4-5", stream: true, cachesAll }).body
      )
    expect(said({}, false)).not.toContain("cache_control")
    expect(said({}, true)).toContain('"text":"Hi","cache_control":{"type":"ephemeral"}')
    const own: Asked = {
      system: ["Be brief."],
      items: [{ type: "message", role: "user", content: [{ type: "text", text: "Hi", cacheBreakpoint: true }] }]
    }
    expect(said(own, true)).toBe(said(own, false))
  })

  it("says tools, choices and searches in its own words", () => {
    const tools = [weather, { ...search, allowedDomains: ["e.com"], maxUses: 3 }]
    const { body } = lower({ tools, toolChoice: { type: "required", names: undefined }, parallelToolCalls: false })
    expect(body).toMatchObject({
      tools: [
        { name: "get_weather", input_schema: { type: "object" } },
        { type: "web_search_20250305", name: "web_search", max_uses: 3, allowed_domains: ["e.com"] }
      ],
      tool_choice: { type: "any", disable_parallel_tool_use: true }
    })
    expect(lower({ tools, toolChoice: { type: "tool", name: "get_weather" } }).body["tool_choice"]).toEqual({
      type: "tool",
      name: "get_weather"
    })
  })

  it("makes thinking of an effort as the model takes it", () => {
    const high = { ...reasoning, effort: "high" } as const
    expect(lower({ reasoning: high }).body).toMatchObject({ thinking: { type: "enabled", budget_tokens: 16_384 } })
    expect(lower({ reasoning: high, maxOutputTokens: 2_000 }).body).toMatchObject({
      max_tokens: 2_000,
      thinking: { budget_tokens: 1_600 }
    })
    const adaptive = lower({ reasoning: high }, "claude-opus-4-6").body
    expect(adaptive).toMatchObject({ thinking: { type: "adaptive" }, output_config: { effort: "high" } })
    const small = lower({ reasoning: high, maxOutputTokens: 500 })
    expect(small.body).not.toHaveProperty("thinking")
    expect(small.adapted).toEqual(["reasoning.effort"])
    expect(lower({ reasoning: { ...reasoning, effort: "none" } }).body).not.toHaveProperty("thinking")
  })

  it("goes on without thinking where the turn began without, or a tool is forced", () => {
    const high = { ...reasoning, effort: "high" } as const
    const loop = [user("a"), call("c1", "get_weather", "{}"), result("c1", "ok")]
    expect(lower({ items: loop, reasoning: high }).adapted).toEqual(["reasoning.effort"])
    const signed = [user("a"), thought("x", signature), ...loop.slice(1)]
    expect(lower({ items: signed, reasoning: high }).body).toHaveProperty("thinking")
    const forced = lower({ tools: [weather], toolChoice: { type: "tool", name: "get_weather" }, reasoning: high })
    expect(forced.body).not.toHaveProperty("thinking")
  })

  it("sets the sampling the model takes and lists the rest", () => {
    const sampling = { temperature: 1.5, topP: 0.9, topK: 5 }
    const old = lower({ sampling }, "claude-3-5-haiku-20241022")
    expect(old.body).toMatchObject({ temperature: 1, top_p: 0.9, top_k: 5, max_tokens: 8_192 })
    expect(old.adapted).toEqual(["temperature"])
    const newer = lower({ sampling: { ...sampling, temperature: 0.5 } })
    expect(newer.body).toMatchObject({ temperature: 0.5, top_k: 5 })
    expect(newer.adapted).toEqual(["top_p"])
  })

  it("asks for structured output by field, or by a tool where the model has no field", () => {
    const schema = { type: "object", properties: { a: { type: "object", properties: {} } } }
    const format = { type: "json-schema", name: "answer", description: undefined, schema, strict: undefined } as const
    expect(lower({ format }).body["output_config"]).toMatchObject({
      format: {
        type: "json_schema",
        schema: { additionalProperties: false, properties: { a: { additionalProperties: false } } }
      }
    })
    const byTool = lower({ format }, "claude-sonnet-4-20250514").body
    expect(byTool).toMatchObject({
      tools: [{ name: "json_answer", input_schema: schema }],
      tool_choice: { type: "tool", name: "json_answer" }
    })
  })

  it("always bounds the answer", () => {
    expect(lower({}).body["max_tokens"]).toBe(32_000)
    expect(lower({ maxOutputTokens: 5, stopSequences: ["END"], endUser: "u1" }).body).toMatchObject({
      max_tokens: 5,
      stop_sequences: ["END"],
      metadata: { user_id: "u1" }
    })
  })
})

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
            { type: "web_search_result", url: "https://e.com", title: "E", encrypted_content: "Eo8", page_age: "today" }
          ]
        },
        1
      ),
      stop(1),
      ...text("As said: ", 2),
      start({ type: "text", text: "", citations: [] }, 3),
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
