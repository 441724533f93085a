import { fakeUpstream } from "../../upstreams/fakes/fakeUpstream.ts"

export const chat = fakeUpstream("openai-chat")
export const anthropic = fakeUpstream("anthropic-messages")
export const openai = fakeUpstream("openai-responses")
export const text = "play:text"

export const families = {
  messages: { path: "/v1/messages", native: anthropic, hello: { max_tokens: 100, messages: text } },
  responses: { path: "/v1/responses", native: openai, hello: { input: text } },
  chat: { path: "/v1/chat/completions", native: chat, hello: { messages: [{ role: "user", content: text }] } }
} as const

export type Family = keyof typeof families
export const block = (block: object) => ({ messages: [{ role: "user", content: [block, { type: "text", text }] }] })
export const part = (part: object) => ({ messages: [{ role: "user", content: [part, { type: "text", text }] }] })
export const item = (item: object) => ({ input: [item, { role: "user", content: text }] })
const weather = { name: "get_weather", input_schema: { type: "object" } }
const called = { type: "function", function: { name: "f" } }
const fn = { type: "function", name: "f", parameters: {} }
export const search = { type: "web_search_20250305", name: "web_search" }

/** Fields that break a rule, and the parameter in the error. `own`: checked by the gateway; otherwise by an upstream of the dialect. */
type Row = readonly [family: Family, fields: object, param: string, own?: "own"]

export const rows: ReadonlyArray<Row> = [
  ["messages", { thinking: { type: "adaptive", display: "sideways" } }, "thinking.display"],
  ["messages", { thinking: { type: "dreaming" } }, "thinking.type"],
  ["messages", { thinking: { type: "enabled", budget_tokens: 5_000 } }, "`max_tokens` must be greater"],
  ["messages", { tools: [{ type: "browser_toolset_20260801" }] }, "tools[0].type"],
  ["messages", { tools: [{ type: "computer_toolset_20260801", name: "computer" }] }, "tools[0].type"],
  ["messages", { tools: [weather, weather] }, "tools[1].name"],
  ["messages", { tools: [{ ...search, max_uses: 99 }] }, "tools[0].max_uses"],
  ["messages", { tools: [{ ...search, allowed_domains: ["a.com"], blocked_domains: ["b.com"] }] }, "tools[0].blocked"],
  ["messages", { tools: [weather], tool_choice: { type: "some" } }, "tool_choice.type"],
  ["messages", { tools: [weather], tool_choice: { type: "tool", name: "other" } }, "tool_choice.name"],
  ["messages", { output_config: { effort: "ultra" } }, "output_config.effort"],
  ["messages", { output_config: { format: { type: "yaml" } } }, "output_config.format.type"],
  ["messages", { system: [{ type: "image" }] }, "system[0]"],
  ["messages", { temperature: 1.5 }, "temperature"],
  ["messages", { top_k: -1 }, "top_k"],
  ["messages", { messages: [{ role: "developer", content: text }] }, "messages[0].role"],
  ...["advisor_tool_result", "fallback"].map((type): Row => [
    "messages",
    block({ type, anything: { deep: 1 } }),
    "messages[0].content[0].type"
  ]),
  ...["tool_addition", "tool_removal"].flatMap((type): ReadonlyArray<Row> => [
    [
      "messages",
      block({ type, tool: { type: "mcp_tool_reference", server_name: "s", name: "n" } }),
      "messages[0].content[0].tool.type"
    ],
    ["messages", block({ type, tool: { type: "tool_reference", name: "n" } }), "messages[0].content[0].tool.name"]
  ]),
  ["messages", block({ type: "image", source: { type: "hologram" } }), "messages[0].content[0].source.type"],
  ["messages", block({ type: "text" }), "messages[0].content[0].text"],
  ["messages", block({ type: "tool_result", tool_use_id: "t" }), "messages[0].content[0].tool_use_id"],

  ["messages", { max_tokens: 0 }, "max_tokens", "own"],
  ["messages", { messages: [] }, "messages"],
  ["messages", { messages: [{ role: "user" }] }, "messages[0].content", "own"],
  ["messages", { stream: "yes" }, "stream", "own"],
  ["messages", { async: 1 }, "async", "own"],
  ["responses", { tools: [{ type: "hologram" }] }, "tools[0].type"],
  ["responses", { tools: [{ type: "function" }] }, "tools[0].name"],
  ["responses", { tools: [fn], tool_choice: { type: "some" } }, "tool_choice.type"],
  ["responses", { tools: [fn], tool_choice: { type: "function", name: "g" } }, "tool_choice.name"],
  ["responses", { tool_choice: "perhaps" }, "tool_choice"],
  ["responses", { reasoning: { effort: "ultra" } }, "reasoning.effort"],
  ["responses", { reasoning: { summary: "long" } }, "reasoning.summary"],
  ["responses", { text: { format: { type: "yaml" } } }, "text.format.type"],
  ["responses", { text: { verbosity: "ultra" } }, "text.verbosity"],
  ["responses", { temperature: 3 }, "temperature"],
  ...["program", "program_output", "configuration_update"].map((type): Row => [
    "responses",
    item({ type, id: "x_1", anything: { deep: 1 } }),
    "input[0].type"
  ]),
  ["responses", item({ role: "user", content: [{ type: "input_video" }] }), "input[0].content[0].type"],
  ["responses", item({ role: "user", content: [{ type: "input_image" }] }), "input[0].content[0].image_url"],
  ["responses", item({ type: "function_call_output", call_id: "c", output: "x" }), "No tool call found"],
  ["responses", { input: undefined }, "input"],
  ["responses", { input: [] }, "input"],
  ["responses", { max_output_tokens: 0 }, "max_output_tokens", "own"],
  ["responses", { stream: "yes" }, "stream", "own"],
  ["responses", { store: "no" }, "store", "own"],
  ["responses", { metadata: { a: 1 } }, "metadata", "own"],
  ["responses", { background: true, store: false }, "store", "own"],
  ["chat", { tools: [{ type: "hologram" }] }, "tools[0].type"],
  ["chat", { tools: [{ type: "function" }] }, "tools[0].function"],
  ["chat", { tools: [called, called] }, "tools[1].function.name"],
  ["chat", { tools: [called], tool_choice: "perhaps" }, "tool_choice"],
  ["chat", { tools: [called], tool_choice: { type: "function", function: { name: "g" } } }, "tool_choice"],
  ["chat", { tool_choice: "required" }, "tool_choice"],
  ["chat", { tools: [called], functions: [{ name: "g" }] }, "functions"],
  ["chat", { functions: "all" }, "functions"],
  ["chat", { functions: [{ name: "g" }], function_call: "perhaps" }, "function_call"],
  ["chat", { response_format: { type: "yaml" } }, "response_format.type"],
  ["chat", { response_format: { type: "json_schema" } }, "response_format.json_schema"],
  ["chat", { reasoning_effort: "ultra" }, "reasoning_effort"],
  ["chat", { verbosity: "ultra" }, "verbosity"],
  ["chat", { temperature: 3 }, "temperature"],
  ["chat", { top_p: 2 }, "top_p"],
  ["chat", { frequency_penalty: 9 }, "frequency_penalty"],
  ["chat", { seed: "x" }, "seed"],
  ["chat", { stop: 5 }, "stop"],
  ["chat", { n: 20 }, "n"],
  ["chat", { top_logprobs: 99 }, "top_logprobs"],
  ["chat", { logit_bias: { a: "b" } }, "logit_bias"],
  ["chat", { modalities: "audio" }, "modalities"],
  ["chat", { metadata: { a: 1 } }, "metadata"],
  ["chat", { web_search_options: { search_context_size: "huge" } }, "web_search_options.search_context_size"],
  ["chat", { messages: [{ role: "narrator", content: text }] }, "messages[0].role"],
  ["chat", { messages: [{ role: "user", content: 5 }] }, "messages[0].content"],
  ["chat", { messages: [{ role: "user" }] }, "messages[0].content"],
  ["chat", part({ type: "video_url", video_url: { url: "https://a.example/a.mp4" } }), "messages[0].content[0].type"],
  ["chat", part({ type: "image_url" }), "messages[0].content[0].image_url"],
  ["chat", part({ type: "image_url", image_url: { url: "a.png" } }), "messages[0].content[0].image_url.url"],
  ["chat", part({ type: "text" }), "messages[0].content[0].text"],
  ["chat", { messages: [{ role: "tool", tool_call_id: "c", content: text }] }, "messages[0].tool_call_id"],
  [
    "chat",
    { messages: [{ role: "assistant", tool_calls: [{ type: "mcp", id: "c" }] }] },
    "messages[0].tool_calls[0].type"
  ],
  ["chat", { messages: [{ role: "assistant", tool_calls: [{ id: "c", ...called }] }] }, "messages[0].tool_calls[0]"],
  ["chat", { messages: [] }, "messages", "own"],
  ["chat", { tools: "all" }, "tools", "own"],
  ["chat", { max_tokens: 0 }, "max_tokens", "own"],
  ["chat", { max_completion_tokens: 0 }, "max_completion_tokens", "own"],
  ["chat", { n: 0 }, "n", "own"],
  ["chat", { n: 200 }, "n", "own"],
  ["chat", { stream: "yes" }, "stream", "own"],
  ["chat", { stream_options: { include_usage: "yes" } }, "stream_options.include_usage", "own"],
  ["responses", { previous_response_id: "resp_unknown" }, "Previous response", "own"]
]
