import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import * as fc from "fast-check"
import type { StreamFrame } from "../../src/messages/frames.ts"
import { Message } from "../../src/messages/Message.ts"
import type { AnswerBlock } from "../../src/messages/Message.ts"
import { generation } from "../generation/arbitrary.ts"
import { run } from "./machine.ts"

type Delta = Extract<StreamFrame, { readonly type: "content_block_delta" }>["delta"]

const deltasOf = {
  text: ["text_delta", "citations_delta"],
  thinking: ["thinking_delta", "signature_delta"],
  tool_use: ["input_json_delta"],
  server_tool_use: ["input_json_delta"],
  redacted_thinking: [],
  web_search_tool_result: []
} satisfies Record<string, ReadonlyArray<Delta["type"]>>

interface DraftBlock {
  readonly type: AnswerBlock["type"]
  text: string
  thinking: string
  signature: string
  citations?: ReadonlyArray<unknown>
  input: object
}
type Draft = Omit<Message, "content" | "usage"> & {
  readonly content: Array<DraftBlock>
  readonly usage: Message["usage"] & { readonly cache_creation: { ephemeral_5m_input_tokens: number } }
}

/** A client of the stream, as strict as the strictest: throws on a frame it cannot expect, answers the message. */
const read = (frames: ReadonlyArray<StreamFrame>) => {
  let message: Draft | undefined
  let open: DraftBlock | undefined
  let json = ""
  let over: "message_stop" | "error" | undefined
  const expecting = (holds: boolean, what: string) => {
    if (!holds) throw new Error(what)
  }
  for (const frame of frames) {
    expecting(over === undefined, `${frame.type} after ${over}`)
    expecting(frame.type === "message_start" || message !== undefined, `${frame.type} before message_start`)
    switch (frame.type) {
      case "message_start":
        expecting(message === undefined, "a second message_start")
        message = structuredClone(frame.message) as unknown as Draft
        break
      case "content_block_start":
        expecting(open === undefined && frame.index === message!.content.length, `block ${frame.index} out of order`)
        open = structuredClone(frame.content_block) as unknown as DraftBlock
        json = ""
        message!.content.push(open)
        break
      case "content_block_delta": {
        const { delta } = frame
        expecting(frame.index === message!.content.length - 1 && open !== undefined, `delta of block ${frame.index}`)
        expecting(
          (deltasOf as Record<string, Array<string>>)[open!.type]!.includes(delta.type),
          `${delta.type} in ${open!.type}`
        )
        if (delta.type === "text_delta") open!.text += delta.text
        if (delta.type === "citations_delta") open!.citations = [...(open!.citations ?? []), delta.citation]
        if (delta.type === "thinking_delta") open!.thinking += delta.thinking
        if (delta.type === "signature_delta") open!.signature = delta.signature
        if (delta.type === "input_json_delta") json += delta.partial_json
        break
      }
      case "content_block_stop":
        expecting(open !== undefined && frame.index === message!.content.length - 1, `stop of block ${frame.index}`)
        if (json !== "") open!.input = objectOf(json)
        open = undefined
        break
      case "message_delta":
        expecting(open === undefined && message!.stop_reason === null, "message_delta out of order")
        Object.assign(message!, frame.delta)
        Object.assign(message!.usage, frame.usage)
        // Its parts are told at the start only; the total is what a stream brings up to date.
        message!.usage.cache_creation.ephemeral_5m_input_tokens = frame.usage.cache_creation_input_tokens
        break
      case "message_stop":
        expecting(message!.stop_reason !== null, "message_stop before message_delta")
        over = "message_stop"
        break
      case "error":
        over = "error"
        break
      case "ping":
        break
    }
  }
  expecting(over !== undefined, "the stream does not end")
  return { message, over }
}

/** Arguments that are no object are kept as text. */
const objectOf = (json: string): object => {
  try {
    const value = JSON.parse(json)
    if (value === null) return {}
    return typeof value === "object" && !Array.isArray(value) ? value : { INVALID_JSON: json }
  } catch {
    return { INVALID_JSON: json }
  }
}

/** What an answer was cut inside of is not in the whole message. */
const withoutCut = (streamed: Draft, whole: Message): Draft => {
  if (whole.stop_reason !== "max_tokens" && whole.stop_reason !== "model_context_window_exceeded") return streamed
  const told = whole.content.map((block) => ("id" in block ? block.id : undefined))
  const isCut = (block: DraftBlock) => block.type === "tool_use" && !told.includes(Reflect.get(block, "id"))
  return { ...streamed, content: streamed.content.filter((block) => !isCut(block)) }
}

describe("whatever an upstream does", () => {
  it("the stream is well-formed, and the message is its fold", () => {
    fc.assert(
      fc.property(generation, fc.boolean(), (events, hideThinking) => {
        const { frames, state } = run(events, { hideThinking })
        const { message, over } = read(frames)
        if (over === "message_stop") expect(withoutCut(message!, state.message)).toEqual(state.message)
      }),
      { numRuns: 2_000 }
    )
  })

  it("a message that ended is one of the contract", () => {
    const encode = Schema.encodeUnknownSync(Message)
    fc.assert(
      fc.property(generation, (events) => {
        const { message } = run(events).state
        expect(encode(message)).toEqual(message)
      }),
      { numRuns: 500 }
    )
  })
})
