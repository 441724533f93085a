import { pixel } from "../upstreams/conversations.ts"
import { a, fileServer, gif, pdf, schema, u } from "./pieces.ts"
import type { Body } from "./pieces.ts"

const fn = { type: "function", function: { name: "get_weather", description: "Weather", parameters: schema } }
const tc = (id: string, name = "get_weather", args = '{"city":"Oslo"}') => ({
  id,
  type: "function",
  function: { name, arguments: args }
})
const cloop = [
  u("Weather?"),
  { role: "assistant", content: null, tool_calls: [tc("call_1"), tc("call_2")] },
  { role: "tool", tool_call_id: "call_1", content: "Sunny" },
  { role: "tool", tool_call_id: "call_2", content: "Rain" }
]
export const jsonSchema = {
  type: "json_schema",
  json_schema: {
    name: "answer",
    strict: true,
    schema: {
      type: "object",
      properties: { city: { type: "string" } },
      required: ["city"],
      additionalProperties: false
    }
  }
}
export const chat: Readonly<Record<string, Body>> = {
  text: {},
  system: { messages: [{ role: "system", content: "Be brief." }, u("Hi")] },
  developer: { messages: [{ role: "developer", content: "Be brief." }, u("Hi")] },
  "system later": { messages: [u("Hi"), a("Yes"), { role: "system", content: "Be brief." }, u("Go")] },
  "system alone": { messages: [{ role: "system", content: "Be brief." }] },
  bound: { max_tokens: 50 },
  "new bound": { max_completion_tokens: 50 },
  "both bounds": { max_completion_tokens: 50, max_tokens: 50 },
  "bound of 1": { max_tokens: 1 },
  temperature: { temperature: 0.2 },
  "temperature 2": { temperature: 2 },
  "temperature and top_p": { temperature: 0.2, top_p: 0.9 },
  penalties: { frequency_penalty: 0.5, presence_penalty: 0.5 },
  stop: { stop: "END" },
  "stop of a line": { stop: ["\n"] },
  seed: { seed: 7 },
  logprobs: { logprobs: true, top_logprobs: 2 },
  logit_bias: { logit_bias: { "50256": -100 } },
  "n 2": { n: 2 },
  user: { user: "u1" },
  "safety and cache key": { safety_identifier: "u1", prompt_cache_key: "k" },
  metadata: { metadata: { a: "b" }, store: false },
  effort: { reasoning_effort: "low" },
  "effort none": { reasoning_effort: "none" },
  "effort minimal": { reasoning_effort: "minimal" },
  "effort xhigh": { reasoning_effort: "xhigh" },
  verbosity: { verbosity: "low" },
  tools: { tools: [fn] },
  "tools with effort": { tools: [fn], reasoning_effort: "high" },
  "strict tool": {
    tools: [
      {
        type: "function",
        function: {
          name: "s",
          strict: true,
          parameters: {
            type: "object",
            properties: { a: { type: "string" } },
            required: ["a"],
            additionalProperties: false
          }
        }
      }
    ]
  },
  "required tool": { tools: [fn], tool_choice: "required" },
  "named tool": { tools: [fn], tool_choice: { type: "function", function: { name: "get_weather" } } },
  "tool choice none": { tools: [fn], tool_choice: "none" },
  "one call at a time": { tools: [fn], parallel_tool_calls: false },
  "no parameters": { tools: [{ type: "function", function: { name: "ping" } }] },
  "empty tools": { tools: [] },
  "odd names": {
    tools: [
      { type: "function", function: { name: "21st_x", parameters: schema } },
      { type: "function", function: { name: "-x", parameters: schema } }
    ]
  },
  "array without items": {
    tools: [
      {
        type: "function",
        function: { name: "arr", parameters: { type: "object", properties: { list: { type: "array" } } } }
      }
    ]
  },
  loop: { tools: [fn], messages: cloop },
  "loop with reasoning": {
    tools: [fn],
    messages: [cloop[0], { ...cloop[1], reasoning_content: "hm" }, ...cloop.slice(2)]
  },
  "loop as OpenAI's client sends it back": {
    tools: [fn],
    messages: [
      cloop[0],
      { ...cloop[1], refusal: null, annotations: [], audio: null, parsed: null },
      ...cloop.slice(2),
      { ...a("Well."), refusal: null, annotations: [], reasoning_details: [] },
      u("Go on.")
    ]
  },
  "loop of one id": {
    tools: [fn],
    messages: [
      u("w"),
      { role: "assistant", content: "", tool_calls: [tc("call_0")] },
      { role: "tool", tool_call_id: "call_0", content: "x" },
      u("again"),
      { role: "assistant", content: "", tool_calls: [tc("call_0")] },
      { role: "tool", tool_call_id: "call_0", content: "y" }
    ]
  },
  "loop of long ids": {
    tools: [fn],
    messages: [
      u("w"),
      { role: "assistant", content: "", tool_calls: [tc("call_" + "x".repeat(60))] },
      { role: "tool", tool_call_id: "call_" + "x".repeat(60), content: "x" }
    ]
  },
  "loop, malformed arguments": {
    tools: [fn],
    messages: [
      u("w"),
      { role: "assistant", content: "", tool_calls: [tc("call_1", "get_weather", '{"city": ')] },
      { role: "tool", tool_call_id: "call_1", content: "x" }
    ]
  },
  "loop without tools": { messages: cloop },
  "user behind a tool": { tools: [fn], messages: [...cloop, u("And now?")] },
  "calls first": { tools: [fn], messages: cloop.slice(1) },
  "system behind a tool": { tools: [fn], messages: [...cloop, { role: "system", content: "Be brief." }] },
  "developer and system": {
    messages: [{ role: "developer", content: "Be brief." }, { role: "system", content: "Be kind." }, u("Hi")]
  },
  "reasoning without calls": {
    messages: [
      u("Hi"),
      { ...a("Yes"), reasoning_content: "hm", reasoning_details: [{ type: "reasoning.text", text: "hm" }] },
      u("Go")
    ]
  },
  "effort, assistant last": { reasoning_effort: "medium", messages: [u("Hi"), a("Well")] },
  "5m before 1h": {
    messages: [
      u([
        { type: "text", text: "a", cache_control: { type: "ephemeral" } },
        { type: "text", text: "b", cache_control: { type: "ephemeral", ttl: "1h" } }
      ])
    ]
  },
  "image in a result": {
    tools: [fn],
    messages: [
      u("w"),
      { role: "assistant", content: "", tool_calls: [tc("call_1")] },
      { role: "tool", tool_call_id: "call_1", content: [{ type: "text", text: "x" }] }
    ]
  },
  json: { messages: [u("As json, please.")], response_format: { type: "json_object" } },
  "json unnamed": { response_format: { type: "json_object" } },
  "json schema": { response_format: jsonSchema },
  "json schema with tools": { response_format: jsonSchema, tools: [fn] },
  image: {
    messages: [
      u([
        { type: "text", text: "What?" },
        { type: "image_url", image_url: { url: `data:image/png;base64,${pixel}` } }
      ])
    ]
  },
  "image with detail": {
    messages: [
      u([
        { type: "text", text: "What?" },
        { type: "image_url", image_url: { url: `data:image/png;base64,${pixel}`, detail: "low" } }
      ])
    ]
  },
  "image at an address": {
    messages: [
      u([
        { type: "text", text: "What?" },
        { type: "image_url", image_url: { url: `${fileServer}/picture.png` } }
      ])
    ]
  },
  "image/jpg": {
    messages: [
      u([
        { type: "text", text: "What?" },
        { type: "image_url", image_url: { url: `data:image/jpg;base64,${pixel}` } }
      ])
    ]
  },
  gif: {
    messages: [
      u([
        { type: "text", text: "What?" },
        { type: "image_url", image_url: { url: `data:image/gif;base64,${gif}` } }
      ])
    ]
  },
  pdf: {
    messages: [
      u([
        { type: "text", text: "What?" },
        { type: "file", file: { filename: "a.pdf", file_data: `data:application/pdf;base64,${pdf}` } }
      ])
    ]
  },
  "assistant first": { messages: [a("Hello, I am here."), u("Hi")] },
  "assistant last": { messages: [u("Hi"), a("Well")] },
  "roles in a row": { messages: [u("Hi"), u("there"), a("Yes"), a("?"), u("Go")] },
  "empty assistant": { messages: [u("Hi"), a(""), u("Go")] },
  names: { messages: [{ role: "user", name: "ann", content: "Hi" }] },
  include_usage: { stream_options: { include_usage: true } },
  prediction: { prediction: { type: "content", content: "x" } },
  service_tier: { service_tier: "auto" }
}
