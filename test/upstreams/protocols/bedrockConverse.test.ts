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
const nova = "us.amazon.nova-2-lite-v1:0"
const mistral = "mistral.mistral-large-2407-v1:0"
const llama = "us.meta.llama3-3-70b-instruct-v1:0"

const lower = (over: Partial<Conversation>, model = claude) =>
  bedrockConverse.lower(conversation(over), { model, stream: true })
const adapted = (over: Partial<Conversation>, model = claude) => lower(over, model).adapted

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
    expect(bedrockConverse.endpoint.placed?.({ body, headers: undefined }, "/converse")).toEqual({
      path: "/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse-stream",
      body: { messages: [{ role: "user", content: [{ text: "Hi" }] }], inferenceConfig: { maxTokens: 32_000 } },
      headers: undefined
    })
    const arn = "arn:aws:bedrock:us-east-1:1:inference-profile/us.x"
    expect(
      bedrockConverse.endpoint.placed?.({ body: { model: arn, stream: false }, headers: undefined }, "/converse")
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
    const legal = expect.stringMatching(/^call_1_[a-z0-9]+$/)
    expect(body["system"]).toEqual([{ text: "Be brief." }, { text: "Be kind." }])
    expect(body["messages"]).toEqual([
      { role: "user", content: [{ text: "Weather?" }] },
      {
        role: "assistant",
        content: [
          { reasoningContent: { reasoningText: { text: "two cities", signature } } },
          { text: "Looking." },
          { toolUse: { toolUseId: legal, name: "get_weather", input: { city: "Paris" } } },
          { toolUse: { toolUseId: long, name: "get_weather", input: {} } }
        ]
      },
      {
        role: "user",
        content: [
          { toolResult: { toolUseId: legal, content: [{ text: "sunny" }] } },
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
})
