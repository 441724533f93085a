import { describe, expect, it } from "@effect/vitest"
import { understand } from "../../src/chat/decode.ts"
import type { CreateCompletion } from "../../src/chat/Request.ts"
import { unsupportedParts } from "../../src/chat/unsupportedParts.ts"

type Field = keyof typeof CreateCompletion.fields

/**
 * A field where it is translated: the conversation says it, it is named, or nothing is lost without it. What only some
 * upstreams have is said, and named where they do not.
 */
type Rule = "said" | "named" | "said or named" | "by the family"

const weather = { type: "function", function: { name: "weather" } } as const

/** Every field of OpenAI's reference, with something that it can ask for. */
const rules: { readonly [F in Field]: readonly [rule: Rule, fields: Partial<CreateCompletion>] } = {
  model: ["said", { model: "other" }],
  messages: ["said", { messages: [{ role: "user", content: "Other" }] }],
  tools: ["said", { tools: [weather] }],
  tool_choice: ["said", { tools: [weather], tool_choice: "required" }],
  parallel_tool_calls: ["said", { parallel_tool_calls: false }],
  functions: ["said", { functions: [{ name: "weather" }] }],
  function_call: ["said", { functions: [{ name: "weather" }], function_call: { name: "weather" } }],
  response_format: ["said", { response_format: { type: "json_object" } }],
  reasoning_effort: ["said", { reasoning_effort: "high" }],
  max_completion_tokens: ["said", { max_completion_tokens: 7 }],
  max_tokens: ["said", { max_tokens: 7 }],
  stop: ["said", { stop: "END" }],
  temperature: ["said", { temperature: 0.5 }],
  top_p: ["said", { top_p: 0.5 }],
  web_search_options: ["said", { web_search_options: {} }],
  prompt_cache_key: ["said", { prompt_cache_key: "k" }],
  safety_identifier: ["said", { safety_identifier: "u" }],
  user: ["said", { user: "u" }],
  verbosity: ["said or named", { verbosity: "low" }],
  frequency_penalty: ["said or named", { frequency_penalty: 1 }],
  presence_penalty: ["said or named", { presence_penalty: 1 }],
  seed: ["said or named", { seed: 7 }],
  logit_bias: ["named", { logit_bias: { "50256": -100 } }],
  logprobs: ["said or named", { logprobs: true }],
  top_logprobs: ["said or named", { top_logprobs: 2 }],
  prediction: ["named", { prediction: { type: "content", content: "x" } }],
  modalities: ["said or named", { modalities: ["text", "audio"] }],
  audio: ["named", { audio: { voice: "alloy", format: "wav" } }],
  moderation: ["named", { moderation: { model: "m" } }],
  store: ["by the family", { store: true }],
  service_tier: ["said or named", { service_tier: "flex" }],
  prompt_cache_options: ["named", { prompt_cache_options: { mode: "explicit" } }],
  prompt_cache_retention: ["said", { prompt_cache_retention: "24h" }],
  n: ["by the family", { n: 2 }],
  stream: ["by the family", { stream: true }],
  stream_options: ["by the family", { stream_options: { include_usage: true } }],
  // Kept with a stored completion.
  metadata: ["by the family", { metadata: { a: "b" } }]
}

const rows = Object.entries(rules).map(([field, [rule, fields]]) => ({ field: field as Field, rule, fields }))

const plain: CreateCompletion = { model: "gw-text", messages: [{ role: "user", content: "Hello" }] }
const saidOf = (request: CreateCompletion) => JSON.stringify(understand(request, request).conversation)

describe("every field where it is translated", () => {
  it.each(rows)("$field: $rule", ({ field, fields, rule }) => {
    const request = { ...plain, ...fields }
    const params = unsupportedParts(request, request).map(({ param }) => param)
    expect(params).toEqual(rule.endsWith("named") ? [field] : [])
    expect(saidOf(request) !== saidOf(plain)).toBe(rule.startsWith("said"))
  })

  it("is not named where it asks for nothing", () => {
    const request: CreateCompletion = {
      ...plain,
      verbosity: "medium",
      frequency_penalty: 0,
      logprobs: false,
      modalities: ["text"],
      service_tier: "auto",
      store: false,
      logit_bias: {},
      seed: null
    }
    expect(unsupportedParts(request, request)).toEqual([])
  })

  it("is named where only tomorrow's API knows it, and where it stands within a message or a tool", () => {
    const request: CreateCompletion = {
      ...plain,
      messages: [
        { role: "user", name: "Ann", content: "Hello" },
        { role: "assistant", content: "Hi", audio: { id: "audio_1" } },
        { role: "user", content: [{ type: "input_audio", input_audio: { data: "eA==", format: "wav" } }] }
      ],
      tools: [weather, { type: "web_search_preview" }]
    }
    const body = { ...request, tomorrow: 1, tools: [{ ...weather, tomorrow: 1 }, { type: "web_search_preview" }] }
    expect(unsupportedParts(request, body).map(({ param, refusal }) => [param, refusal !== undefined])).toEqual([
      ["tomorrow", false],
      ["tools[].tomorrow", false],
      ["tools.web_search_preview", false],
      ["messages[].name", false],
      ["messages[].audio", false],
      ["messages[2].content[0]", true]
    ])
  })
})
