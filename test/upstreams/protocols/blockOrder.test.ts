import { describe, expect, it } from "@effect/vitest"
import fc from "fast-check"
import type { JsonObject } from "../../../src/contract/fields.ts"
import { anthropicMessages } from "../../../src/upstreams/protocols/anthropicMessages/anthropicMessages.ts"
import { bedrockConverse } from "../../../src/upstreams/protocols/bedrockConverse/bedrockConverse.ts"
import { weather } from "../conversations.ts"
import { outcome, streamed } from "../events.ts"
import { chat, delta, finish } from "./chatFrames.ts"

type Frames = ReadonlyArray<JsonObject>

/** A thought, a text and two calls, each as the frames of one block. */
const converse: ReadonlyArray<Frames> = [
  [
    { reasoningContent: { text: "so " } },
    { reasoningContent: { text: "far" } },
    { reasoningContent: { signature: "s" } }
  ],
  [{ text: "One, " }, { text: "two, " }, { text: "three" }],
  [{ toolUse: { input: '{"city":' } }, { toolUse: { input: '"Paris"}' } }],
  [{ toolUse: { input: '{"city":"Rome"}' } }]
].map((deltas, contentBlockIndex) => [
  ...(contentBlockIndex < 2
    ? []
    : [
        {
          contentBlockStart: {
            contentBlockIndex,
            start: { toolUse: { toolUseId: `call_${contentBlockIndex}`, name: "get_weather" } }
          }
        }
      ]),
  ...deltas.map((delta) => ({ contentBlockDelta: { contentBlockIndex, delta } })),
  { contentBlockStop: { contentBlockIndex } }
])

const readConverse = (frames: Frames) =>
  outcome(
    streamed(
      bedrockConverse,
      [
        ...frames,
        { messageStop: { stopReason: "tool_use" } },
        { metadata: { usage: { inputTokens: 1, outputTokens: 1 } } }
      ],
      { marked: false, asked: { tools: [weather] } }
    )
  )

const tool = (index: number) => ({ type: "tool_use", id: `call_${index}`, name: "get_weather", input: {} })
const json = (partial_json: string) => ({ type: "input_json_delta", partial_json })

const messages: ReadonlyArray<Frames> = [
  [
    { type: "thinking", thinking: "", signature: "" },
    { type: "thinking_delta", thinking: "so " },
    { type: "thinking_delta", thinking: "far" },
    { type: "signature_delta", signature: "s" }
  ],
  [
    { type: "text", text: "" },
    { type: "text_delta", text: "One, " },
    { type: "text_delta", text: "two, " },
    { type: "text_delta", text: "three" }
  ],
  [tool(2), json('{"city":'), json('"Paris"}')],
  [tool(3), json('{"city":"Rome"}')]
].map(([content_block = {}, ...deltas], index) => [
  { type: "content_block_start", index, content_block },
  ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
  { type: "content_block_stop", index }
])

const readMessages = (frames: Frames) =>
  outcome(
    streamed(
      anthropicMessages,
      [...frames, { type: "message_delta", delta: { stop_reason: "tool_use" } }, { type: "message_stop" }],
      { marked: false, asked: { tools: [weather] } }
    )
  )

/** The blocks mixed as these numbers choose, each begun after the one before it. */
const mixed = (blocks: ReadonlyArray<Frames>, choices: ReadonlyArray<number>): Frames => {
  const left = blocks.map((frames) => [...frames])
  const frames: Array<JsonObject> = []
  let begun = 0
  for (let at = 0; left.some((block) => block.length > 0); at++) {
    const open = left.slice(0, begun).filter((block) => block.length > 0)
    const chosen = (choices[at % choices.length] ?? 0) % (open.length + 1)
    const frame = (open[chosen] ?? left[begun++] ?? open[0])?.shift()
    if (frame !== undefined) frames.push(frame)
  }
  return frames
}

const wires = [
  ["converse", converse, readConverse],
  ["messages", messages, readMessages]
] as const

describe.each(wires)("content blocks that a stream interleaves: %s", (_, blocks, read) => {
  it("are read as if one came after the other, whichever way they are mixed", () => {
    const inOrder = read(blocks.flat())
    expect(inOrder).toMatchObject({
      items: [
        { type: "reasoning", text: "so far", signature: expect.any(String) },
        { type: "text", text: "One, two, three" },
        { callId: "call_2", text: '{"city":"Paris"}' },
        { callId: "call_3", text: '{"city":"Rome"}' }
      ],
      ending: { reason: "tool-calls" }
    })
    fc.assert(
      fc.property(fc.array(fc.nat(4), { minLength: 1, maxLength: 30 }), (choices) => {
        expect(read(mixed(blocks, choices))).toEqual(inOrder)
      })
    )
  })

  it("are read at the end where one never stops", () => {
    const unstopped = [...(blocks[1] ?? []).slice(0, -1), ...(blocks[2] ?? [])]
    expect(read(unstopped).items).toMatchObject([{ text: "One, two, three" }, { text: '{"city":"Paris"}' }])
  })
})

describe("calls that a chat stream interleaves by index", () => {
  it("are each read whole", () => {
    const piece = (index: number, text: string, id?: string) =>
      delta({
        tool_calls: [
          { index, ...(id !== undefined && { id }), function: { ...(id && { name: "get_weather" }), arguments: text } }
        ]
      })
    const frames = [piece(0, '{"ci', "a"), piece(1, '{"city"', "b"), piece(0, 'ty":"Paris"}'), piece(1, ':"Rome"}')]
    expect(outcome(streamed(chat, [...frames, finish("tool_calls")])).items).toMatchObject([
      { callId: "a", text: '{"city":"Paris"}' },
      { callId: "b", text: '{"city":"Rome"}' }
    ])
  })
})
