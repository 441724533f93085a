import { describe, expect, it } from "@effect/vitest"
import type { JsonObject } from "../../src/contract/fields.ts"
import type { GenerationEvent } from "../../src/generation/GenerationEvent.ts"
import { passthroughEvents } from "../../src/upstreams/passthrough/events.ts"
import { anthropicMessages } from "../../src/upstreams/protocols/anthropicMessages/anthropicMessages.ts"
import { messagesDialect } from "../../src/upstreams/protocols/anthropicMessages/messagesDialect.ts"
import { nativeText } from "./events.ts"

const reader = (isStream: boolean) =>
  passthroughEvents(anthropicMessages, messagesDialect, (answer) => ({ ...answer, id: "msg_ours" }), isStream)

const sse = (frames: ReadonlyArray<JsonObject>): string =>
  frames.map((frame) => `event: ${String(frame["type"])}\ndata: ${JSON.stringify(frame)}\n\n`).join("")

/** The frames that the caller gets of a stream. */
const streamed = (text: string): ReadonlyArray<JsonObject> => {
  const it = reader(true)
  const events = [...it.push(Buffer.from(text))]
  if (events.at(-1)?.type !== "finished") events.push(...it.end())
  return framesOf(textOf(events))
}

const textOf = (events: ReadonlyArray<GenerationEvent>): string => events.map(nativeText).join("")

const framesOf = (text: string): ReadonlyArray<JsonObject> =>
  text
    .split("\n")
    .filter((line) => line.startsWith("data: "))
    .map((line) => JSON.parse(line.slice("data: ".length)))

/** The answer in one piece, of an answer in one piece or of a stream. */
const whole = (text: string, comesAsStream = false): JsonObject => {
  const it = reader(false)
  const events = comesAsStream ? [...it.push(Buffer.from(text)), ...it.end()] : [...it.whole(text)].flat()
  return JSON.parse(textOf(events))
}

/** As compatible servers write it: neither `stop_sequence` nor what was cached. */
const sparse = {
  id: "x",
  model: "m",
  content: [{ type: "text", text: "hi" }],
  stop_reason: "end_turn",
  usage: { input_tokens: 7, output_tokens: 2 }
}

const sparseFrames = [
  { type: "message_start", message: { id: "x", model: "m", content: [], usage: { input_tokens: 7 } } },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "hi" } },
  { type: "content_block_stop", index: 0 },
  { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 2 } },
  { type: "message_stop" }
]

const counts = {
  input_tokens: 7,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 2
}
const noCache = { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 }
const full = {
  ...sparse,
  id: "msg_ours",
  type: "message",
  role: "assistant",
  stop_sequence: null,
  usage: { ...counts, cache_creation: noCache }
}

describe("a message of a compatible server, passed through", () => {
  it("has the specification's fields in one piece, also where the server streams regardless", () => {
    expect(whole(JSON.stringify(sparse))).toEqual(full)
    expect(whole(sse(sparseFrames), true)).toEqual(full)
  })

  it("has them in a stream, also where the server answers in one piece", () => {
    const begun = { type: "message", role: "assistant", stop_reason: null, stop_sequence: null }
    const expected = [
      {
        type: "message_start",
        message: {
          ...begun,
          id: "msg_ours",
          model: "m",
          content: [],
          usage: { ...counts, output_tokens: 0, cache_creation: noCache }
        }
      },
      ...sparseFrames.slice(1, 4),
      // The counts of the first frame: clients add nothing up, the last frame's stand.
      { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: counts },
      { type: "message_stop" }
    ]
    expect(streamed(sse(sparseFrames))).toEqual(expected)
    const events = [...reader(true).whole(JSON.stringify(sparse))].flat()
    const [first, ...others] = framesOf(textOf(events))
    expect(first).toMatchObject({ message: { ...begun, usage: { cache_creation: noCache } } })
    expect(others.at(-2)).toEqual(expected.at(-2))
  })

  it("keeps what the server says, and has a cache without its length for five minutes", () => {
    const usage = { ...counts, cache_creation_input_tokens: 5, cache_read_input_tokens: null }
    expect(whole(JSON.stringify({ ...sparse, stop_sequence: "END", usage }))).toMatchObject({
      stop_sequence: "END",
      usage: {
        cache_creation_input_tokens: 5,
        cache_read_input_tokens: 0,
        cache_creation: { ephemeral_5m_input_tokens: 5, ephemeral_1h_input_tokens: 0 }
      }
    })
    const late = { ...sparseFrames[4], usage: { input_tokens: null, cache_read_input_tokens: 3, output_tokens: 2 } }
    const frames = [...sparseFrames.slice(0, 4), late, ...sparseFrames.slice(5)]
    expect(streamed(sse(frames)).at(-2)).toMatchObject({ usage: { ...counts, cache_read_input_tokens: 3 } })
    expect(whole(sse(frames), true)).toMatchObject({ usage: { ...counts, cache_read_input_tokens: 3 } })
  })

  it("is not touched where nothing is missing, but for its names", () => {
    const { id: _, ...rest } = full
    const text = JSON.stringify({ id: "x", ...rest, own: 1 })
    expect(whole(text)).toEqual({ ...full, own: 1 })
    const frame = { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: counts }
    const frames = [...sparseFrames.slice(0, 4), { ...frame, own: 1 }, ...sparseFrames.slice(5)]
    expect(streamed(sse(frames)).at(-2)).toEqual({ ...frame, own: 1 })
  })

  it("is counted by the gateway where the server tells no usage", () => {
    const { usage: _, ...silent } = sparse
    const events = [...reader(false).whole(JSON.stringify(silent))].flat()
    expect(events.some(({ type }) => type === "usage")).toBe(false)
  })
})
