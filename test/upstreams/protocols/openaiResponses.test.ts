import { describe, expect, it } from "@effect/vitest"
import type { FileSource } from "../../../src/generation/Conversation.ts"
import { assistant, call, pixel, result, search, system, thought, user, weather } from "../conversations.ts"
import { lower } from "./responsesFrames.ts"
import type { Asked } from "./responsesFrames.ts"

const input = (over: Asked) => lower(over).body["input"]
const reasoning = { enabled: undefined, effort: undefined, budgetTokens: undefined, summary: undefined }

describe("openai-responses requests", () => {
  it("says items in its words, stores nothing, and asks for what can be replayed", () => {
    const { body } = lower({
      system: ["Be brief."],
      items: [
        system("Be kind."),
        user("Weather?"),
        thought("two cities", "gAAAAABo"),
        thought("not mine", "EqQB"),
        assistant("Looking."),
        call("call_1", "get_weather", '{"city":"Paris"}'),
        call("call_2", "patch", "*** Begin", "custom"),
        result("call_1", "sunny"),
        result("call_2", "bad", true)
      ]
    })
    expect(body).toMatchObject({
      instructions: "Be brief.",
      store: false,
      include: ["reasoning.encrypted_content"],
      input: [
        { role: "developer", content: [{ type: "input_text", text: "Be kind." }] },
        { role: "user", content: [{ type: "input_text", text: "Weather?" }] },
        {
          type: "reasoning",
          summary: [{ type: "summary_text", text: "two cities" }],
          encrypted_content: "gAAAAABo"
        },
        { role: "assistant", content: [{ type: "output_text", text: "Looking." }] },
        { type: "function_call", call_id: "call_1", name: "get_weather", arguments: '{"city":"Paris"}' },
        { type: "custom_tool_call", call_id: "call_2", name: "patch", input: "*** Begin" },
        { type: "function_call_output", call_id: "call_1", output: "sunny" },
        { type: "custom_tool_call_output", call_id: "call_2", output: "Error: bad" }
      ]
    })
  })

  it("sends images and PDFs, and text documents as marked text", () => {
    const part = (type: "image" | "document", source: FileSource) =>
      ({ type, source, name: "n", detail: "high" }) as const
    const content = [
      part("image", { type: "base64", mediaType: "image/png", data: pixel }),
      part("document", { type: "base64", mediaType: "application/pdf", data: "JVBERi0=" }),
      part("document", { type: "url", url: "https://e.com/a.pdf" }),
      part("document", { type: "base64", mediaType: "text/csv", data: btoa("a,b") })
    ]
    expect(input({ items: [{ type: "message", role: "user", content }] })).toMatchObject([
      {
        content: [
          { type: "input_image", image_url: `data:image/png;base64,${pixel}`, detail: "high" },
          { type: "input_file", filename: "n", file_data: "data:application/pdf;base64,JVBERi0=" },
          { type: "input_file", file_url: "https://e.com/a.pdf" },
          { type: "input_text", text: '<document name="n">\na,b\n</document>' }
        ]
      }
    ])
    const image = part("image", { type: "url", url: "https://e.com/a.png" })
    expect(input({ items: [{ type: "tool-result", callId: "c", content: [image], isError: false }] })).toMatchObject([
      { output: [{ type: "input_image", image_url: "https://e.com/a.png" }] }
    ])
  })

  it("says tools and choices in its words", () => {
    const tools = [weather, { ...search, allowedDomains: ["e.com"], blockedDomains: ["x.com"], maxUses: 3 }]
    const { body, adapted } = lower({
      tools,
      toolChoice: { type: "tool", name: "web_search" },
      parallelToolCalls: false
    })
    expect(body).toMatchObject({
      tools: [
        { type: "function", name: "get_weather", strict: false },
        { type: "web_search", filters: { allowed_domains: ["e.com"] }, search_context_size: "medium" }
      ],
      tool_choice: { type: "web_search" },
      parallel_tool_calls: false,
      max_tool_calls: 3
    })
    expect(adapted).toEqual(["blocked_domains"])
    expect(lower({ tools, toolChoice: { type: "required", names: ["get_weather"] } }).body["tool_choice"]).toEqual({
      type: "allowed_tools",
      mode: "required",
      tools: [{ type: "function", name: "get_weather" }]
    })
  })

  it("sets what the model takes, leaves stop sequences to the gateway, and lists the rest", () => {
    const asked = {
      sampling: { temperature: 0.5, topP: 0.9, topK: 5 },
      reasoning: { ...reasoning, effort: "xhigh", summary: "auto" },
      stopSequences: ["END"],
      maxOutputTokens: 5
    } as const
    const thinks = lower(asked, "gpt-5")
    expect(thinks.body).toMatchObject({ reasoning: { effort: "high", summary: "auto" }, max_output_tokens: 16 })
    expect(thinks.body).not.toHaveProperty("temperature")
    expect(thinks.adapted.toSorted()).toEqual(["max_tokens", "reasoning.effort", "temperature", "top_k", "top_p"])
    expect(thinks.stops).toEqual(["END"])
    const plain = lower(asked, "gpt-4.1")
    expect(plain.body).toMatchObject({ temperature: 0.5, top_p: 0.9 })
    expect(plain.body).not.toHaveProperty("reasoning")
    expect(plain.body).not.toHaveProperty("include")
    expect(plain.adapted).toContain("reasoning.effort")
    const unreasoned = lower({ ...asked, reasoning: { ...reasoning, effort: "none" } })
    expect(unreasoned.body).toMatchObject({ reasoning: { effort: "none" }, temperature: 0.5 })
  })

  it("makes an effort of a thinking budget", () => {
    const budget = { enabled: true, effort: undefined, budgetTokens: 16_000, summary: undefined }
    expect(lower({ reasoning: budget }).body["reasoning"]).toEqual({ effort: "high", summary: "auto" })
  })

  it("asks for structured output", () => {
    const schema = { type: "object", additionalProperties: false }
    const format = { type: "json-schema", name: "a", description: undefined, schema, strict: true } as const
    expect(lower({ format }).body["text"]).toEqual({
      format: { type: "json_schema", name: "a", schema, strict: true }
    })
  })
})
