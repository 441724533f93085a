import { describe, expect, it } from "@effect/vitest"
import type { FileSource } from "../../../src/generation/Conversation.ts"
import { anthropicMessages } from "../../../src/upstreams/protocols/anthropicMessages/anthropicMessages.ts"
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
import { signature } from "./anthropicFrames.ts"
import type { Asked } from "./anthropicFrames.ts"

const lower = (over: Asked, model = "claude-sonnet-4-5") =>
  anthropicMessages.lower(conversation(over), { model, stream: true })

const messages = (over: Asked) => lower(over).body["messages"]
const reasoning = { enabled: undefined, effort: undefined, budgetTokens: undefined, summary: undefined }

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
    const legal = expect.stringMatching(/^call_1_[a-z0-9]+$/)
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
          { type: "tool_use", id: legal, name: "get_weather", input: { city: "Paris" } },
          { type: "tool_use", id: "call_2", name: "get_weather", input: {} }
        ]
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: legal, content: [{ type: "text", text: "sunny" }] },
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
    const file = (type: "image" | "document", source: FileSource) =>
      ({ type, source, name: "n", detail: "auto" }) as const
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
      items: [{ type: "message", role: "user", content: [{ type: "text", text: "Hi", cacheMark: {} }] }]
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
