import { describe, expect, it } from "@effect/vitest"
import fc from "fast-check"
import type { GenerationEvent } from "../../src/generation/GenerationEvent.ts"
import type { Reader } from "../../src/upstreams/text/generationOf.ts"
import { passthroughEvents } from "../../src/upstreams/passthrough/events.ts"
import { messagesDialect } from "../../src/upstreams/protocols/anthropicMessages/messagesDialect.ts"
import { responsesDialect } from "../../src/upstreams/protocols/openaiResponses/responsesDialect.ts"
import { anthropicMessages } from "../../src/upstreams/protocols/anthropicMessages/anthropicMessages.ts"
import { noBack } from "../../src/upstreams/protocols/back.ts"
import { openaiChat } from "../../src/upstreams/protocols/openaiChat/openaiChat.ts"
import { providers } from "../../src/upstreams/protocols/openaiChat/compatible.ts"
import { openaiResponses } from "../../src/upstreams/protocols/openaiResponses/openaiResponses.ts"
import { translatingReader } from "../../src/upstreams/text/translatingReader.ts"
import { nativeText, outcome } from "./events.ts"
import type { DialectName } from "./fakes/fakeUpstream.ts"
import { dialects } from "./fakes/fakeUpstream.ts"
import { scenarios } from "./fakes/scenarios.ts"

const lowered = { back: noBack, stops: ["there is no such text"] }
const readers: Readonly<Record<string, readonly [DialectName, () => Reader]>> = {
  "openai-chat": ["openai-chat", () => translatingReader(openaiChat(providers.generic), lowered, { model: "m" })],
  "openai-responses": ["openai-responses", () => translatingReader(openaiResponses, lowered, { model: "m" })],
  "anthropic-messages": ["anthropic-messages", () => translatingReader(anthropicMessages, lowered, { model: "m" })],
  "anthropic-messages passed through": [
    "anthropic-messages",
    () => passthroughEvents(anthropicMessages, messagesDialect, (answer) => ({ ...answer, id: "ours" }), true)
  ],
  "openai-responses passed through": [
    "openai-responses",
    () => passthroughEvents(openaiResponses, responsesDialect, (answer) => ({ ...answer, id: "ours" }), true)
  ]
}

const read = (reader: Reader, chunks: ReadonlyArray<Uint8Array>) => {
  const events: Array<GenerationEvent> = []
  const isOver = () => events.at(-1)?.type === "finished" || events.at(-1)?.type === "failed"
  for (const chunk of chunks) if (!isOver()) events.push(...reader.push(chunk))
  if (!isOver()) events.push(...reader.end())
  const native = events.map((event) => nativeText(event)).join("")
  return { ...outcome(events), native }
}

describe.each(Object.entries(readers))("%s", (_, [name, reader]) => {
  const dialect = dialects[name]
  const bytesOf = (scenario: (typeof scenarios)[number], newline: string) => {
    const events = dialect.frames(scenario, "m").map((frame) => {
      const named = dialect.named ? [`event: ${String(frame["type"])}`] : []
      return [...named, `data: ${JSON.stringify(frame)}`, "", ""].join(newline)
    })
    return Buffer.from(events.join("") + dialect.end)
  }

  it("gives the same whatever the chunks (property)", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...scenarios),
        fc.constantFrom("\n", "\r\n", "\r"),
        fc.array(fc.nat(), { maxLength: 40 }),
        (scenario, newline, offsets) => {
          const bytes = bytesOf(scenario, newline)
          const cuts = [0, ...offsets.map((offset) => offset % (bytes.length + 1)), bytes.length].sort((a, b) => a - b)
          const chunks = cuts.slice(1).map((end, index) => bytes.subarray(cuts[index], end))
          expect(read(reader(), chunks)).toEqual(read(reader(), [bytes]))
        }
      ),
      { numRuns: 300 }
    )
  })

  it("gives the same with the cut at every offset, inside characters too", () => {
    const bytes = bytesOf("text", "\r\n")
    const expected = read(reader(), [bytes])
    for (let at = 0; at <= bytes.length; at++) {
      expect(read(reader(), [bytes.subarray(0, at), bytes.subarray(at)])).toEqual(expected)
    }
  })

  it("ends as failed, and never as finished, where the stream is cut short before its end", () => {
    const bytes = bytesOf("text", "\n")
    const half = bytes.subarray(0, Math.floor(bytes.length / 2))
    for (let at = 0; at < half.length; at += 5) {
      const { ending, native } = read(reader(), [half.subarray(0, at)])
      expect(ending).toMatchObject({ failed: "UpstreamFailed" })
      // Whatever is told next must not be part of a frame that was cut off.
      expect(native === "" || native.endsWith("\n\n")).toBe(true)
    }
  })
})
