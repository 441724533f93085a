import { describe, expect, it } from "@effect/vitest"
import type { Conversation, Item, Part } from "../../../src/generation/Conversation.ts"
import { bedrockConverse } from "../../../src/upstreams/protocols/bedrockConverse/bedrockConverse.ts"
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

const claude = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
const newest = "global.anthropic.claude-opus-4-8"
const nova = "us.amazon.nova-2-lite-v1:0"
const mistral = "mistral.mistral-large-2407-v1:0"
const llama = "us.meta.llama3-3-70b-instruct-v1:0"

const lower = (over: Partial<Conversation>, model = claude) =>
  bedrockConverse.lower(conversation(over), { model, stream: true })
const adapted = (over: Partial<Conversation>, model = claude) => lower(over, model).adapted

const reasoning = { enabled: undefined, effort: undefined, budgetTokens: undefined, summary: undefined }
const says = (...content: ReadonlyArray<Part>): Item => ({ type: "message", role: "user", content })
const image = (mediaType: string): Part => ({
  type: "image",
  detail: "auto",
  source: { type: "base64", mediaType, data: pixel }
})
const pdf = (name: string | undefined): Part => ({
  type: "document",
  name,
  source: { type: "base64", mediaType: "application/pdf", data: "JVBERi0=" }
})
const spec = {
  toolSpec: {
    name: "get_weather",
    description: "The weather",
    inputSchema: { json: weather.parameters }
  }
}

describe("bedrock-converse requests", () => {
  it("have the model and the way of answering in their path", () => {
    const { body } = lower({ items: [user("Hi")] })
    expect(bedrockConverse.endpoint.placed?.({ body, headers: undefined }, false)).toEqual({
      path: "/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse-stream",
      body: { messages: [{ role: "user", content: [{ text: "Hi" }] }], inferenceConfig: { maxTokens: 32_000 } },
      headers: undefined
    })
    const arn = "arn:aws:bedrock:us-east-1:1:inference-profile/us.x"
    expect(
      bedrockConverse.endpoint.placed?.({ body: { model: arn, stream: false }, headers: undefined }, false)
    ).toEqual({
      path: "/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Ainference-profile%2Fus.x/converse",
      body: {},
      headers: undefined
    })
  })

  it("make alternating turns, results first, system text on top or marked", () => {
    const { body } = lower({
      system: ["Be brief."],
      items: [
        system("Be kind."),
        user("Weather?"),
        thought("two cities", signature),
        assistant("Looking."),
        call("call.1", "get_weather", '{"city":"Paris"}'),
        call("c".repeat(65), "get_weather", ""),
        user("Hurry!"),
        system("They are in a hurry."),
        result("call.1", "sunny"),
        result("c".repeat(65), "no such city", true)
      ],
      tools: [weather]
    })
    const long = expect.stringMatching(/^call_[a-z0-9]+$/)
    expect(body["system"]).toEqual([{ text: "Be brief." }, { text: "Be kind." }])
    expect(body["messages"]).toEqual([
      { role: "user", content: [{ text: "Weather?" }] },
      {
        role: "assistant",
        content: [
          { reasoningContent: { reasoningText: { text: "two cities", signature } } },
          { text: "Looking." },
          { toolUse: { toolUseId: "call_1", name: "get_weather", input: { city: "Paris" } } },
          { toolUse: { toolUseId: long, name: "get_weather", input: {} } }
        ]
      },
      {
        role: "user",
        content: [
          { toolResult: { toolUseId: "call_1", content: [{ text: "sunny" }] } },
          { toolResult: { toolUseId: long, content: [{ text: "no such city" }], status: "error" } },
          { text: "Hurry!" },
          { text: "<system>\nThey are in a hurry.\n</system>" }
        ]
      }
    ])
    expect(body["toolConfig"]).toEqual({ tools: [spec] })
  })

  it("carry images and documents as bytes, with names that the dialect takes, and no document alone", () => {
    const { body, refused } = lower({
      items: [
        says({ type: "text", text: "Look" }, image("image/jpg"), pdf("plan.pdf")),
        assistant("Yes."),
        says(pdf("plan.pdf"), {
          type: "document",
          name: "Zahlen (2026)_ä.csv",
          source: { type: "text", mediaType: "text/csv", text: "a,b" }
        })
      ]
    })
    expect(refused).toBeUndefined()
    expect(body["messages"]).toEqual([
      {
        role: "user",
        content: [
          { text: "Look" },
          { image: { format: "jpeg", source: { bytes: pixel } } },
          { document: { format: "pdf", name: "plan pdf", source: { bytes: "JVBERi0=" } } }
        ]
      },
      { role: "assistant", content: [{ text: "Yes." }] },
      {
        role: "user",
        content: [
          { text: "plan pdf (2)" },
          { document: { format: "pdf", name: "plan pdf (2)", source: { bytes: "JVBERi0=" } } },
          { document: { format: "csv", name: "Zahlen (2026) csv", source: { bytes: "YSxi" } } }
        ]
      }
    ])
  })

  it("refuse what they can't carry: addresses, other images and documents", () => {
    const at = { type: "url", url: "https://example.com/a.png" } as const
    expect(lower({ items: [says({ type: "image", detail: "auto", source: at })] }).refused?.param).toBe("image")
    expect(lower({ items: [says(image("image/tiff"))] }).refused?.param).toBe("image")
    expect(lower({ items: [says({ type: "document", name: "a", source: at })] }).refused?.param).toBe("document")
  })

  it("tell the tools of calls in the conversation even where none are offered", () => {
    const items = [user("Hi"), call("a", "get_weather", "{}"), result("a", "")]
    expect(lower({ items }).body["toolConfig"]).toEqual({
      tools: [{ toolSpec: { name: "get_weather", inputSchema: { json: { type: "object", properties: {} } } } }]
    })
    expect(lower({ items, tools: [weather], toolChoice: { type: "none" } })).toMatchObject({
      body: { toolConfig: { tools: [spec] } },
      adapted: ["tool_choice"]
    })
    expect(lower({ tools: [weather], toolChoice: { type: "none" } }).body["toolConfig"]).toBeUndefined()
    expect(lower({ items }).body["messages"]).toMatchObject([{}, {}, { content: [{ toolResult: { content: [{}] } }] }])
  })

  it("choose tools as the model can", () => {
    const other = { ...weather, name: "other" }
    const choice = (toolChoice: Conversation["toolChoice"], model: string) => {
      const { adapted, body } = lower({ tools: [weather, other], toolChoice }, model)
      const config = body["toolConfig"] as { readonly tools: ReadonlyArray<unknown>; readonly toolChoice?: unknown }
      return [config.tools.length, config.toolChoice, ...adapted]
    }
    const one = { type: "tool", name: "other" } as const
    const any = { type: "required", names: undefined } as const
    for (const model of [claude, nova]) {
      expect(choice(one, model)).toEqual([2, { tool: { name: "other" } }])
      expect(choice(any, model)).toEqual([2, { any: {} }])
      expect(choice({ type: "auto" }, model)).toEqual([2, undefined])
    }
    expect(choice({ type: "required", names: ["other"] }, claude)).toEqual([1, { any: {} }])
    expect(choice(one, mistral)).toEqual([1, { any: {} }])
    expect(choice(one, llama)).toEqual([1, undefined, "tool_choice"])
    expect(choice(any, llama)).toEqual([2, undefined, "tool_choice"])
    expect(adapted({ tools: [weather], parallelToolCalls: false })).toEqual(["parallel_tool_calls"])
    expect(lower({ tools: [search] }).refused?.param).toBe("tools")
  })

  it("hold tools to their schema where the model can", () => {
    const strict = { ...weather, strict: true }
    const schema = { ...weather.parameters, additionalProperties: false }
    expect(lower({ tools: [strict] }).body["toolConfig"]).toEqual({
      tools: [{ toolSpec: { ...spec.toolSpec, strict: true, inputSchema: { json: schema } } }]
    })
    expect(lower({ tools: [strict] }, nova)).toMatchObject({
      body: { toolConfig: { tools: [spec] } },
      adapted: ["tools[].strict"]
    })
  })

  const format = {
    type: "json-schema",
    name: "city",
    description: "A city",
    schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    strict: true
  } as const

  it("ask for a form of the answer: by a schema, by a tool that is the answer, or in words", () => {
    const { properties, ...rest } = format.schema
    const schema = JSON.stringify({ properties, ...rest, additionalProperties: false })
    expect(lower({ format })).toMatchObject({
      body: {
        outputConfig: {
          textFormat: {
            type: "json_schema",
            structure: { jsonSchema: { schema, name: "city", description: "A city" } }
          }
        }
      },
      adapted: []
    })
    expect(lower({ format }, nova)).toMatchObject({
      body: {
        toolConfig: {
          tools: [{ toolSpec: { name: "json_answer", inputSchema: { json: format.schema } } }],
          toolChoice: { tool: { name: "json_answer" } }
        }
      },
      adapted: []
    })
    const words = lower({ format }, llama)
    expect(words.adapted).toEqual(["text.format"])
    expect(JSON.stringify(words.body["system"])).toContain("matches this JSON Schema")
    expect(adapted({ format: { type: "json" }, formatParam: "response_format" })).toEqual(["response_format"])
  })

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
    const marked = says(
      { type: "text", text: "Long", cacheBreakpoint: true, cacheTtl: "1h" },
      { type: "text", text: "?" }
    )
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
