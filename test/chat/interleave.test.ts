import { expect, it } from "@effect/vitest"
import type { GenerationEvent } from "../../src/generation/GenerationEvent.ts"
import { messageOf } from "../../src/chat/encode.ts"
import { itemsOf } from "../../src/chat/messages.ts"
import { sealName } from "../../src/chat/reasoning.ts"
import type { InputMessage } from "../../src/chat/InputMessage.ts"
import { head, run } from "./machine.ts"

const thinking = (text: string, signature: string): ReadonlyArray<GenerationEvent> => [
  { type: "reasoning-start" },
  { type: "reasoning-delta", text },
  { type: "reasoning-end", signature }
]
const said = (text: string): ReadonlyArray<GenerationEvent> => [
  { type: "text-start" },
  { type: "text-delta", text },
  { type: "text-end" }
]
const called = (callId: string): ReadonlyArray<GenerationEvent> => [
  { type: "tool-call-start", callId, name: "f", kind: "function" },
  { type: "tool-call-delta", callId, text: "{}" },
  { type: "tool-call-end", callId }
]

const answer = messageOf(
  run([
    ...thinking("First.", "s1"),
    ...said("Let me see. "),
    { type: "redacted-reasoning", data: "r" },
    ...said("Now."),
    ...thinking("Second.", "s2"),
    ...called("call_1"),
    ...thinking("Third.", "s3"),
    ...called("call_2"),
    { type: "finished", reason: "tool-calls", stopSequence: null }
  ]).state
)
const order = ["First.", "Let me see. ", "r", "Now.", "Second.", "call_1", "Third.", "call_2"]

/** What comes of the message when a client returns it, in a word for each item. */
const returned = (message: InputMessage, kept: Parameters<typeof itemsOf>[1]["kept"] = new Map()) => {
  const results = ["call_1", "call_2"].map((id): InputMessage => ({ role: "tool", tool_call_id: id, content: "ok" }))
  const items = itemsOf([message, ...results], { model: head.model, kept, complain: (param) => expect.fail(param) })
  return items.flatMap((item) => {
    if (item.type === "reasoning") return [item.redacted ?? item.text]
    if (item.type === "tool-call") return [item.callId]
    return item.type === "message" ? item.content.map((part) => (part.type === "text" ? part.text : part.type)) : []
  })
}

const { reasoning_content: _, ...message } = answer

it("thinking between texts and calls keeps its place when a client of chat returns it", () => {
  expect(returned(message)).toEqual(order)
  expect(returned({ ...message, content: [{ type: "text", text: answer.content ?? "" }] })).toEqual(order)
})

it("and when the client returns nothing of it", () => {
  const { reasoning_details: details, ...bare } = message
  expect(returned(bare, new Map([[sealName(answer, undefined) ?? "", details ?? []]]))).toEqual(order)
})

it("a text that the client has cut loses nothing else", () => {
  expect(returned({ ...message, content: "Let" })).toEqual([
    "First.",
    "Let",
    "r",
    "Second.",
    "call_1",
    "Third.",
    "call_2"
  ])
  const { content: _, ...silent } = message
  expect(returned(silent)).toEqual(["First.", "r", "Second.", "call_1", "Third.", "call_2"])
})

it("nor does one in several parts, which cannot be cut", () => {
  const content = [
    { type: "text" as const, text: "Let me see. " },
    { type: "text" as const, text: "Now." }
  ]
  expect(returned({ ...message, content })).toEqual([
    "First.",
    "Let me see. ",
    "Now.",
    "r",
    "Second.",
    "call_1",
    "Third.",
    "call_2"
  ])
})
