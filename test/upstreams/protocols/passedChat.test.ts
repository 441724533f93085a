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
  const { messages: passedOn, model: _model, stream: _stream, stream_options: _options, ...rest } = sent
  const asked: JsonObject = { ...rest, ...("messages" in body && { messages: passedOn }) }
  return { sent: asked, lost }
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
  expect(sent["messages"]).toEqual([{ ...called, ...expected }])
  // Elsewhere some servers refuse it.
  const alone = { role: "assistant", content: "Hi", ...given }
  expect(passed(name, { messages: [alone] }).sent["messages"]).toEqual([alone])
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
  ["mistral", { user: "u", seed: 1 }, { random_seed: 1 }, ["user"]],
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

  it("a model that thinks by default does not, beside a forced tool or calls without their reasoning", () => {
    const off = { type: "disabled" }
    const call = { role: "assistant", tool_calls: [{ id: "a", type: "function", function: {} }] }
    const messages = [{ role: "user", content: "Hi" }, call, { role: "tool", tool_call_id: "a", content: "x" }]
    expect(passed("deepseek", { tool_choice: "required" }).sent).toEqual({ tool_choice: "required", thinking: off })
    expect(passed("deepseek", { messages })).toMatchObject({ sent: { thinking: off }, lost: ["thinking"] })
    const reasoned = messages.map((one) => ("tool_calls" in one ? { ...one, reasoning_content: "r" } : one))
    expect(passed("deepseek", { messages: reasoned })).toEqual({ sent: { messages: reasoned }, lost: [] })
  })

  it("an answer's format is told in words where the server lacks it", () => {
    const schema = { type: "object", properties: { a: { type: "string" } } }
    const response_format = { type: "json_schema", json_schema: { name: "x", schema } }
    const tools = [{ type: "function", function: { name: "f" } }]
    const deepseek = passed("deepseek", { response_format, messages: [{ role: "user", content: "Hi" }] })
    expect(deepseek.sent["response_format"]).toEqual({ type: "json_object" })
    expect(JSON.stringify(deepseek.sent["messages"])).toContain("JSON Schema")
    expect(deepseek.lost).toEqual(["response_format"])
    expect(passed("groq", { response_format }).sent["response_format"]).toEqual(response_format)
    expect(passed("groq", { response_format, tools })).toEqual({ sent: { tools }, lost: ["response_format"] })
  })

  it("an effort that the model lacks is left out", () => {
    const reasoning_effort = "low"
    expect(passed("groq", { reasoning_effort }, "llama-3.3-70b-versatile")).toEqual({
      sent: {},
      lost: ["reasoning_effort"]
    })
    expect(passed("groq", { reasoning_effort }, "openai/gpt-oss-120b").sent).toEqual({ reasoning_effort })
    expect(passed("xai", { reasoning_effort }, "grok-4").sent).toEqual({})
    expect(passed("xai", { reasoning_effort }, "grok-3-mini").sent).toEqual({ reasoning_effort })
  })

  it("turns are in the order that the model's template takes", () => {
    const user = (content: string) => ({ role: "user", content })
    const says = (content: string) => ({ role: "assistant", content })
    const messages = [user("a"), user("b"), says("c"), says(""), { role: "system", content: "s" }, user("d"), says("e")]
    const sent = (name: ProviderName, model?: string) => passed(name, { messages }, model).sent["messages"]
    expect(sent("generic")).toEqual(messages)
    expect(sent("mistral")).toEqual([...messages.slice(0, 3), ...messages.slice(4, 6), { ...says("e"), prefix: true }])
    expect(JSON.stringify(sent("vllm"))).not.toContain(`"system"`)
    expect(sent("vllm", "mistralai/Mistral-7B-Instruct-v0.3")).toMatchObject([
      { role: "user", content: "a\n\nb" },
      { role: "assistant", content: "c" },
      { role: "user" },
      { role: "assistant", content: "e" }
    ])
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
