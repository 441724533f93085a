import { a, fileServer, gif, image, jpeg, pdf, schema, u } from "./pieces.ts"
import type { Body } from "./pieces.ts"

const mTool = { name: "get_weather", description: "Weather", input_schema: schema }
const use = (id: string, name = "get_weather") => ({ type: "tool_use", id, name, input: { city: "Oslo" } })
const res = (id: string, content: unknown = "Sunny", more = {}) => ({
  type: "tool_result",
  tool_use_id: id,
  content,
  ...more
})
const loop = [
  u("Weather?"),
  a([{ type: "text", text: "Let me see." }, use("toolu_01A"), use("toolu_01B")]),
  u([res("toolu_01A"), res("toolu_01B")])
]
export const messages: Readonly<Record<string, Body>> = {
  text: {},
  system: { system: "Be brief." },
  "system blocks": { system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }] },
  "1h mark": { system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral", ttl: "1h" } }] },
  "top mark": { cache_control: { type: "ephemeral" } },
  "five marks": {
    system: [
      { type: "text", text: "a", cache_control: { type: "ephemeral" } },
      { type: "text", text: "b", cache_control: { type: "ephemeral" } }
    ],
    messages: [
      u([{ type: "text", text: "c", cache_control: { type: "ephemeral" } }]),
      a([{ type: "text", text: "d", cache_control: { type: "ephemeral" } }]),
      u([{ type: "text", text: "e", cache_control: { type: "ephemeral" } }])
    ]
  },
  "5m before 1h": {
    system: [{ type: "text", text: "a", cache_control: { type: "ephemeral" } }],
    messages: [u([{ type: "text", text: "c", cache_control: { type: "ephemeral", ttl: "1h" } }])]
  },
  temperature: { temperature: 0.5 },
  "temperature 0": { temperature: 0 },
  top_p: { top_p: 0.9 },
  "temperature and top_p": { temperature: 0.5, top_p: 0.9 },
  top_k: { top_k: 5 },
  stop: { stop_sequences: ["END"] },
  "stop of a line": { stop_sequences: ["\n"] },
  "six stops": { stop_sequences: ["a", "b", "c", "d", "e", "f"] },
  metadata: { metadata: { user_id: "user_1" } },
  tools: { tools: [mTool] },
  "tool choice any": { tools: [mTool], tool_choice: { type: "any" } },
  "tool choice tool": { tools: [mTool], tool_choice: { type: "tool", name: "get_weather" } },
  "tool choice none": { tools: [mTool], tool_choice: { type: "none" } },
  "one call at a time": { tools: [mTool], tool_choice: { type: "auto", disable_parallel_tool_use: true } },
  "odd names": {
    tools: [
      { ...mTool, name: "21st_x" },
      { ...mTool, name: "-x" },
      { ...mTool, name: "a".repeat(100) }
    ]
  },
  "no properties": { tools: [{ name: "ping", input_schema: { type: "object" } }] },
  "nullable top": {
    tools: [{ name: "ping", input_schema: { type: ["object", "null"], properties: { a: { type: "string" } } } }]
  },
  "union at the top": {
    tools: [
      {
        name: "ping",
        input_schema: {
          type: "object",
          anyOf: [{ properties: { a: { type: "string" } } }, { properties: { b: { type: "string" } } }]
        }
      }
    ]
  },
  "marked tool": { tools: [{ ...mTool, cache_control: { type: "ephemeral" } }] },
  "eager tool": { tools: [{ ...mTool, eager_input_streaming: true }] },
  "strict tool": {
    tools: [
      {
        name: "s",
        strict: true,
        input_schema: {
          type: "object",
          properties: { a: { type: "string" } },
          required: ["a"],
          additionalProperties: false
        }
      }
    ]
  },
  "tool examples": { tools: [{ ...mTool, input_examples: [{ city: "Oslo" }] }] },
  loop: { tools: [mTool], messages: loop },
  "loop of foreign ids": { tools: [mTool], messages: [u("w"), a([use("call_0.a:b")]), u([res("call_0.a:b")])] },
  "loop of long ids": {
    tools: [mTool],
    messages: [u("w"), a([use("toolu_" + "x".repeat(90))]), u([res("toolu_" + "x".repeat(90))])]
  },
  "loop without tools": { messages: loop },
  "loop with text behind": {
    tools: [mTool],
    messages: [...loop.slice(0, 2), u([res("toolu_01A"), res("toolu_01B"), { type: "text", text: "Go on." }])]
  },
  "loop with an image": {
    tools: [mTool],
    messages: [
      ...loop.slice(0, 2),
      u([res("toolu_01A", [{ type: "text", text: "map" }, image]), res("toolu_01B", "x", { is_error: true })])
    ]
  },
  "loop, empty results": {
    tools: [mTool],
    messages: [...loop.slice(0, 2), u([res("toolu_01A", ""), { type: "tool_result", tool_use_id: "toolu_01B" }])]
  },
  "loop with thinking": {
    tools: [mTool],
    thinking: { type: "enabled", budget_tokens: 1024 },
    max_tokens: 4000,
    messages: [
      u("w"),
      a([{ type: "thinking", thinking: "hm", signature: "c2ln" }, use("toolu_01A")]),
      u([res("toolu_01A")])
    ]
  },
  "loop without its thinking": {
    tools: [mTool],
    thinking: { type: "enabled", budget_tokens: 1024 },
    max_tokens: 4000,
    messages: loop
  },
  thinking: { thinking: { type: "enabled", budget_tokens: 2000 }, max_tokens: 4000 },
  "thinking with temperature": {
    thinking: { type: "enabled", budget_tokens: 2000 },
    max_tokens: 4000,
    temperature: 0.3
  },
  "thinking, forced tool": {
    thinking: { type: "enabled", budget_tokens: 2000 },
    max_tokens: 4000,
    tools: [mTool],
    tool_choice: { type: "any" }
  },
  "thinking with tools": { thinking: { type: "enabled", budget_tokens: 2000 }, max_tokens: 4000, tools: [mTool] },
  adaptive: { thinking: { type: "adaptive" }, max_tokens: 4000 },
  "thinking off": { thinking: { type: "disabled" } },
  effort: { output_config: { effort: "low" } },
  "effort max, thinking off": { output_config: { effort: "max" }, thinking: { type: "disabled" } },
  "effort with tools": { output_config: { effort: "high" }, tools: [mTool] },
  format: {
    output_config: {
      format: { type: "json_schema", schema: { ...schema, additionalProperties: false, required: ["city", "days"] } }
    }
  },
  "format with tools": {
    tools: [mTool],
    output_config: {
      format: { type: "json_schema", schema: { ...schema, additionalProperties: false, required: ["city", "days"] } }
    }
  },
  prefill: { messages: [u("Hi"), a("Well")] },
  "prefill with a space": { messages: [u("Hi"), a("Well ")] },
  "assistant first": { messages: [a("Hello, I am here."), u("Hi")] },
  "roles in a row": { messages: [u("Hi"), u("there"), a("Yes"), a("?"), u("Go")] },
  "empty text": {
    messages: [
      u([
        { type: "text", text: "" },
        { type: "text", text: "Hi" }
      ])
    ]
  },
  "blank assistant": { messages: [u("Hi"), a("  "), u("Go")] },
  "blank user": { messages: [u(" "), u("Hi")] },
  "system in front": { messages: [{ role: "system", content: "Be brief." }, u("Hi")] },
  "loop of one id": {
    tools: [mTool],
    messages: [u("w"), a([use("call_0")]), u([res("call_0")]), a([use("call_0")]), u([res("call_0")])]
  },
  "loop of two ids that look alike": {
    tools: [mTool],
    messages: [u("w"), a([use("call_0.a:b"), use("call_0_a_b")]), u([res("call_0_a_b"), res("call_0.a:b")])]
  },
  "calls first": { tools: [mTool], messages: [a([use("toolu_01A")]), u([res("toolu_01A")])] },
  "image/jpg in a result": {
    tools: [mTool],
    messages: [
      ...loop.slice(0, 2),
      u([
        res("toolu_01A", [{ type: "image", source: { type: "base64", media_type: "image/jpg", data: jpeg } }]),
        res("toolu_01B")
      ])
    ]
  },
  "schema without a type": { tools: [{ name: "ping", input_schema: { properties: { a: { type: "string" } } } }] },
  "top mark and four more": {
    cache_control: { type: "ephemeral" },
    messages: ["a", "b", "c", "d"].map((text) => u([{ type: "text", text, cache_control: { type: "ephemeral" } }]))
  },
  "one marked text twice": {
    system: ["a", "a"].map((text) => ({ type: "text", text, cache_control: { type: "ephemeral" } })),
    messages: ["c", "d", "e"].map((text) => u([{ type: "text", text, cache_control: { type: "ephemeral" } }]))
  },
  "system turn": { messages: [u("Hi"), { role: "system", content: "Be brief." }] },
  image: { messages: [u([image, { type: "text", text: "What?" }])] },
  gif: {
    messages: [
      u([
        { type: "image", source: { type: "base64", media_type: "image/gif", data: gif } },
        { type: "text", text: "What?" }
      ])
    ]
  },
  "image in a system-like order": { messages: [u([{ type: "text", text: "What?" }, image, image])] },
  pdf: {
    messages: [
      u([
        { type: "document", source: { type: "base64", media_type: "application/pdf", data: pdf } },
        { type: "text", text: "What?" }
      ])
    ]
  },
  "image at an address": {
    messages: [
      u([
        { type: "image", source: { type: "url", url: `${fileServer}/picture.png` } },
        { type: "text", text: "What?" }
      ])
    ]
  },
  "loop with an image at an address": {
    tools: [mTool],
    messages: [
      ...loop.slice(0, 2),
      u([
        res("toolu_01A", [{ type: "image", source: { type: "url", url: `${fileServer}/picture.png` } }]),
        res("toolu_01B")
      ])
    ]
  },
  "pdf at an address": {
    messages: [
      u([
        { type: "document", source: { type: "url", url: `${fileServer}/plan.pdf` } },
        { type: "text", text: "What?" }
      ])
    ]
  },
  "text document": {
    messages: [
      u([
        {
          type: "document",
          source: { type: "text", media_type: "text/plain", data: "Grass is green." },
          title: "a.txt",
          citations: { enabled: true }
        },
        { type: "text", text: "What?" }
      ])
    ]
  },
  "assistant with citations null": { messages: [u("Hi"), a([{ type: "text", text: "x", citations: null }]), u("Go")] },
  "web search": { tools: [{ type: "web_search_20250305", name: "web_search" }] },
  "web search and tools": { tools: [{ type: "web_search_20250305", name: "web_search" }, mTool] },
  inference_geo: { inference_geo: "us" },
  service_tier: { service_tier: "auto" },
  "context management": { context_management: { edits: [{ type: "clear_tool_uses_20250919" }] } },
  container: { container: "container_1" },
  bash: { tools: [{ type: "bash_20250124", name: "bash" }] },
  "max_tokens 1": { max_tokens: 1 },
  "max_tokens 200000": { max_tokens: 200000 }
}
