import { describe, expect, it } from "@effect/vitest"
import type { JsonObject } from "../../../src/contract/fields.ts"
import { anthropicMessagesAt } from "../../../src/upstreams/protocols/anthropicMessages/anthropicMessages.ts"
import { openaiChat } from "../../../src/upstreams/protocols/openaiChat/openaiChat.ts"
import { providers } from "../../../src/upstreams/protocols/openaiChat/compatible.ts"
import { openaiResponses } from "../../../src/upstreams/protocols/openaiResponses/openaiResponses.ts"
import { conversation } from "../conversations.ts"

const header = "x-anthropic-billing-header: cc_version=2.1.332.b3f; cc_entrypoint=cli; cch=0a1b2;"
const system = [header, "You are Claude Code."]
const options = { model: "m", upstreamModel: "m", stream: false }
const name = "x-anthropic-billing-header"
const text = (text: string) => ({ type: "text", text })

const anthropics = [
  "https://api.anthropic.com",
  "https://bedrock-mantle.us-east-1.api.aws/anthropic",
  "https://aiplatform.googleapis.com/v1",
  "https://res.services.ai.azure.com/anthropic"
]
const others = ["http://localhost:8000/v1", "https://api.deepseek.com/anthropic", "https://notanthropic.com"]

const passed = (baseUrl: string, body: JsonObject) => {
  const lost: Array<string> = []
  const { system } =
    anthropicMessagesAt(baseUrl).dialect?.body({ messages: [], ...body }, options, (at) => lost.push(at)) ?? {}
  return { system, lost }
}

describe("Claude Code's billing header", () => {
  it.each(anthropics)("reaches %s", (baseUrl) => {
    const { adapted, body } = anthropicMessagesAt(baseUrl).lower(conversation({ system }), options)
    expect([body["system"], adapted]).toEqual([system.map(text), []])
    expect(passed(baseUrl, { system: system.map(text) })).toEqual({ system: system.map(text), lost: [] })
  })

  it.each(others)("does not reach %s, translated or passed through", (baseUrl) => {
    const { adapted, body } = anthropicMessagesAt(baseUrl).lower(conversation({ system }), options)
    expect([body["system"], adapted]).toEqual([[text("You are Claude Code.")], [name]])
    const rest = [{ ...text("You are Claude Code."), cache_control: { type: "ephemeral" } }]
    expect(passed(baseUrl, { system: [text(header), ...rest] })).toEqual({ system: rest, lost: [name] })
  })

  it.each([
    ["openai-responses", openaiResponses],
    ["openai-chat", openaiChat(providers.vllm)]
  ])("does not reach %s", (_, protocol) => {
    const { adapted, body } = protocol.lower(conversation({ system }), options)
    expect(JSON.stringify(body)).not.toContain("billing")
    expect(JSON.stringify(body)).toContain("You are Claude Code.")
    expect(adapted).toEqual([name])
  })

  it("leaves the rest of its text, and such words elsewhere", () => {
    const baseUrl = "http://localhost:8000/v1"
    expect(passed(baseUrl, { system: `${header}\nBe brief.` })).toEqual({ system: "Be brief.", lost: [name] })
    expect(passed(baseUrl, { system: header })).toEqual({ system: undefined, lost: [name] })
    for (const system of [`Explain "${header}"`, ["Hi", header].map(text), undefined]) {
      expect(passed(baseUrl, { system })).toEqual({ system, lost: [] })
    }
  })
})
