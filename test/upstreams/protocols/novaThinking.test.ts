import { describe, expect, it } from "@effect/vitest"
import fc from "fast-check"
import type { JsonObject } from "../../../src/contract/fields.ts"
import type { Conversation } from "../../../src/generation/Conversation.ts"
import type { GenerationEvent } from "../../../src/generation/GenerationEvent.ts"
import { bedrockConverse } from "../../../src/upstreams/protocols/bedrockConverse/bedrockConverse.ts"
import { conversation, weather } from "../conversations.ts"
import { outcome } from "../events.ts"

const nova = "us.amazon.nova-pro-v1:0"

const read = (frames: ReadonlyArray<JsonObject>, asked: Partial<Conversation> = {}, model = nova) => {
  const { back } = bedrockConverse.lower(conversation({ tools: [weather], ...asked }), { model, stream: true })
  let state = bedrockConverse.begin(back)
  const events: Array<GenerationEvent> = []
  for (const frame of frames) {
    const [next, emitted] = bedrockConverse.step(state, frame)
    state = next
    events.push(...emitted)
  }
  return outcome(events)
}

const delta = (text: string, contentBlockIndex = 0) => ({ contentBlockDelta: { contentBlockIndex, delta: { text } } })
const stop = (contentBlockIndex = 0) => ({ contentBlockStop: { contentBlockIndex } })
const ended = (stopReason = "end_turn") => [
  { messageStop: { stopReason } },
  { metadata: { usage: { inputTokens: 4, outputTokens: 2 } } }
]
const text = (pieces: ReadonlyArray<string>) => [...pieces.map((piece) => delta(piece)), stop(), ...ended()]

const cases: ReadonlyArray<readonly [content: string, items: ReadonlyArray<object>]> = [
  [
    "<thinking> So: a < b </thinking>\n\nHi <thinking>there</thinking>",
    [
      { type: "reasoning", text: " So: a < b " },
      { type: "text", text: "Hi <thinking>there</thinking>" }
    ]
  ],
  [
    "<thinking>one</thinking>\n<thinking>two</thinking>Hi",
    [
      { type: "reasoning", text: "one" },
      { type: "reasoning", text: "two" },
      { type: "text", text: "Hi" }
    ]
  ],
  ["<think>no</think>", [{ type: "text", text: "<think>no</think>" }]],
  ["<thinkin", [{ type: "text", text: "<thinkin" }]],
  ["<thinking>cut </thin", [{ type: "reasoning", text: "cut </thin" }]]
]

describe("reasoning that Nova writes into its texts", () => {
  it.each(cases)("is told apart in %j, wherever it is cut", (content, items) => {
    expect(read(text([content])).items).toEqual(items)
    fc.assert(
      fc.property(fc.array(fc.nat(content.length)), (cuts) => {
        const at = [0, ...new Set(cuts), content.length].toSorted((a, b) => a - b)
        expect(read(text(at.slice(1).map((end, index) => content.slice(at[index], end)))).items).toEqual(items)
      })
    )
  })

  it("stands in front of calls, and of the text behind them", () => {
    const call = [
      { contentBlockStart: { contentBlockIndex: 1, start: { toolUse: { toolUseId: "a", name: "get_weather" } } } },
      { contentBlockDelta: { contentBlockIndex: 1, delta: { toolUse: { input: "{}" } } } },
      stop(1)
    ]
    const frames = [delta("<thinking>so</thinking>\n"), stop(), ...call, delta("<thinking>or</thinking>Hi", 2), stop(2)]
    expect(read([...frames, ...ended("tool_use")]).items).toMatchObject([
      { type: "reasoning", text: "so" },
      { type: "tool-call", text: "{}" },
      { type: "reasoning", text: "or" },
      { type: "text", text: "Hi" }
    ])
  })

  it("is no text beside the answer tool", () => {
    const format = { type: "json-schema", name: "a", description: undefined, schema: {}, strict: true } as const
    const frames =
      bedrockConverse.frames({
        output: {
          message: {
            content: [
              { text: "<thinking>so</thinking>Here:" },
              { toolUse: { toolUseId: "a", name: "json_answer", input: { a: 1 } } }
            ]
          }
        },
        stopReason: "tool_use"
      }) ?? []
    expect(read(frames, { tools: [], format })).toMatchObject({
      items: [
        { type: "reasoning", text: "so" },
        { type: "text", text: '{"a":1}' }
      ],
      ending: { reason: "stop" }
    })
  })

  it("is complete where a text never stops, and stays in the texts of other models", () => {
    expect(read([delta("<thinkin"), ...ended()]).items).toEqual([{ type: "text", text: "<thinkin" }])
    const claude = "anthropic.claude-sonnet-4-5-20250929-v1:0"
    expect(read(text(["<thinking>so</thinking>Hi"]), {}, claude).items).toEqual([
      { type: "text", text: "<thinking>so</thinking>Hi" }
    ])
  })
})
