import { pixel } from "../upstreams/conversations.ts"
import { jsonSchema } from "./chatKinds.ts"
import { fileServer, pdf, schema } from "./pieces.ts"
import type { Body } from "./pieces.ts"

const rfn = { type: "function", name: "get_weather", description: "Weather", parameters: schema, strict: false }
const rloop = [
  { role: "user", content: "Weather?" },
  { type: "function_call", call_id: "call_1", name: "get_weather", arguments: '{"city":"Oslo"}' },
  { type: "function_call", call_id: "call_2", name: "get_weather", arguments: '{"city":"Rome"}' },
  { type: "function_call_output", call_id: "call_1", output: "Sunny" },
  { type: "function_call_output", call_id: "call_2", output: "Rain" }
]
const msg = (role: string, type: string, text: string, more = {}) => ({
  type: "message",
  role,
  content: [{ type, text, ...more }]
})
export const responses: Readonly<Record<string, Body>> = {
  text: {},
  instructions: { instructions: "Be brief." },
  items: {
    input: [
      msg("developer", "input_text", "Brief."),
      msg("user", "input_text", "Hi"),
      { ...msg("assistant", "output_text", "Yes", { annotations: [] }), id: "msg_1", status: "completed" },
      msg("user", "input_text", "Go")
    ]
  },
  bound: { max_output_tokens: 50 },
  "bound of 1": { max_output_tokens: 1 },
  temperature: { temperature: 0.2 },
  "temperature and top_p": { temperature: 0.2, top_p: 0.9 },
  effort: { reasoning: { effort: "low" } },
  "effort none": { reasoning: { effort: "none" } },
  "effort minimal": { reasoning: { effort: "minimal" } },
  "effort xhigh": { reasoning: { effort: "xhigh" } },
  summary: { reasoning: { effort: "medium", summary: "auto" } },
  encrypted: { include: ["reasoning.encrypted_content"], store: false },
  verbosity: { text: { verbosity: "low" } },
  tools: { tools: [rfn] },
  "required tool": { tools: [rfn], tool_choice: "required" },
  "named tool": { tools: [rfn], tool_choice: { type: "function", name: "get_weather" } },
  "one call at a time": { tools: [rfn], parallel_tool_calls: false },
  "custom tool": { tools: [{ type: "custom", name: "apply_patch", description: "x" }] },
  "grammar tool": {
    tools: [
      { type: "custom", name: "apply_patch", format: { type: "grammar", syntax: "lark", definition: 'start: "a"' } }
    ]
  },
  loop: { tools: [rfn], input: rloop },
  "loop with ids": {
    tools: [rfn],
    input: rloop.map((item, index) =>
      "call_id" in item && item.type === "function_call" ? { ...item, id: `fc_${index}`, status: "completed" } : item
    )
  },
  "loop with foreign reasoning": {
    tools: [rfn],
    input: [
      rloop[0],
      {
        type: "reasoning",
        id: "rs_1",
        summary: [{ type: "summary_text", text: "hm" }],
        encrypted_content: "gAAAAother"
      },
      ...rloop.slice(1)
    ]
  },
  "calls first": { tools: [rfn], input: rloop.slice(1) },
  retention: { prompt_cache_retention: "24h" },
  "json unnamed": { text: { format: { type: "json_object" } } },
  "custom loop": {
    tools: [{ type: "custom", name: "apply_patch" }],
    input: [
      rloop[0],
      { type: "custom_tool_call", call_id: "call_1", name: "apply_patch", input: "*** x" },
      { type: "custom_tool_call_output", call_id: "call_1", output: "done" }
    ]
  },
  "loop without tools": { input: rloop },
  "image in a result": {
    tools: [rfn],
    input: [
      rloop[0],
      rloop[1],
      {
        type: "function_call_output",
        call_id: "call_1",
        output: [
          { type: "input_text", text: "x" },
          { type: "input_image", image_url: `data:image/png;base64,${pixel}` }
        ]
      }
    ]
  },
  "image in a result, as it is": {
    tools: [rfn],
    input: [
      rloop[0],
      rloop[1],
      {
        type: "function_call_output",
        call_id: "call_1",
        output: [
          { type: "input_text", text: "x" },
          { type: "input_image", image_url: `data:image/png;base64,${pixel}`, detail: "original" }
        ]
      }
    ]
  },
  "image at an address": {
    input: [{ role: "user", content: [{ type: "input_image", image_url: `${fileServer}/picture.png` }] }]
  },
  "pdf at an address": {
    input: [
      {
        role: "user",
        content: [
          { type: "input_file", file_url: `${fileServer}/plan.pdf` },
          { type: "input_text", text: "What?" }
        ]
      }
    ]
  },
  "json schema": {
    text: { format: { type: "json_schema", name: "answer", strict: true, schema: jsonSchema.json_schema.schema } }
  },
  "json schema with tools": {
    tools: [rfn],
    text: { format: { type: "json_schema", name: "answer", strict: true, schema: jsonSchema.json_schema.schema } }
  },
  json: { input: "As json, please.", text: { format: { type: "json_object" } } },
  image: {
    input: [
      {
        role: "user",
        content: [
          { type: "input_text", text: "What?" },
          { type: "input_image", image_url: `data:image/png;base64,${pixel}`, detail: "auto" }
        ]
      }
    ]
  },
  pdf: {
    input: [
      {
        role: "user",
        content: [
          { type: "input_text", text: "What?" },
          { type: "input_file", filename: "a.pdf", file_data: `data:application/pdf;base64,${pdf}` }
        ]
      }
    ]
  },
  "assistant first": {
    input: [
      { role: "assistant", content: "Hello." },
      { role: "user", content: "Hi" }
    ]
  },
  "assistant last": {
    input: [
      { role: "user", content: "Hi" },
      { role: "assistant", content: "Well" }
    ]
  },
  "roles in a row": {
    input: [
      { role: "user", content: "Hi" },
      { role: "user", content: "there" },
      { role: "assistant", content: "Yes" },
      { role: "assistant", content: "?" },
      { role: "user", content: "Go" }
    ]
  },
  "developer later": {
    input: [
      { role: "user", content: "Hi" },
      { role: "assistant", content: "Yes" },
      { role: "developer", content: "Brief." },
      { role: "user", content: "Go" }
    ]
  },
  "an empty turn behind a result": {
    tools: [rfn],
    input: [
      { type: "function_call", call_id: "call_0", name: "get_weather", arguments: '{"city":"Oslo"}' },
      { type: "function_call_output", call_id: "call_0", output: "cold" },
      { role: "assistant", content: "" },
      { role: "user", content: "Hi" }
    ]
  },
  "odd names": {
    tools: [
      { ...rfn, name: "21st_x" },
      { ...rfn, name: "-x" }
    ]
  },
  "web search": { tools: [{ type: "web_search" }] },
  "web search and tools": { tools: [{ type: "web_search" }, rfn] },
  metadata: { metadata: { a: "b" }, store: false, user: "u1", safety_identifier: "s", prompt_cache_key: "k" },
  truncation: { truncation: "auto" },
  top_logprobs: { include: ["message.output_text.logprobs"], top_logprobs: 2 },
  "max tool calls": { tools: [rfn], max_tool_calls: 3 },
  service_tier: { service_tier: "auto" }
}
