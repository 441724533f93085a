import { describe, expect, it } from "vitest"
import type { JsonObject } from "../../src/contract/fields.ts"
import { awsEventStream } from "../../src/upstreams/framing/awsEventStream.ts"
import { BrokenFrame } from "../../src/upstreams/framing/Framing.ts"
import type { FrameParser } from "../../src/upstreams/framing/Framing.ts"
import { sseEvents, sseParser } from "../../src/upstreams/framing/sse.ts"
import type { Reader } from "../../src/upstreams/text/generationOf.ts"
import { passthroughChunks } from "../../src/upstreams/passthrough/chunks.ts"
import { passthroughEvents } from "../../src/upstreams/passthrough/events.ts"
import { messagesDialect } from "../../src/upstreams/protocols/anthropicMessages/messagesDialect.ts"
import { anthropicMessages } from "../../src/upstreams/protocols/anthropicMessages/anthropicMessages.ts"
import { noBack } from "../../src/upstreams/protocols/back.ts"
import { chatDialect } from "../../src/upstreams/protocols/openaiChat/chatDialect.ts"
import { providers } from "../../src/upstreams/protocols/openaiChat/compatible.ts"
import { openaiChat } from "../../src/upstreams/protocols/openaiChat/openaiChat.ts"
import { openaiResponses } from "../../src/upstreams/protocols/openaiResponses/openaiResponses.ts"
import { responsesDialect } from "../../src/upstreams/protocols/openaiResponses/responsesDialect.ts"
import { translatingReader } from "../../src/upstreams/text/translatingReader.ts"
import { awsMessage } from "./fakes/awsMessage.ts"

const mebibyte = 1_048_576
const pieceBytes = 32_768
const bytesOf = (text: string) => new TextEncoder().encode(text)
const filled = (unit: string, bytes: number) => bytesOf(unit.repeat(Math.ceil(bytes / unit.length)))
const delta = 'data: {"id":"c","model":"m","choices":[{"index":0,"delta":{"content":"x"}}]}\n\n'

const chat = openaiChat(providers.vllm)
const same = (answer: JsonObject) => answer
const readers: Readonly<Record<string, () => Reader>> = {
  "chat, translated": () => translatingReader(chat, { back: noBack, stops: [] }, { model: "m" }),
  "messages, translated": () => translatingReader(anthropicMessages, { back: noBack, stops: [] }, { model: "m" }),
  "chat, passed through": () => chunks({}),
  "messages, passed through": () => passthroughEvents(anthropicMessages, messagesDialect, same, true)
}
const chunks = (body: JsonObject, isStream = true) =>
  passthroughChunks(chat, chatDialect(providers.vllm), { body, headers: new Headers(), rewrite: same }, isStream)

/** How many MiB of these units a parser or a reader takes before it refuses the stream. */
const taken = (reader: Pick<FrameParser | Reader, "push">, unit: string, most: number): number => {
  const piece = filled(unit, pieceBytes)
  for (let bytes = 0; bytes < most * mebibyte; bytes += piece.length) {
    try {
      reader.push(piece)
    } catch (error) {
      expect(error).toBeInstanceOf(BrokenFrame)
      return bytes / mebibyte
    }
  }
  return Infinity
}

describe("what an upstream's stream says nothing with", () => {
  it.each([
    ["comments", ":\n"],
    ["comments that are frames", ":\n\n"],
    ["comments in the middle of an event", "data: x\n:comment\n"],
    ["blank lines", "\n"],
    ["names without data", "event: a\n\n"],
    ["names that others replace", "event: a\n"],
    ["unknown fields", "id: 1\n"]
  ])("is bounded: %s", (_, unit) => {
    const mebibytes = taken(sseParser(), unit, 64)
    expect(mebibytes).toBeGreaterThan(0.5)
    expect(mebibytes).toBeLessThan(12)
  })

  it("counts through all events, and bounds no others", () => {
    const parser = sseParser()
    const comments = filled(": wait\n", 1.5 * mebibyte)
    expect(parser.push(comments)).toEqual([])
    expect(parser.push(bytesOf(delta))).toHaveLength(1)
    expect(parser.push(comments)).toEqual([])
    expect(taken(parser, delta, 32)).toBe(Infinity)
    expect(() => parser.push(comments)).toThrow("say nothing")
  })

  it("is no matter of the parser that whole frames of all streams share", () => {
    for (let round = 0; round < 8; round++) expect(sseEvents(filled(":\n", mebibyte))).toEqual([])
    expect(sseEvents(bytesOf("data: 1\n\n"))).toEqual([{ event: "message", data: "1" }])
  })

  it("is bounded in AWS's framing, where messages of unknown kinds count whole", () => {
    const framing = awsEventStream(() => undefined)
    const empty = Buffer.alloc(pieceBytes, awsMessage({}, ""))
    expect(taken(framing.parser(), empty.toString("latin1"), 0)).toBe(Infinity)
    const parser = framing.parser()
    const all = () => {
      for (let bytes = 0; bytes < 8 * mebibyte; bytes += empty.length) parser.push(empty)
    }
    expect(all).toThrow("say nothing")
  })

  it.each(
    Object.entries(readers).flatMap(([name, reader]) =>
      [":\n\n", "data:\n\n", "event: a\n\n"].map((unit) => [name, unit, reader] as const)
    )
  )("is bounded before an answer begins: %s: %j", (_, unit, reader) => {
    expect(taken(reader(), unit, 16)).toBeLessThan(16)
  })

  it.each(Object.entries(readers))("is bounded in frames, each of which is read: %s", (_, reader) => {
    expect(taken(reader(), "data: {}\n\n", 16)).toBeLessThan(16)
  })

  it("is bounded behind the beginning as well, where each chunk is read", () => {
    const reader = chunks({ n: 2 })
    reader.push(bytesOf(delta))
    expect(taken(reader, ":\n\n", 16)).toBeLessThan(16)
    const messages = readers["messages, passed through"]?.()
    messages?.push(bytesOf('event: message_start\ndata: {"type":"message_start","message":{"id":"m"}}\n\n'))
    expect(taken({ push: (bytes) => messages?.push(bytes) ?? [] }, "event: error\ndata:\n\n", 16)).toBeLessThan(16)
  })

  it("is bounded in frames that are translated to nothing, whatever is between them", () => {
    const reader = () => translatingReader(chat, { back: noBack, stops: [] }, { model: "m" })
    expect(taken(reader(), "data: {}\n\n", 12)).toBeGreaterThan(8)
    expect(taken(reader(), `data: {}\n\n${delta}`, 100)).toBeLessThan(100)
    // What is kept of a call that says nothing until its end.
    const piece = JSON.stringify({
      choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: "x".repeat(1_000) } }] } }]
    })
    const mebibytes = taken(reader(), `data: ${piece}\n\n`, 100)
    expect(mebibytes).toBeGreaterThan(32)
    expect(mebibytes).toBeLessThan(66)
  })
})

it("counts each line of an event, because millions of them take more than their text", () => {
  expect(taken(sseParser(), "data:\n", 8)).toBeLessThan(2)
  expect(taken(sseParser(), "{\n", 8)).toBeLessThan(2)
  const lines = Array.from({ length: 10_000 }, (_, index) => String(index))
  expect(sseEvents(bytesOf(`data: ${lines.join("\ndata: ")}\n\n`))).toEqual([
    { event: "message", data: lines.join("\n") }
  ])
})

it("counts each frame of a stream where an answer in one piece was to come", () => {
  expect(taken(chunks({}, false), "data: {}\n\n", 16)).toBeLessThan(16)
})

describe("what is kept of an answer until its end", () => {
  const ended = (reader: Reader, frame: string) => {
    const piece = bytesOf(frame)
    for (let bytes = 0; bytes < 40 * mebibyte; bytes += piece.length) {
      const last = reader.push(piece).at(-1)
      if (last?.type === "failed") return { mebibytes: bytes / mebibyte, message: last.failure.message }
    }
    return undefined
  }
  const tooMuch = "The model's upstream sent more than 32 Mi characters"

  it.each([
    ["text", { content: "x".repeat(100_000) }],
    ["reasoning", { reasoning_content: "x".repeat(100_000) }],
    ["arguments", { tool_calls: [{ index: 0, id: "c", function: { name: "f", arguments: "x".repeat(100_000) } }] }]
  ])("is bounded where it is translated: %s", (_, delta) => {
    const reader = translatingReader(chat, { back: noBack, stops: [] }, { model: "m" })
    const failed = ended(reader, `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`)
    expect(failed?.message).toBe(tooMuch)
    expect(failed?.mebibytes).toBeGreaterThan(31)
  })

  it("is bounded where items pass through", () => {
    const reader = passthroughEvents(openaiResponses, responsesDialect, same, true)
    reader.push(
      bytesOf(
        'event: response.created\ndata: {"type":"response.created","sequence_number":0,"response":{"id":"r"}}\n\n'
      )
    )
    const item = { type: "response.output_item.done", item: { type: "message", content: "x".repeat(100_000) } }
    expect(ended(reader, `event: ${item.type}\ndata: ${JSON.stringify(item)}\n\n`)?.message).toBe(tooMuch)
  })
})
