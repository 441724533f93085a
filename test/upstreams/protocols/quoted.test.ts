import { describe, expect, it } from "@effect/vitest"
import type { JsonObject } from "../../../src/contract/fields.ts"
import type { GenerationEvent } from "../../../src/generation/GenerationEvent.ts"
import { anthropicMessages } from "../../../src/upstreams/protocols/anthropicMessages/anthropicMessages.ts"
import { bedrockConverse } from "../../../src/upstreams/protocols/bedrockConverse/bedrockConverse.ts"
import { openaiResponses } from "../../../src/upstreams/protocols/openaiResponses/openaiResponses.ts"
import { weather } from "../conversations.ts"
import { answered, outcome, streamed } from "../events.ts"
import { chat } from "./chatFrames.ts"

const plain = '{"city":"Paris \\"the\\" city"}'
const once = JSON.stringify(plain)
const patch = { type: "custom", name: "patch", description: undefined } as const
const asked = { tools: [weather, patch] }

type Answer = (name: string, input: string) => ReadonlyArray<GenerationEvent>

/** A call as each dialect streams it in pieces of three characters, and as it comes whole. */
const piecesOf = (text: string) => text.match(/[^]{1,3}/g) ?? []

const calls: Readonly<Record<string, Answer>> = {
  "converse, streamed": (name, input) =>
    streamed(
      bedrockConverse,
      [
        { contentBlockStart: { contentBlockIndex: 0, start: { toolUse: { toolUseId: "a", name } } } },
        ...piecesOf(input).map((piece) => ({
          contentBlockDelta: { contentBlockIndex: 0, delta: { toolUse: { input: piece } } }
        })),
        { contentBlockStop: { contentBlockIndex: 0 } },
        { messageStop: { stopReason: "tool_use" } },
        { metadata: {} }
      ],
      { marked: false, asked }
    ),
  "converse, whole": (name, input) =>
    answered(
      bedrockConverse,
      {
        output: { message: { content: [{ toolUse: { toolUseId: "a", name, input: JSON.parse(input) } }] } },
        stopReason: "tool_use"
      },
      asked
    ),
  "messages, streamed": (name, input) =>
    streamed(
      anthropicMessages,
      [
        { type: "content_block_start", index: 0, content_block: { type: "tool_use", id: "a", name, input: {} } },
        ...piecesOf(input).map((partial_json) => ({
          type: "content_block_delta",
          index: 0,
          delta: { type: "input_json_delta", partial_json }
        })),
        { type: "content_block_stop", index: 0 },
        { type: "message_delta", delta: { stop_reason: "tool_use" } },
        { type: "message_stop" }
      ],
      { marked: false, asked }
    ),
  "messages, whole": (name, input) =>
    answered(
      anthropicMessages,
      {
        type: "message",
        content: [{ type: "tool_use", id: "a", name, input: JSON.parse(input) }],
        stop_reason: "tool_use"
      },
      asked
    ),
  "chat, streamed": (name, input) =>
    streamed(
      chat,
      [
        chunk({ tool_calls: [{ index: 0, id: "a", function: { name, arguments: "" } }] }),
        ...piecesOf(input).map((piece) => chunk({ tool_calls: [{ index: 0, function: { arguments: piece } }] })),
        { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] }
      ],
      { asked }
    ),
  "chat, whole": (name, input) =>
    answered(
      chat,
      {
        choices: [
          {
            index: 0,
            message: { content: null, tool_calls: [{ id: "a", function: { name, arguments: input } }] },
            finish_reason: "tool_calls"
          }
        ]
      },
      asked
    ),
  "responses, streamed": (name, input) =>
    streamed(
      openaiResponses,
      [
        { type: "response.created", response: { id: "r" } },
        { type: "response.output_item.added", output_index: 0, item: { ...item(name), arguments: "" } },
        ...piecesOf(input).map((delta) => ({
          type: "response.function_call_arguments.delta",
          output_index: 0,
          delta
        })),
        { type: "response.output_item.done", output_index: 0, item: { ...item(name), arguments: input } },
        { type: "response.completed", response: { status: "completed", output: [] } }
      ],
      { asked }
    ),
  "responses, whole": (name, input) =>
    answered(
      openaiResponses,
      { id: "r", object: "response", status: "completed", output: [{ ...item(name), arguments: input }] },
      asked
    )
}

const chunk = (delta: JsonObject): JsonObject => ({ choices: [{ index: 0, delta }] })
const item = (name: string): JsonObject => ({ type: "function_call", call_id: "a", name })

describe("arguments that are quoted as JSON once more", () => {
  it.each(Object.entries(calls))("%s: are the arguments themselves", (_, call) => {
    const read = { type: "tool-call", callId: "a", name: "get_weather", kind: "function", text: plain }
    for (const input of [plain, once]) {
      expect(outcome(call("get_weather", input))).toMatchObject({ items: [read], ending: { reason: "tool-calls" } })
    }
    expect(outcome(call("get_weather", '""')).items).toMatchObject([{ text: "{}" }])
  })

  it.each(Object.entries(calls).filter(([name]) => !name.startsWith("responses")))(
    "%s: are those of a custom tool, too",
    (_, call) => {
      const input = JSON.stringify(JSON.stringify({ input: "*** Begin" }))
      expect(outcome(call("patch", input)).items).toMatchObject([{ kind: "custom", text: "*** Begin" }])
    }
  )

  it.each(Object.entries(calls).filter(([name]) => name.endsWith("streamed")))(
    "%s: that are cut fail the answer",
    (_, call) => {
      expect(outcome(call("get_weather", once.slice(0, 8))).ending).toMatchObject({ failed: "UpstreamFailed" })
    }
  )
})
