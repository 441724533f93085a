import { AT, C, E, K, KT, O, OT, R, call, hi, kCall, kHi, kResult, p, result } from "./probe.ts"

p("claude.beta", "bedrock-invoke", C({ anthropic_beta: ["prompt-caching-scope-2026-01-05"] }))
p("claude.beta", "vertex-claude", C({}), { headers: { "anthropic-beta": "fast-mode-2026-02-01" } })
p("claude.beta", "bedrock-invoke", C({ anthropic_beta: ["interleaved-thinking-2025-05-14"] }), {
  model: "us.anthropic.claude-opus-4-8"
})
p("claude.field-without-beta", "anthropic", C({ context_management: { edits: [] } }))
p("claude.unknown-field", "anthropic", C({ frequency_penalty: 1 }))
p("claude.top-cache-control", "vertex-claude", C({ cache_control: E }))
p("claude.stream-in-body", "bedrock-invoke", C({ stream: true }))
p("claude.version", "bedrock-invoke", C({ anthropic_version: "2023-06-01" }))
p("claude.version-sampling", "anthropic", C({ temperature: 1 }), { headers: { "anthropic-version": "2026-10-21" } })
p("claude.sampling-gone", "bedrock-converse", K({ inferenceConfig: { temperature: 0.5 } }), {
  model: "us.anthropic.claude-opus-4-8"
})
p("claude.temperature-range", "anthropic", C({ temperature: 1.5 }))
p("claude.max_tokens", "anthropic", C({ max_tokens: 70000 }))
p("claude.thinking-kind", "anthropic", C({ thinking: { type: "adaptive" } }))
p(
  "claude.thinking-kind",
  "bedrock-converse",
  K({ additionalModelRequestFields: { thinking: { type: "enabled", budget_tokens: 2000 } } }),
  { model: "us.anthropic.claude-opus-4-8" }
)
p(
  "claude.thinking-sampling",
  "anthropic",
  C({ max_tokens: 4000, temperature: 0.5, thinking: { type: "enabled", budget_tokens: 2000 } })
)
p(
  "claude.thinking-forced-tool",
  "anthropic",
  C({ max_tokens: 4000, tools: [AT], tool_choice: { type: "any" }, thinking: { type: "enabled", budget_tokens: 2000 } })
)
p("claude.prefill", "anthropic", C({ messages: [hi, { role: "assistant", content: "{" }] }), {
  model: "claude-opus-4-6"
})
p("claude.no-messages", "anthropic", C({ messages: [] }))
p("claude.role", "anthropic", C({ messages: [hi, { role: "tool", content: "s" }] }))
p("claude.empty", "anthropic", C({ messages: [{ role: "user", content: [{ type: "text", text: "" }] }] }))
p("claude.tool-pairs", "anthropic", C({ tools: [AT], messages: [hi, call, hi] }))
p(
  "claude.tool-id",
  "anthropic",
  C({
    tools: [AT],
    messages: [
      hi,
      { role: "assistant", content: [{ type: "tool_use", id: "a.b|c", name: "w", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "a.b|c", content: "x" }] }
    ]
  })
)
p("claude.tool-name", "anthropic", C({ tools: [{ ...AT, name: "a.b" }] }))
p("claude.tool-schema", "anthropic", C({ tools: [{ ...AT, input_schema: { type: "object", anyOf: [] } }] }))
p("claude.count-tokens", "anthropic", C({ tools: [{ type: "web_search_20250305", name: "web_search" }] }), {
  path: "/v1/messages/count_tokens"
})
p("claude.tool-field", "vertex-claude", C({ tools: [{ ...AT, defer_loading: true }] }))
p("claude.tool-choice", "anthropic", C({ tool_choice: { type: "any" } }))
p(
  "claude.cache-marks",
  "anthropic",
  C({
    messages: [
      { role: "user", content: [1, 2, 3, 4, 5].map((n) => ({ type: "text", text: `t${n}`, cache_control: E })) }
    ]
  })
)
p(
  "claude.cache-ttl-order",
  "anthropic",
  C({
    system: [{ type: "text", text: "s", cache_control: E }],
    messages: [{ role: "user", content: [{ type: "text", text: "t", cache_control: { ...E, ttl: "1h" } }] }]
  })
)
p(
  "claude.cache-scope",
  "bedrock-invoke",
  C({ system: [{ type: "text", text: "s", cache_control: { ...E, scope: "global" } }] })
)
p(
  "claude.url-source",
  "vertex-claude",
  C({
    messages: [
      { role: "user", content: [{ type: "image", source: { type: "url", url: "https://example.com/a.png" } }] }
    ]
  })
)
p(
  "claude.image",
  "anthropic",
  C({
    messages: [
      {
        role: "user",
        content: [{ type: "image", source: { type: "base64", media_type: "image/jpeg", data: "iVBORw0KGgo=" } }]
      }
    ]
  })
)
p(
  "claude.thinking-first",
  "anthropic",
  C({ max_tokens: 4000, tools: [AT], thinking: { type: "enabled", budget_tokens: 2000 }, messages: [hi, call, result] })
)
p("claude.metadata", "anthropic", C({ metadata: { trace: "x" } }))
p(
  "claude.citations-null",
  "bedrock-invoke",
  C({ messages: [hi, { role: "assistant", content: [{ type: "text", text: "x", citations: null }] }, hi] })
)
p("claude.size", "bedrock-invoke", C({}), { bytes: 21 * 1024 * 1024 })
p("converse.field", "bedrock-converse", K({ stream: true }))
p("converse.first-role", "bedrock-converse", K({ messages: [{ role: "assistant", content: [{ text: "x" }] }, kHi] }))
p("converse.empty", "bedrock-converse", K({ messages: [{ role: "user", content: [{ text: " " }] }] }))
p("converse.tool-config", "bedrock-converse", K({ messages: [kHi, kCall, kResult] }))
p(
  "converse.tool-name",
  "bedrock-converse",
  K({
    toolConfig: { tools: [{ toolSpec: { name: "a.b", description: "d", inputSchema: { json: { type: "object" } } } }] }
  })
)
p(
  "converse.tool-id",
  "bedrock-converse",
  K({
    toolConfig: KT,
    messages: [
      kHi,
      { role: "assistant", content: [{ toolUse: { toolUseId: "a b", name: "w", input: {} } }] },
      { role: "user", content: [{ toolResult: { toolUseId: "a b", content: [{ text: "x" }] } }] }
    ]
  })
)
p("converse.tool-choice", "bedrock-converse", K({ toolConfig: { ...KT, toolChoice: { none: {} } } }))
p("converse.forced-tool", "bedrock-converse", K({ toolConfig: { ...KT, toolChoice: { any: {} } } }), {
  model: "us.meta.llama4-maverick-17b-instruct-v1:0"
})
p("converse.tools", "bedrock-converse", K({ toolConfig: KT }), { model: "us.deepseek.r1-v1:0" })
p(
  "converse.status",
  "bedrock-converse",
  K({
    toolConfig: KT,
    messages: [
      kHi,
      kCall,
      { role: "user", content: [{ toolResult: { toolUseId: "t1", content: [{ text: "x" }], status: "error" } }] }
    ]
  }),
  { model: "us.writer.palmyra-x5-v1:0" }
)
p("converse.system", "bedrock-converse", K({ system: [{ text: "s" }] }), { model: "mistral.mistral-7b-instruct-v0:2" })
p(
  "converse.image",
  "bedrock-converse",
  K({ messages: [{ role: "user", content: [{ text: "t" }, { image: { format: "svg", source: { bytes: "aGk=" } } }] }] })
)
p(
  "converse.document",
  "bedrock-converse",
  K({
    messages: [
      {
        role: "user",
        content: [{ text: "t" }, { document: { name: "a.pdf", format: "pdf", source: { bytes: "aGk=" } } }]
      }
    ]
  })
)
p("converse.temperature", "bedrock-converse", K({ inferenceConfig: { temperature: 1.5 } }), {
  model: "us.amazon.nova-pro-v1:0"
})
p(
  "converse.foreign-fields",
  "bedrock-converse",
  K({ additionalModelRequestFields: { thinking: { type: "enabled" } } }),
  { model: "us.amazon.nova-pro-v1:0" }
)
p("openai.chat-field", "openai-chat", O({ top_k: 5 }))
p("openai.responses-field", "openai-responses", R({ stop: ["x"] }))
p("openai.both-bounds", "openai-chat", O({ max_tokens: 5, max_completion_tokens: 5 }), { model: "gpt-4.1" })
p("openai.temperature", "openai-chat", O({ temperature: 0.5 }), { model: "gpt-5" })
p("openai.reasoning-params", "openai-chat", O({ presence_penalty: 0.5 }), { model: "o3" })
p("openai.effort-unknown", "openai-chat", O({ reasoning_effort: "low" }), { model: "gpt-4.1" })
p("openai.tools-and-effort", "openai-chat", O({ tools: [OT] }), { model: "gpt-5.6-sol" })
p("openai.tool-name", "openai-chat", O({ tools: [{ type: "function", function: { name: "a.b" } }] }))
p(
  "openai.tool-schema",
  "openai-responses",
  R({
    tools: [
      {
        type: "function",
        name: "w",
        strict: true,
        parameters: { type: "object", properties: { a: { type: "string" } } }
      }
    ]
  })
)
