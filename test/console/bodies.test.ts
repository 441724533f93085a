import { describe, expect, it } from "@effect/vitest"
import { bodyOf } from "../../console/play/bodies.ts"
import type { Draft, Family } from "../../console/play/draft.ts"
import { messagesOf, pendingCalls } from "../../console/play/exchange.ts"
import type { Exchange } from "../../console/play/exchange.ts"

const call = { id: "call_1", name: "get_weather", arguments: '{"city":"Oslo"}' }
const answer = { text: "", reasoning: "", calls: [] }
const first: Exchange = {
  asked: { role: "user", text: "Weather?", files: [] },
  model: "m",
  state: "finished",
  answer: { ...answer, text: "I look.", calls: [call] },
  ms: 1
}
const second: Exchange = {
  ...first,
  asked: { role: "tools", calls: [call], outputs: ["14 degrees"] },
  answer: { ...answer, text: "14." }
}

const next = { role: "user", text: "And now?", files: [] } as const

const draft = (family: Family): Draft => ({
  family,
  model: "m",
  system: "",
  messages: [...messagesOf([first, second], next), next],
  tools: [],
  hasSearch: false,
  maxTokens: 64,
  temperature: undefined,
  image: { size: "" },
  speech: { voice: "alloy" },
  video: { resolution: "480p", ratio: "16:9", seconds: 4 }
})

describe("a conversation", () => {
  it("is sent whole, in each family's dialect", () => {
    expect(bodyOf(draft("messages"))).toMatchObject({
      messages: [
        { role: "user", content: "Weather?" },
        {
          role: "assistant",
          content: [
            { type: "text", text: "I look." },
            { type: "tool_use", id: "call_1", input: { city: "Oslo" } }
          ]
        },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "call_1", content: "14 degrees" }] },
        { role: "assistant", content: [{ type: "text", text: "14." }] },
        { role: "user", content: "And now?" }
      ]
    })
    expect(bodyOf(draft("responses"))).toMatchObject({
      input: [
        { role: "user", content: "Weather?" },
        { role: "assistant", content: "I look." },
        { type: "function_call", call_id: "call_1" },
        { type: "function_call_output", call_id: "call_1", output: "14 degrees" },
        { role: "assistant", content: "14." },
        { role: "user", content: "And now?" }
      ]
    })
    expect(bodyOf(draft("chat"))).toMatchObject({
      messages: [
        { role: "user", content: "Weather?" },
        { role: "assistant", content: "I look.", tool_calls: [{ id: "call_1" }] },
        { role: "tool", tool_call_id: "call_1", content: "14 degrees" },
        { role: "assistant", content: "14." },
        { role: "user", content: "And now?" }
      ]
    })
  })

  it("has what a stopped answer said, and nothing of one that failed", () => {
    const stopped: Exchange = { ...first, state: "stopped" }
    const failed: Exchange = { ...first, state: "failed" }
    const said = [first.asked, { role: "assistant", text: "I look.", calls: [] }]
    expect(messagesOf([failed, stopped], next)).toEqual(said)
    // Calls that got no results are not sent either.
    expect(messagesOf([first], next)).toEqual(said)
    expect([pendingCalls([first]), pendingCalls([stopped]), pendingCalls([first, second])]).toEqual([[call], [], []])
  })
})
