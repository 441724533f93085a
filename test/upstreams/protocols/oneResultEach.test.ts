import { describe, expect, it } from "@effect/vitest"
import { atUrl } from "../../../src/generation/fileSource.ts"
import { lower as anthropic } from "../../../src/upstreams/protocols/anthropicMessages/request.ts"
import { messagesDialect } from "../../../src/upstreams/protocols/anthropicMessages/messagesDialect.ts"
import { providers } from "../../../src/upstreams/protocols/openaiChat/compatible.ts"
import { passedMessages } from "../../../src/upstreams/protocols/openaiChat/passedMessages.ts"
import { oneResultEach } from "../../../src/upstreams/protocols/oneResultEach.ts"
import { lower as chat } from "../../../src/upstreams/protocols/openaiChat/request.ts"
import { lower as responses } from "../../../src/upstreams/protocols/openaiResponses/request.ts"
import { call, conversation, result, user, weather } from "../conversations.ts"

const options = { model: "m", upstreamModel: "m", stream: false }
const text = (text: string) => ({ type: "text", text })

describe("two results for one call", () => {
  const items = [user("Hi"), call("t1", "f", "{}"), result("t1", "a"), user("wait"), result("t1", "b", true)]
  const asked = conversation({ items })

  it("are one for every dialect", () => {
    expect(anthropic(asked, options).body["messages"]).toMatchObject([
      {},
      { content: [{ type: "tool_use" }] },
      { content: [{ type: "tool_result", content: [text("a"), text("b")], is_error: true }, text("wait")] }
    ])
    expect(chat(asked, options, providers.vllm).body["messages"]).toMatchObject([
      {},
      {},
      { role: "tool", content: "Error: a\n\nb" },
      { role: "user" }
    ])
    expect(responses(asked, options).body["input"]).toMatchObject([
      {},
      { type: "function_call" },
      { type: "function_call_output", output: "Error: a\n\nb" },
      { role: "user" }
    ])
  })

  it("of turns whose calls have the same id are two", () => {
    const again = conversation({ items: [...items.slice(0, 3), call("t1", "f", "{}"), result("t1", "b")] })
    const input = JSON.stringify(responses(again, options).body["input"])
    expect(input.match(/function_call_output/g)).toHaveLength(2)
  })

  it("are one in messages that pass through", () => {
    const block = (content: unknown, more = {}) => ({ type: "tool_result", tool_use_id: "t1", content, ...more })
    const messages = [{ role: "user", content: [block("a"), block([text("b")], { is_error: true }), text("wait")] }]
    expect(messagesDialect.body({ messages }, options)["messages"]).toEqual([
      { role: "user", content: [block([text("a"), text("b")], { is_error: true }), text("wait")] }
    ])
  })
})

describe("60,000 results for one call", () => {
  const many = 60_000
  const all = <A>(one: A): ReadonlyArray<A> => Array.from({ length: many }, () => ({ ...one }))

  // One by one they would be copied two thousand million times.
  it("are joined in one go, translated and passed through", { timeout: 10_000 }, () => {
    const joined = oneResultEach([call("t1", "f", "{}"), ...all(result("t1", "a"))])
    expect(joined.map((item) => (item.type === "tool-result" ? item.content.length : 0))).toEqual([0, many])

    const block = { type: "tool_result", tool_use_id: "t1", content: [text("a")] }
    const passed = messagesDialect.body({ messages: [{ role: "user", content: all(block) }] }, options)["messages"]
    expect(passed).toMatchObject([{ content: [{ content: { length: many } }] }])

    const message = { role: "tool", tool_call_id: "t1", content: [text("a")] }
    expect(passedMessages(all(message), providers.vllm, undefined)).toMatchObject([{ content: { length: many } }])
  })
})

describe("image/jpg", () => {
  it("is image/jpeg, translated and passed through", () => {
    expect(atUrl("data:image/jpg;base64,QQ==")).toEqual({ type: "base64", mediaType: "image/jpeg", data: "QQ==" })
    const image = (media_type: string) => ({ type: "image", source: { type: "base64", media_type, data: "QQ==" } })
    const messages = [{ role: "user", content: [image("image/jpg")] }]
    const sent = messagesDialect.body({ messages }, options)["messages"]
    expect(sent).toEqual([{ role: "user", content: [image("image/jpeg")] }])
  })
})

describe("a tool that must be called by a model that thinks", () => {
  const reasoning = { enabled: undefined, effort: "high", budgetTokens: undefined, summary: undefined } as const
  const forced = conversation({ tools: [weather], toolChoice: { type: "required", names: undefined }, reasoning })

  it.each([
    ["deepseek", undefined, ["tool_choice"]],
    ["qwen", undefined, ["tool_choice"]],
    ["moonshot", undefined, ["tool_choice"]],
    ["groq", "required", []]
  ] as const)("%s", (name, choice, adapted) => {
    const lowered = chat(forced, options, providers[name])
    expect([lowered.body["tool_choice"], lowered.adapted]).toEqual([choice, adapted])
  })
})
