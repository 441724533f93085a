import { describe, expect, it } from "@effect/vitest"
import type { JsonObject } from "../../../src/contract/fields.ts"
import { chatDialect } from "../../../src/upstreams/protocols/openaiChat/chatDialect.ts"
import { providers } from "../../../src/upstreams/protocols/openaiChat/compatible.ts"

type ProviderName = keyof typeof providers

/** The body that reaches the server, and the names of what was left out. */
const passed = (name: ProviderName, body: JsonObject, upstreamModel = "m") => {
  const lost: Array<string> = []
  const options = { upstreamModel, stream: false }
  const messages = [{ role: "user", content: "Hi" }]
  const sent = chatDialect(providers[name]).body({ messages, ...body }, options, (param) => lost.push(param))
  const { model: _model, stream: _stream, stream_options: _options, ...rest } = sent
  return { sent: { ...rest, ...("messages" in body ? {} : { messages: undefined }) }, lost }
}

const called = { role: "assistant", tool_calls: [{ id: "a" }] }

it.each([
  ["vllm", { reasoning: "r" }, { reasoning: "r", reasoning_content: "r" }],
  ["vllm", { reasoning_content: "r" }, { reasoning: "r", reasoning_content: "r" }],
  ["deepseek", { reasoning: "r" }, { reasoning: "r", reasoning_content: "r" }],
  ["ollama", { reasoning_content: "r" }, { reasoning: "r", reasoning_content: "r" }],
  ["generic", { reasoning: "r" }, { reasoning: "r" }],
  ["vllm", { reasoning: "" }, { reasoning: "" }]
] as const)("%s reads the reasoning in front of a call wherever a client returns it: %j", (name, given, expected) => {
  const { sent } = passed(name, { messages: [{ ...called, ...given }] })
  expect(sent.messages).toEqual([{ ...called, ...expected }])
  // Elsewhere some servers refuse it.
  const alone = { role: "assistant", content: "Hi", ...given }
  expect(passed(name, { messages: [alone] }).sent.messages).toEqual([alone])
})

/** What a caller says in the dialect's words, and what the server is told. */
const rows: ReadonlyArray<readonly [ProviderName, JsonObject, JsonObject, ReadonlyArray<string>]> = [
  ["mistral", { max_completion_tokens: 9 }, { max_tokens: 9 }, []],
  ["ollama", { max_completion_tokens: 9 }, { max_tokens: 9 }, []],
  ["deepseek", { max_completion_tokens: 9 }, { max_tokens: 9 }, []],
  ["openai", { max_tokens: 9 }, { max_completion_tokens: 9 }, []],
  ["openai", { max_tokens: 8, max_completion_tokens: 9 }, { max_completion_tokens: 9 }, ["max_tokens"]],
  ["mistral", { max_tokens: 8, max_completion_tokens: 9 }, { max_tokens: 9 }, ["max_tokens"]],
  ["mistral", { max_tokens: 9, max_completion_tokens: null }, { max_tokens: 9, max_completion_tokens: null }, []],
  ["generic", { max_completion_tokens: 9 }, { max_completion_tokens: 9 }, []],
  ["generic", { max_tokens: 9 }, { max_tokens: 9 }, []],
  ["mistral", { user: "u", seed: 1 }, { seed: 1 }, ["user"]],
  ["vllm", { user: "u" }, { user: "u" }, []],
  [
    "deepseek",
    { thinking: { type: "enabled" }, tool_choice: "required" },
    { thinking: { type: "enabled" } },
    ["tool_choice"]
  ],
  [
    "deepseek",
    { reasoning_effort: "high", tool_choice: { type: "function" } },
    { reasoning_effort: "high" },
    ["tool_choice"]
  ],
  [
    "deepseek",
    { thinking: { type: "disabled" }, tool_choice: "required" },
    { thinking: { type: "disabled" }, tool_choice: "required" },
    []
  ],
  [
    "deepseek",
    { reasoning_effort: "high", tool_choice: "auto" },
    { reasoning_effort: "high", tool_choice: "auto" },
    []
  ],
  ["qwen", { enable_thinking: true, tool_choice: "required" }, { enable_thinking: true }, ["tool_choice"]],
  [
    "vllm",
    { reasoning_effort: "high", tool_choice: "required" },
    { reasoning_effort: "high", tool_choice: "required" },
    []
  ]
]

describe("a chat completion that passes through", () => {
  it.each(rows)("%s: %j is sent as %j", (name, body, expected, names) => {
    expect(passed(name, body)).toEqual({ sent: expected, lost: names })
  })

  it("a model that always thinks is not forced at DeepSeek", () => {
    const forced = { tool_choice: "required" }
    expect(passed("deepseek", forced, "deepseek-reasoner").lost).toEqual(["tool_choice"])
    expect(passed("deepseek", forced, "deepseek-chat").lost).toEqual([])
  })

  const calling = { role: "assistant", tool_calls: [{ id: "abcdefgh1", type: "function", function: {} }] }
  const result = (content: unknown) => ({ role: "tool", tool_call_id: "abcdefgh1", content })
  const user = (content: unknown) => ({ role: "user", content })

  it("has the assistant's word between a result and the user at Mistral alone", () => {
    const messages = [user("Hi"), calling, result("ok"), user("and?")]
    const ok = { role: "assistant", content: "OK." }
    expect(passed("mistral", { messages }).sent["messages"]).toEqual([...messages.slice(0, 3), ok, messages[3]])
    expect(passed("vllm", { messages }).sent["messages"]).toEqual(messages)
  })

  it("has one result for a call", () => {
    const next = [calling, result("again")]
    const messages = [calling, result("a"), result("b"), result([{ type: "text", text: "c" }]), ...next]
    const parts = [
      { type: "text", text: "a" },
      { type: "text", text: "b" },
      { type: "text", text: "c" }
    ]
    expect(passed("vllm", { messages }).sent["messages"]).toEqual([calling, result(parts), ...next])
  })

  it("has JPEG's registered name", () => {
    const image = (type: string) => [
      { type: "image_url", image_url: { url: `data:${type};base64,QQ==`, detail: "low" } }
    ]
    const sent = passed("gemini", { messages: [user(image("image/jpg"))] }).sent
    expect(sent["messages"]).toEqual([user(image("image/jpeg"))])
  })
})
