import { expect, it } from "@effect/vitest"
import type { Conversation } from "../../../src/generation/Conversation.ts"
import { anthropicMessages } from "../../../src/upstreams/protocols/anthropicMessages/anthropicMessages.ts"
import { conversation, weather } from "../conversations.ts"

const lower = (over: Partial<Conversation>) =>
  anthropicMessages.lower(conversation(over), { model: "claude-sonnet-4-5", stream: true })

it("marks what the caller marked: system texts, tools, calls, results, and the end of everything", () => {
  const cacheMark = {}
  const cache_control = { type: "ephemeral" }
  const items: Conversation["items"] = [
    { type: "message", role: "user", content: [{ type: "text", text: "Hi" }] },
    { type: "tool-call", callId: "c", name: "get_weather", arguments: "{}", kind: "function", cacheMark },
    { type: "tool-result", callId: "c", content: [], isError: false, cacheMark }
  ]
  const system = { system: ["One", "Two"], systemMarks: new Map([["Two", cacheMark]]) }
  const { adapted, body } = lower({ ...system, items, tools: [{ ...weather, cacheMark }] })
  expect(adapted).toEqual([])
  expect(body).toMatchObject({
    system: [{ text: "One" }, { text: "Two", cache_control }],
    tools: [{ cache_control }],
    messages: [
      {},
      { content: [{ type: "tool_use", cache_control }] },
      { content: [{ type: "tool_result", cache_control }] }
    ]
  })
  expect(JSON.stringify(body).match(/cache_control/g)).toHaveLength(4)
  expect(lower({ cacheMark }).body["messages"]).toMatchObject([{ content: [{ cache_control }] }])
})
