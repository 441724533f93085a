import { describe, expect, it } from "vitest"
import type { JsonObject } from "../../src/contract/fields.ts"
import { nextTurn } from "../../src/flow/eventLoop.ts"
import { awsEventStream } from "../../src/upstreams/framing/awsEventStream.ts"
import { BrokenFrame } from "../../src/upstreams/framing/Framing.ts"
import type { FrameParser } from "../../src/upstreams/framing/Framing.ts"
import { sseEvents, sseParser } from "../../src/upstreams/framing/sse.ts"
import type { Exchange } from "../../src/upstreams/Exchange.ts"
import { Answer } from "../../src/upstreams/generationOf.ts"
import type { Reader } from "../../src/upstreams/generationOf.ts"
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
import { translated } from "../../src/upstreams/translated.ts"
import { awsMessage } from "./fakes/awsMessage.ts"

const mebibyte = 1_048_576
const pieceBytes = 32_768
const bytesOf = (text: string) => new TextEncoder().encode(text)
const filled = (unit: string, bytes: number) => bytesOf(unit.repeat(Math.ceil(bytes / unit.length)))
const delta = 'data: {"id":"c","model":"m","choices":[{"index":0,"delta":{"content":"x"}}]}\n\n'

const chat = openaiChat(providers.vllm)
const same = (answer: JsonObject) => answer
const readers: Readonly<Record<string, () => Reader>> = {
  "chat, translated": () => translated(chat, { back: noBack, stops: [] }, { model: "m" }),
  "messages, translated": () => translated(anthropicMessages, { back: noBack, stops: [] }, { model: "m" }),
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
    const reader = () => translated(chat, { back: noBack, stops: [] }, { model: "m" })
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

/** An answer whose body is these pieces. */
const answerOf = (reader: Reader, pieces: Iterator<Uint8Array>) => {
  const exchange: Exchange = {
    status: 200,
    headers: new Headers({ "content-type": "text/event-stream" }),
    read: () => Promise.resolve(pieces.next().value ?? undefined),
    text: () => Promise.reject(new Error("it is a stream")),
    cancel: () => {},
    release: () => {}
  }
  return new Answer(reader, exchange, { secrets: () => [] })
}
const ending = async (reader: Reader, pieces: Iterator<Uint8Array>) => {
  const answer = answerOf(reader, pieces)
  answer.giveBack(undefined, undefined)
  for (let batch = await answer.next(); batch !== undefined; batch = await answer.next()) {
    const last = batch.at(-1)
    if (last?.type === "failed" || last?.type === "finished") return last
  }
  return undefined
}
function* endless(piece: Uint8Array, most: number): Iterator<Uint8Array> {
  for (let bytes = 0; bytes < most; bytes += piece.length) yield piece
}

describe("an upstream's stream in all", () => {
  const passing: Reader = { push: () => [{ type: "text-delta", text: "x" }], end: () => [], whole: () => [] }
  const finished = { type: "finished", reason: "stop", stopSequence: null } as const

  it("may be 256 MiB, of whatever it consists", async () => {
    const piece = new Uint8Array(mebibyte)
    const ended: Reader = { ...passing, end: () => [finished] }
    expect(await ending(ended, endless(piece, 255 * mebibyte))).toEqual(finished)
    const tooLong = { type: "failed", said: "more than 256 MiB" }
    expect(await ending(ended, endless(piece, 257 * mebibyte))).toMatchObject(tooLong)
    expect(await ending({ ...ended, push: () => [] }, endless(piece, 257 * mebibyte))).toMatchObject(tooLong)
  })

  it("counts each event, because it is more work than its bytes", async () => {
    const batch = Array.from({ length: 1_000 }, () => ({ type: "text-delta", text: "" }) as const)
    const reader: Reader = { ...passing, push: () => batch, end: () => [finished] }
    expect(await ending(reader, endless(new Uint8Array(1), 5_000))).toMatchObject({ said: "more than 256 MiB" })
  })
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
    const reader = translated(chat, { back: noBack, stops: [] }, { model: "m" })
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

describe("an answer in one piece", () => {
  const whole = (text: string, reader: Reader, type = "application/json") => {
    const exchange: Exchange = {
      status: 200,
      headers: new Headers({ "content-type": type }),
      read: () => Promise.resolve(undefined),
      text: () => Promise.resolve(text),
      cancel: () => {},
      release: () => {}
    }
    const answer = new Answer(reader, exchange, { secrets: () => [] })
    answer.giveBack(undefined, undefined)
    return answer
  }
  const completion = (content: string) =>
    JSON.stringify({
      id: "c",
      model: "m",
      choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
    })

  /** The events of an answer, and how many turns the event loop had meanwhile. */
  const read = async (answer: Answer) => {
    let turns = 0
    let isOver = false
    void (async () => {
      for (; !isOver; turns++) await nextTurn()
    })()
    const events = []
    for (let batch = await answer.next(); batch !== undefined; batch = await answer.next()) events.push(...batch)
    isOver = true
    return { events, turns }
  }
  const textOf = (events: Awaited<ReturnType<typeof read>>["events"]) =>
    events
      .map((event) =>
        event.type !== "passthrough" ? "" : event.terminal ? event.text : new TextDecoder().decode(event.bytes)
      )
      .join("")

  it("becomes the same stream in turns, if it is long, as at once", async () => {
    const short = await read(whole(completion("abc"), chunks({})))
    const long = "abc".repeat(mebibyte)
    const { events, turns } = await read(whole(completion(long), chunks({})))
    expect(textOf(events)).toBe(textOf(short.events).replace("abc", long))
    expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(["started", "usage", "finished"]))
    expect(events.at(-1)?.type).toBe("finished")
    expect(turns).toBeGreaterThan(3)
  })

  it("that is too long as a stream fails before its first frame", async () => {
    const choices = Array.from({ length: 1_000 }, (_, index) => ({
      index,
      message: { content: "x" },
      finish_reason: "stop"
    }))
    const text = JSON.stringify({ id: "c", model: "m", choices, note: "x".repeat(2 * mebibyte) })
    const { events } = await read(whole(text, chunks({})))
    expect(events).toMatchObject([{ type: "failed", said: expect.stringContaining("too long as a stream") }])
  })

  it("that is a stream is read in turns", async () => {
    const end =
      'data: {"id":"c","model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
    const { events, turns } = await read(
      whole(delta.repeat(8_000) + end, translated(chat, { back: noBack, stops: [] }, { model: "m" }))
    )
    expect(events.filter(({ type }) => type === "text-delta")).toHaveLength(8_000)
    expect(events.at(-1)?.type).toBe("finished")
    expect(turns).toBeGreaterThan(16)
  })

  it("that is cancelled between two turns says no more", async () => {
    const answer = whole(completion("abc".repeat(mebibyte)), chunks({}))
    const next = answer.next()
    answer.cancel()
    expect(await next).toBeUndefined()
    expect(await answer.next()).toBeUndefined()
  })
})
