import { describe, expect, it } from "@effect/vitest"
import type { Conversation, Item, Part } from "../../../src/generation/Conversation.ts"
import { bedrockConverse } from "../../../src/upstreams/protocols/bedrockConverse/bedrockConverse.ts"
import { assistant, conversation, user, weather } from "../conversations.ts"

const claude = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
const newest = "global.anthropic.claude-opus-4-8"
const nova = "us.amazon.nova-2-lite-v1:0"
const llama = "us.meta.llama3-3-70b-instruct-v1:0"

const lower = (over: Partial<Conversation>, model = claude) =>
  bedrockConverse.lower(conversation(over), { model, stream: true })
const adapted = (over: Partial<Conversation>, model = claude) => lower(over, model).adapted

const reasoning = { enabled: undefined, effort: undefined, budgetTokens: undefined, summary: undefined }
const says = (...content: ReadonlyArray<Part>): Item => ({ type: "message", role: "user", content })
const spec = {
  toolSpec: {
    name: "get_weather",
    description: "The weather",
    inputSchema: { json: weather.parameters }
  }
}

describe("bedrock-converse requests", () => {
  it("make Claude think as its generation does", () => {
    const budget = { ...reasoning, budgetTokens: 4_000, enabled: true }
    expect(lower({ reasoning: budget, maxOutputTokens: 10_000 }).body).toMatchObject({
      inferenceConfig: { maxTokens: 10_000 },
      additionalModelRequestFields: { thinking: { type: "enabled", budget_tokens: 4_000 } }
    })
    expect(lower({ reasoning: { ...reasoning, effort: "xhigh", summary: "auto" } }, newest).body).toMatchObject({
      outputConfig: { effort: "xhigh" },
      additionalModelRequestFields: { thinking: { type: "adaptive", display: "summarized" } }
    })
    const forced = { tools: [weather], toolChoice: { type: "tool", name: "get_weather" } } as const
    expect(lower({ ...forced, reasoning: budget })).toMatchObject({ adapted: ["thinking"] })
    const dated = "us.anthropic.claude-sonnet-4-20250514-v1:0"
    expect(lower({ reasoning: budget, maxOutputTokens: 10_000 }, dated).body).toMatchObject({
      additionalModelRequestFields: { thinking: { type: "enabled" } }
    })
  })

  it("make Nova reason by effort, and leave the rest to it at the highest", () => {
    const high = { ...reasoning, effort: "high" } as const
    const sampling = { temperature: 0.5, topP: 0.9, topK: 20 }
    expect(lower({ reasoning: high, sampling }, nova)).toMatchObject({
      body: { additionalModelRequestFields: { reasoningConfig: { type: "enabled", maxReasoningEffort: "high" } } },
      adapted: ["temperature", "top_p", "top_k"]
    })
    expect(lower({ reasoning: high, sampling }, nova).body["inferenceConfig"]).toBeUndefined()
    expect(lower({ reasoning: high, sampling, maxOutputTokens: 100 }, nova)).toMatchObject({
      body: {
        inferenceConfig: { maxTokens: 100, temperature: 0.5, topP: 0.9 },
        additionalModelRequestFields: {
          inferenceConfig: { topK: 20 },
          reasoningConfig: { type: "enabled", maxReasoningEffort: "medium" }
        }
      },
      adapted: ["reasoning.effort"]
    })
    expect(adapted({ reasoning: high }, llama)).toEqual(["reasoning.effort"])
    expect(adapted({ reasoning: { ...reasoning, effort: "none" } }, llama)).toEqual([])
  })

  it("replay reasoning to the model that signed it", () => {
    const own = (by: string, model: string): Item => ({
      type: "reasoning",
      text: "so",
      signature: "c2ln",
      redacted: undefined,
      origin: { by, model }
    })
    const items = (item: Item) => [user("Hi"), item, assistant("Hello"), user("And?")]
    const sent = { reasoningContent: { reasoningText: { text: "so", signature: "c2ln" } } }
    for (const by of ["bedrock", "anthropic"]) {
      expect(lower({ items: items(own(by, claude)) }).body["messages"]).toMatchObject([
        {},
        { content: [sent, { text: "Hello" }] },
        {}
      ])
    }
    expect(adapted({ items: items(own("bedrock", newest)) })).toEqual(["reasoning"])
    expect(adapted({ items: items(own("anthropic", nova)) }, nova)).toEqual(["reasoning"])
    const redacted: Item = { ...own("bedrock", claude), signature: undefined, redacted: "cmVk" } as Item
    expect(lower({ items: items(redacted) }).body["messages"]).toMatchObject([
      {},
      { content: [{ reasoningContent: { redactedContent: "cmVk" } }, {}] },
      {}
    ])
  })

  it("set cache points where the caller marked, or where the gateway does, as the model takes them", () => {
    const marked = says({ type: "text", text: "Long", cacheMark: { ttl: "1h" } }, { type: "text", text: "?" })
    expect(lower({ items: [marked] }).body["messages"]).toEqual([
      { role: "user", content: [{ text: "Long" }, { cachePoint: { type: "default", ttl: "1h" } }, { text: "?" }] }
    ])
    expect(adapted({ items: [marked], cacheKey: "k" }, llama)).toEqual(["cache_control", "prompt_cache_key"])
    const goesOn = { cachesByItself: true, system: ["Be brief."], tools: [weather] }
    const point = { cachePoint: { type: "default" } }
    expect(lower(goesOn).body).toMatchObject({
      system: [{ text: "Be brief." }, point],
      messages: [{ content: [{ text: "Hi" }, point] }],
      toolConfig: { tools: [spec, point] }
    })
    expect(lower(goesOn, nova).body).toMatchObject({
      system: [{ text: "Be brief." }, point],
      toolConfig: { tools: [spec] }
    })
    expect(JSON.stringify(lower(goesOn, llama).body)).not.toContain("cachePoint")
  })

  it("set the caller's cache points behind system texts, tools, calls, results and media", () => {
    const cacheMark = {}
    const point = { cachePoint: { type: "default" } }
    const call: Item = {
      type: "tool-call",
      callId: "c",
      name: "get_weather",
      arguments: "{}",
      kind: "function",
      cacheMark
    }
    const result: Item = { type: "tool-result", callId: "c", content: [], isError: false, cacheMark }
    const all = {
      system: ["One", "Two"],
      systemMarks: new Map([["Two", cacheMark]]),
      tools: [
        { ...weather, cacheMark },
        { ...weather, name: "other" }
      ],
      items: [user("Hi"), call, result]
    }
    const { adapted: named, body } = lower(all)
    expect(named).toEqual([])
    expect(body).toMatchObject({
      system: [{ text: "One" }, { text: "Two" }, point],
      toolConfig: { tools: [spec, point, { toolSpec: { name: "other" } }] },
      messages: [{}, { content: [{ toolUse: {} }, point] }, { content: [{ toolResult: {} }, point] }]
    })
    expect(JSON.stringify(body).match(/cachePoint/g)).toHaveLength(4)
    expect(lower(all, nova)).toMatchObject({ body: { toolConfig: { tools: [spec, {}] } }, adapted: ["cache_control"] })
    expect(adapted(all, llama)).toContain("cache_control")
    const picture: Part = {
      type: "image",
      source: { type: "base64", mediaType: "image/png", data: "AA==" },
      detail: "auto",
      cacheMark
    }
    expect(lower({ items: [says(picture)] }).body["messages"]).toMatchObject([{ content: [{ image: {} }, point] }])
  })

  it("set one cache point where the marks of moved results meet, one for everything, and an hour where it is taken", () => {
    const point = { cachePoint: { type: "default" } }
    const call = (callId: string): Item => ({ type: "tool-call", callId, name: "f", arguments: "{}", kind: "function" })
    const result = (callId: string): Item => ({
      type: "tool-result",
      callId,
      content: [],
      isError: false,
      cacheMark: {}
    })
    const two = lower({ items: [user("Hi"), call("a"), call("b"), result("a"), result("b")] }).body["messages"]
    expect(two).toMatchObject([{}, {}, { content: [{ toolResult: {} }, { toolResult: {} }, point] }])
    expect(lower({ items: [user("Hi")], cacheMark: {} }).body["messages"]).toEqual([
      { role: "user", content: [{ text: "Hi" }, point] }
    ])
    const long = { items: [user("Hi")], cacheMark: { ttl: "1h" } } as const
    expect(JSON.stringify(lower(long).body)).toContain('"ttl":"1h"')
    for (const model of [nova, "us.anthropic.claude-sonnet-4-20250514-v1:0"]) {
      expect([JSON.stringify(lower(long, model).body).includes("ttl"), adapted(long, model)]).toEqual([
        false,
        ["cache_control.ttl"]
      ])
    }
    const text = "x-anthropic-billing-header: v=1\nBe brief."
    expect(lower({ system: [text], systemMarks: new Map([[text, {}]]) }).body["system"]).toEqual([
      { text: "Be brief." },
      point
    ])
  })

  it("bound, stop and serve as asked", () => {
    const stopSequences = ["a", "b", "c", "d", "e"]
    expect(lower({ stopSequences, serviceTier: "priority", endUser: "u-1" })).toMatchObject({
      body: {
        inferenceConfig: { stopSequences },
        additionalModelResponseFieldPaths: ["/stop_sequence"],
        additionalModelRequestFields: { metadata: { user_id: "u-1" } },
        serviceTier: { type: "priority" }
      },
      stops: []
    })
    expect(lower({ stopSequences, serviceTier: "scale", endUser: "u-1" }, nova)).toMatchObject({
      body: { inferenceConfig: { stopSequences: ["a", "b", "c", "d"] } },
      stops: ["e"],
      adapted: ["user", "service_tier"]
    })
  })

  it("leave a last assistant turn without trailing white space, and no blank text anywhere", () => {
    expect(lower({ items: [user("Hi"), assistant("So: \n")] }).body["messages"]).toEqual([
      { role: "user", content: [{ text: "Hi" }] },
      { role: "assistant", content: [{ text: "So:" }] }
    ])
    expect(lower({ items: [user(" \n")] }).refused?.param).toBe("input")
  })
})
