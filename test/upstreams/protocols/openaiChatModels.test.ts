import { describe, expect, it } from "@effect/vitest"
import type { JsonObject } from "../../../src/contract/fields.ts"
import type { Reasoning } from "../../../src/generation/Conversation.ts"
import { chatDialect } from "../../../src/upstreams/protocols/openaiChat/chatDialect.ts"
import { providers } from "../../../src/upstreams/protocols/openaiChat/compatible.ts"
import { openaiChat } from "../../../src/upstreams/protocols/openaiChat/openaiChat.ts"
import { conversation, weather } from "../conversations.ts"

type Over = Parameters<typeof conversation>[0]
type Name = keyof typeof providers

const lower = (model: string, over: Over, provider: Name = "openai", knownAs?: string) =>
  openaiChat(providers[provider]).lower(conversation(over), { model, knownAs, stream: false })

const effort = (value: Reasoning["effort"]): Reasoning => ({
  enabled: undefined,
  effort: value,
  budgetTokens: undefined,
  summary: undefined
})
const tools = [weather]

/** What is sent as `reasoning_effort`, and the names of what changed. */
const sent = (model: string, over: Over, provider?: Name, knownAs?: string) => {
  const { adapted, body } = lower(model, over, provider, knownAs)
  return [body["reasoning_effort"], adapted]
}

describe("OpenAI's own models by chat completions", () => {
  it("offer functions without reasoning from 5.4 on, with the effort written out from 5.6 on", () => {
    for (const model of ["gpt-5.6", "gpt-5.6-sol", "openai/gpt-5.6", "gpt-6.1"]) {
      expect(sent(model, { tools })).toEqual(["none", ["reasoning_effort"]])
      expect(sent(model, { tools, reasoning: effort("high") })).toEqual(["none", ["reasoning.effort"]])
      expect(sent(model, { tools, reasoning: effort("none") })).toEqual(["none", []])
      expect(sent(model, { reasoning: effort("max") })).toEqual(["max", []])
      expect(sent(model, {})).toEqual([undefined, []])
    }
    for (const model of ["gpt-5.4", "gpt-5.5-2026-04-01"]) {
      expect(sent(model, { tools })).toEqual([undefined, []])
      expect(sent(model, { tools, reasoning: effort("high") })).toEqual(["none", ["reasoning.effort"]])
    }
    for (const model of ["gpt-5.3", "gpt-5", "gpt-oss-120b", "a-deployment"]) {
      expect(sent(model, { tools, reasoning: effort("high") })).toEqual(["high", []])
    }
  })

  it("are known by the public id of a deployment, and behind a server that nothing is known of", () => {
    expect(sent("house", { tools }, "openai", "gpt-5.6")).toEqual(["none", ["reasoning_effort"]])
    expect(sent("gpt-5.6", { tools }, "generic")).toEqual(["none", ["reasoning_effort"]])
    expect(lower("gpt-5.6", { maxOutputTokens: 9 }, "generic").body).toHaveProperty("max_completion_tokens", 9)
    expect(sent("gpt-5.6", { tools }, "vllm")).toEqual([undefined, []])
  })

  it.each([
    ["gpt-4.1", "high", undefined],
    ["gpt-5.1-chat-latest", "high", undefined],
    ["o3-mini", "xhigh", "high"],
    ["gpt-5", "none", undefined],
    ["gpt-5", "minimal", "minimal"],
    ["gpt-5.1", "minimal", "low"],
    ["gpt-5.1", "xhigh", "high"],
    ["gpt-5.2", "xhigh", "xhigh"],
    ["gpt-5.5", "max", "xhigh"]
  ] as const)("%s with effort %s get %s, which is named where it is another", (model, wanted, expected) => {
    expect(sent(model, { reasoning: effort(wanted) })).toEqual([
      expected,
      wanted === expected ? [] : ["reasoning.effort"]
    ])
  })

  it("take sampling parameters and stop sequences only as they do", () => {
    const sampling = { temperature: 0.5, topP: undefined, topK: undefined }
    const taken = (model: string, more: Over = {}) => lower(model, { sampling, ...more }).body["temperature"]
    expect(taken("gpt-4.1")).toBe(0.5)
    expect(taken("gpt-5")).toBeUndefined()
    expect(taken("gpt-5.2")).toBe(0.5)
    expect(taken("gpt-5.2", { reasoning: effort("low") })).toBeUndefined()
    expect(taken("gpt-5.6")).toBeUndefined()
    expect(taken("gpt-5.6", { tools })).toBe(0.5)
    expect(lower("gpt-5", { sampling }).adapted).toEqual(["temperature"])
    const stopped = lower("o4-mini", { stopSequences: ["END"] })
    expect([stopped.body["stop"], stopped.stops, stopped.adapted]).toEqual([undefined, ["END"], []])
    expect(lower("gpt-5.6", { stopSequences: ["END"] }).body["stop"]).toEqual(["END"])
    const serial = lower("o3", { tools, parallelToolCalls: false })
    expect([serial.body["parallel_tool_calls"], serial.adapted]).toEqual([undefined, ["parallel_tool_calls"]])
  })

  it("get a caller's own request with the effort that it leaves out, never another", () => {
    const passed = (model: string, body: JsonObject, knownAs?: string) => {
      const lost: Array<string> = []
      const to = { upstreamModel: model, knownAs, stream: false }
      const { reasoning_effort } = chatDialect(providers.openai).body(body, to, (param) => lost.push(param))
      return [reasoning_effort, lost]
    }
    const tools = [{ type: "function", function: { name: "look" } }]
    expect(passed("gpt-5.6", { tools })).toEqual(["none", ["reasoning_effort"]])
    expect(passed("house", { tools }, "gpt-5.6")).toEqual(["none", ["reasoning_effort"]])
    expect(passed("gpt-5.6", { tools, reasoning_effort: "high" })).toEqual(["high", []])
    expect(passed("gpt-5.6", {})).toEqual([undefined, []])
    expect(passed("gpt-5.5", { tools })).toEqual([undefined, []])
  })
})
