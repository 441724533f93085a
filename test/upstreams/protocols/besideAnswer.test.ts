import { describe, expect, it } from "@effect/vitest"
import type { JsonObject } from "../../../src/contract/fields.ts"
import type { Back } from "../../../src/upstreams/protocols/back.ts"
import type { GenerationEvent } from "../../../src/generation/GenerationEvent.ts"
import { anthropicMessages } from "../../../src/upstreams/protocols/anthropicMessages/anthropicMessages.ts"
import { bedrockConverse } from "../../../src/upstreams/protocols/bedrockConverse/bedrockConverse.ts"
import type { Protocol } from "../../../src/upstreams/protocols/Protocol.ts"
import { conversation, weather } from "../conversations.ts"
import { outcome } from "../events.ts"

const json = '{"a":1}'
const format = {
  type: "json-schema",
  name: "a",
  description: undefined,
  schema: { type: "object" },
  strict: true
} as const

/** A block of an answer: a text, or a call of a tool with its input. */
type Block = string | readonly [tool: string, input: JsonObject]

/** What an answer of these blocks says, before its end and at it. */
const read = <S>(protocol: Protocol<S>, back: Back, frames: ReadonlyArray<JsonObject>) => {
  let state = protocol.begin(back)
  const events: Array<GenerationEvent> = []
  let early: ReadonlyArray<GenerationEvent> = []
  for (const frame of frames) {
    const [next, emitted] = protocol.step(state, frame)
    state = next
    if (emitted.some(({ type }) => type === "finished")) early = [...events]
    events.push(...emitted)
  }
  return { ...outcome(events), early: outcome(early).items.length }
}

const backOf = <S>(protocol: Protocol<S>, model: string) =>
  protocol.lower(conversation({ format, tools: [weather] }), { model, stream: true }).back

const converse = (blocks: ReadonlyArray<Block>) => ({
  output: {
    message: {
      content: blocks.map((block, at) =>
        typeof block === "string"
          ? { text: block }
          : { toolUse: { toolUseId: `${at}`, name: block[0], input: block[1] } }
      )
    }
  },
  stopReason: blocks.some(Array.isArray) ? "tool_use" : "end_turn"
})

const messages = (blocks: ReadonlyArray<Block>) => ({
  type: "message",
  content: blocks.map((block, at) =>
    typeof block === "string"
      ? { type: "text", text: block }
      : { type: "tool_use", id: `${at}`, name: block[0], input: block[1] }
  ),
  stop_reason: blocks.some(Array.isArray) ? "tool_use" : "end_turn"
})

const nova = "us.amazon.nova-lite-v1:0"
const claude = "claude-3-haiku-20240307"

const wires: ReadonlyArray<readonly [string, (blocks: ReadonlyArray<Block>) => ReturnType<typeof read>]> = [
  [
    "Nova at Converse",
    (blocks) => read(bedrockConverse, backOf(bedrockConverse, nova), bedrockConverse.frames(converse(blocks)) ?? [])
  ],
  [
    "Claude at Converse",
    (blocks) =>
      read(
        bedrockConverse,
        backOf(bedrockConverse, `anthropic.${claude}-v1:0`),
        bedrockConverse.frames(converse(blocks)) ?? []
      )
  ],
  [
    "Claude by messages",
    (blocks) =>
      read(anthropicMessages, backOf(anthropicMessages, claude), anthropicMessages.frames(messages(blocks)) ?? [])
  ]
]

describe.each(wires)("texts beside the answer tool: %s", (_, answer) => {
  const tool: Block = ["json_answer", { a: 1 }]

  it("are left out, in front of it and behind it", () => {
    for (const blocks of [
      ["Here it is:", tool],
      [tool, "I hope that this helps."],
      ["So: ", "Here:", tool, "Bye"]
    ]) {
      expect(answer(blocks as ReadonlyArray<Block>)).toMatchObject({
        items: [{ type: "text", text: json }],
        ending: { reason: "stop" }
      })
    }
  })

  it("are the answer where the tool isn't called, once that is certain", () => {
    const { early, ...whole } = answer(["It is ", "three."])
    expect(whole).toMatchObject({ items: [{ type: "text", text: "It is three." }], ending: { reason: "stop" } })
    expect(early).toBe(0)
  })

  it("go out in front of another tool's call", () => {
    expect(answer(["Let me look.", ["get_weather", { city: "Paris" }], "More."])).toMatchObject({
      items: [{ text: "Let me look." }, { type: "tool-call", text: '{"city":"Paris"}' }, { text: "More." }],
      ending: { reason: "tool-calls" }
    })
  })

  it("a second call of it is left out as well", () => {
    expect(answer([tool, ["json_answer", { a: 2 }]]).items).toMatchObject([{ text: json }])
  })
})
