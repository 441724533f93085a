import { assert, expect, it } from "@effect/vitest"
import { isObject, parseJson } from "../../../src/contract/json/json.ts"
import { refusedField, withoutField } from "../../../src/upstreams/calls/refusedField.ts"

it.each([
  ["context_management: Extra inputs are not permitted", "context_management"],
  ["tools.0.custom.defer_loading: Extra inputs are not permitted", "tools.0.custom.defer_loading"],
  ["messages[2].assistant.reasoning: Extra inputs are not permitted", "messages[2].assistant.reasoning"],
  ["The model returned the following errors: speed: Extra inputs are not permitted", "speed"],
  ["`temperature` is deprecated for this model.", "temperature"],
  [
    "Unexpected value(s) `context-1m-2025-08-07` for the `anthropic-beta` header. Please consult",
    "anthropic-beta.context-1m-2025-08-07"
  ],
  ["invalid beta flag", "anthropic-beta"],
  ["Extra inputs are not permitted, field: 'seed', value: 7", "seed"],
  ["Malformed input request: #: extraneous key [top_k] is not permitted, please reformat your input", "top_k"],
  ["Unrecognized request argument supplied: reasoning_effort", "reasoning_effort"],
  ["Unknown parameter: 'reasoning.summary'.", "reasoning.summary"],
  ["Unsupported parameter: 'temperature' is not supported with this model.", "temperature"],
  ["Unsupported value: 'temperature' does not support 0.5 with this model. Only the default", "temperature"],
  ["property 'logprobs' is unsupported", "logprobs"],
  [
    "'messages.1' : for 'role:assistant' the following must be satisfied[('messages.1' : property 'user' is unsupported)]",
    "messages.1.user"
  ],
  ["Argument not supported on this model: stop", "stop"],
  ["Model grok-4-0709 does not support parameter presencePenalty.", "presencePenalty"],
  [`Invalid JSON payload received. Unknown name "labels": Cannot find field.`, "labels"],
  [`Invalid JSON payload received. Unknown name "seed" at 'generation_config': Cannot find field.`, "seed"],
  [
    `Invalid JSON payload received. Unknown name "id" at 'contents[1].parts[0].function_call': Cannot find field.`,
    "contents[1].parts[0].function_call.id"
  ],
  ["Unsupported value: 'xhigh' is not supported with the 'm' model.", undefined],
  ["temperature: Input should be less than or equal to 1", undefined],
  ["The user wrote: seed: Extra inputs are not permitted", undefined],
  ["", undefined]
])("%s names %s", (message, path) => {
  const found = refusedField(message)
  expect(found?.path).toBe(path)
  if (found !== undefined) expect(message).toContain(found.words)
})

it.each([
  ["seed", { model: "m", seed: 1 }, { model: "m" }],
  ["modalities", { model: "m", modalities: ["text"] }, { model: "m" }],
  ["response_format", { model: "m", response_format: { type: "text" } }, { model: "m" }],
  ["n", { model: "m", n: 1 }, { model: "m" }],
  ["presencePenalty", { presence_penalty: 1, top_p: 1 }, { top_p: 1 }],
  ["reasoning.summary", { reasoning: { effort: "low", summary: "auto" } }, { reasoning: { effort: "low" } }],
  ["reasoning.summary", { reasoning: { summary: "auto" }, top_p: 1 }, { top_p: 1 }],
  ["output_config.effort", { output_config: { effort: "low" } }, {}],
  ["generation_config.seed", { generationConfig: { seed: 1, topK: 2 } }, { generationConfig: { topK: 2 } }],
  ["top_k", { additionalModelRequestFields: { top_k: 1 } }, {}],
  ["topP", { inferenceConfig: { topP: 1, maxTokens: 9 } }, { inferenceConfig: { maxTokens: 9 } }]
])("%s is left out of a request", (path, body, left) => {
  expect(withoutField(body, path)).toEqual(left)
})

it.each([
  ["messages.1.user", { user: "u", messages: [{}, { user: "u" }] }],
  ["tools.0.strict", { tools: [{ strict: true }] }],
  ["tool_choice", { tool_choice: "required" }],
  ["modalities", { modalities: ["text", "audio"] }],
  ["response_format", { response_format: {} }],
  ["text", { text: { format: {} } }],
  ["output_config.format", { output_config: { format: {} } }],
  ["generation_config.response_schema", { generationConfig: { responseSchema: {} } }],
  ["responseSchema", { generationConfig: { responseSchema: {} } }],
  ["generation_config", { generationConfig: { seed: 1 } }],
  ["max_tokens", { max_tokens: 1 }],
  ["inferenceConfig.maxTokens", { inferenceConfig: { maxTokens: 1 } }],
  ["instructions", { instructions: "Be brief" }],
  ["service_tier", { service_tier: "flex" }],
  ["store", { store: false }],
  ["guardrailConfig", { guardrailConfig: {} }],
  ["safe_prompt", { safe_prompt: true }],
  ["safety_settings", { safetySettings: [] }],
  ["stop", { stop: ["END"] }],
  ["n", { n: 3 }],
  ["generation_config.candidate_count", { generationConfig: { candidateCount: 2 } }],
  ["max_tool_calls", { max_tool_calls: 1 }],
  ["reasoning.max_tokens", { reasoning: { max_tokens: 1 } }],
  ["performanceConfig.latency", { performanceConfig: { latency: "optimized" } }],
  ["search_parameters", { search_parameters: { mode: "on" } }],
  ["guided_json", { guided_json: {} }],
  ["container.skills", { container: { skills: [] } }],
  ["provider.zdr", { provider: { zdr: true } }],
  ["__proto__", { seed: 1 }],
  ["__proto__.seed", { seed: 1 }],
  ["toString", { seed: 1 }],
  ["seed", { model: "m" }],
  ["constructor", {}],
  ["anthropic-beta", {}]
])("%s is not", (path, body) => {
  expect(withoutField(body, path)).toBeUndefined()
})

it("a member of any name is left out by itself", () => {
  const body = parseJson('{"__proto__":{"seed":1,"x":2},"a":1}')
  assert(isObject(body))
  const left = withoutField(body, "__proto__.seed")
  expect(JSON.stringify(left)).toBe('{"__proto__":{"x":2},"a":1}')
  expect(JSON.stringify(withoutField(body, "__proto__"))).toBe('{"a":1}')
  expect([Reflect.get({}, "seed"), Object.getPrototypeOf(left)]).toEqual([undefined, Object.prototype])
})

it("a path as long as words allow is followed in linear time", () => {
  const wide = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`member_${at}`, at]))
  const began = performance.now()
  expect(withoutField(wide, "a.".repeat(50))).toBeUndefined()
  expect(performance.now() - began).toBeLessThan(1_000)
})

it("words of any length are read in linear time", () => {
  for (const part of ["a.", "messages[1].", "`", "' : property '"]) {
    const began = performance.now()
    expect(refusedField(part.repeat(200_000))).toBeUndefined()
    expect(performance.now() - began).toBeLessThan(1_000)
  }
})
