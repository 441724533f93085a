import { G, GT, O, OT, R, gHi, gResult, hi, oCall, oResult, p } from "./probe.ts"

p("openai.format", "openai-chat", O({ response_format: { type: "json_object" } }))
p("openai.parallel", "openai-chat", O({ tools: [OT], parallel_tool_calls: false }), { model: "o3-mini" })
p("openai.tool-pairs", "openai-chat", O({ messages: [hi, oCall, hi] }))
p("openai.content", "openai-chat", O({ messages: [hi, { role: "assistant", content: null }, hi] }))
p("openai.stream-options", "openai-chat", O({ stream_options: { include_usage: true } }))
p(
  "openai.image",
  "openai-chat",
  O({
    messages: [{ role: "user", content: [{ type: "image_url", image_url: { url: "data:image/bmp;base64,Qk0=" } }] }]
  })
)
p("responses.max_output_tokens", "openai-responses", R({ max_output_tokens: 5 }))
p(
  "responses.item-id",
  "openai-responses",
  R({
    input: [
      hi,
      { type: "function_call", id: "item_1", call_id: "c1", name: "w", arguments: "{}" },
      { type: "function_call_output", call_id: "c1", output: "x" }
    ]
  })
)
p(
  "responses.call-id",
  "openai-responses",
  R({
    input: [
      hi,
      { type: "function_call", call_id: "c".repeat(65), name: "w", arguments: "{}" },
      { type: "function_call_output", call_id: "c".repeat(65), output: "x" }
    ]
  })
)
p(
  "responses.reasoning-signature",
  "openai-responses",
  R({
    input: [
      hi,
      { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "foreign" },
      { role: "assistant", content: [{ type: "output_text", text: "x" }] },
      hi
    ]
  })
)
p(
  "responses.content",
  "openai-responses",
  R({ input: [{ role: "assistant", content: [{ type: "input_text", text: "x" }] }, hi] })
)
p("azure.version", "azure-chat", O({}), { path: "/openai/deployments/d/chat/completions" })
p("gemini.field", "gemini", G({ generationConfig: { max_tokens: 5 } }))
p("gemini.role", "gemini", G({ contents: [{ role: "assistant", parts: [{ text: "x" }] }] }))
p("gemini.contents", "gemini", G({ contents: [] }))
p(
  "gemini.call-turn",
  "gemini",
  G({ contents: [{ role: "model", parts: [{ functionCall: { name: "w", args: {} } }] }, gResult, gHi] }),
  { model: "gemini-2.5-flash" }
)
p(
  "gemini.call-count",
  "gemini",
  G({
    contents: [
      gHi,
      { role: "model", parts: [{ functionCall: { name: "w", args: {} } }, { functionCall: { name: "w", args: {} } }] },
      gResult
    ]
  }),
  { model: "gemini-2.5-flash" }
)
p("gemini.json-with-tools", "gemini", G({ tools: [GT], generationConfig: { responseMimeType: "application/json" } }), {
  model: "gemini-2.5-flash"
})
p("gemini.search-with-tools", "gemini", G({ tools: [GT, { googleSearch: {} }] }), { model: "gemini-2.5-flash" })
p("gemini.thinking-level", "gemini", G({ generationConfig: { thinkingConfig: { thinkingLevel: "LOW" } } }), {
  model: "gemini-2.5-flash"
})
p("gemini.thinking-budget", "gemini", G({ generationConfig: { thinkingConfig: { thinkingBudget: 0 } } }), {
  model: "gemini-2.5-pro"
})
p("gemini.stop", "gemini", G({ generationConfig: { stopSequences: ["a", "b", "c", "d", "e", "f"] } }))
p("gemini.temperature", "gemini", G({ generationConfig: { temperature: 3 } }))
p(
  "gemini.signature",
  "gemini",
  G({ contents: [gHi, { role: "model", parts: [{ functionCall: { name: "w", args: {} } }] }, gResult] })
)
p("gemini.cached-content", "gemini", G({ cachedContent: "cachedContents/x", tools: [GT] }))
p("deepseek.reasoning-back", "deepseek", O({ messages: [hi, oCall, oResult] }), { model: "deepseek-v4-pro" })
p("deepseek.format", "deepseek", O({ response_format: { type: "json_schema" } }), { model: "deepseek-v4-pro" })
p("deepseek.max_tokens", "deepseek", O({ max_tokens: 0 }), { model: "deepseek-v4-pro" })
p("groq.field", "groq", O({ logprobs: true }), { model: "openai/gpt-oss-120b" })
p("groq.json-with-tools", "groq", O({ tools: [OT], response_format: { type: "json_object" } }), {
  model: "llama-3.3-70b-versatile"
})
p("groq.n", "groq", O({ n: 2 }), { model: "llama-3.3-70b-versatile" })
p("mistral.field", "mistral", O({ seed: 1 }), { model: "mistral-large-2512" })
p(
  "mistral.message-field",
  "mistral",
  O({ messages: [hi, { role: "assistant", content: "x", reasoning_content: "t" }, hi] }),
  { model: "mistral-large-2512" }
)
p("mistral.call-id", "mistral", O({ messages: [hi, oCall, oResult] }), { model: "mistral-large-2512" })
p("mistral.order", "mistral", O({ messages: [hi, { role: "assistant", content: "x" }] }), {
  model: "mistral-large-2512"
})
p("xai.penalty", "xai", O({ stop: ["x"] }), { model: "grok-4.6" })
p("xai.effort", "xai", O({ reasoning_effort: "low" }), { model: "grok-4-0709" })
p("cerebras.field", "cerebras", O({ presence_penalty: 0.5 }), { model: "gpt-oss-120b" })
p(
  "cerebras.message-field",
  "cerebras",
  O({ messages: [hi, { role: "assistant", content: "x", reasoning_content: "t" }, hi] }),
  { model: "gpt-oss-120b" }
)
p("vllm.stream-options", "vllm", O({ stream_options: {} }), { model: "m" })
p("vllm.template", "vllm", O({ messages: [hi, { role: "system", content: "s" }] }), { model: "Qwen/Qwen3.6-27B" })
p(
  "vllm.arguments",
  "vllm",
  O({
    messages: [
      hi,
      { role: "assistant", tool_calls: [{ id: "c1", type: "function", function: { name: "w", arguments: "{" } }] },
      oResult
    ]
  }),
  { model: "m" }
)
p(
  "ollama.image",
  "ollama",
  O({
    messages: [{ role: "user", content: [{ type: "image_url", image_url: { url: "https://example.com/a.png" } }] }]
  }),
  { model: "llava" }
)
