import { describe, expect, it, vi } from "vitest"
import type { JsonObject } from "../../src/contract/fields.ts"
import { nextTurn } from "../../src/flow/eventLoop.ts"
import { acceptAnswer } from "../../src/upstreams/calls/acceptAnswer.ts"
import type { Exchange } from "../../src/upstreams/calls/Exchange.ts"
import { Answer } from "../../src/upstreams/text/generationOf.ts"
import type { Reader } from "../../src/upstreams/text/generationOf.ts"
import { passthroughChunks } from "../../src/upstreams/passthrough/chunks.ts"
import { noBack } from "../../src/upstreams/protocols/back.ts"
import { chatDialect } from "../../src/upstreams/protocols/openaiChat/chatDialect.ts"
import { providers } from "../../src/upstreams/protocols/openaiChat/compatible.ts"
import { openaiChat } from "../../src/upstreams/protocols/openaiChat/openaiChat.ts"
import { translatingReader } from "../../src/upstreams/text/translatingReader.ts"

const mebibyte = 1_048_576
const delta = 'data: {"id":"c","model":"m","choices":[{"index":0,"delta":{"content":"x"}}]}\n\n'
const chat = openaiChat(providers.vllm)
const same = (answer: JsonObject) => answer
const chunks = (body: JsonObject) =>
  passthroughChunks(chat, chatDialect(providers.vllm), { body, headers: new Headers(), rewrite: same }, true)

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
      whole(delta.repeat(8_000) + end, translatingReader(chat, { back: noBack, stops: [] }, { model: "m" }))
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

it("is accepted once a thousand of its frames said nothing: they are not gathered without end", async () => {
  const frames = new TextEncoder().encode('data: {"id":"c","choices":[]}\n\n'.repeat(5_000))
  let isRead = false
  const exchange: Exchange = {
    status: 200,
    headers: new Headers({ "content-type": "text/event-stream" }),
    read: () => (isRead ? new Promise(() => {}) : Promise.resolve(((isRead = true), frames))),
    text: () => Promise.reject(new Error("it is a stream")),
    cancel: () => {},
    release: () => {}
  }
  // The time in which it would be accepted anyway does not come.
  vi.useFakeTimers({ toFake: ["setTimeout"] })
  const answer = new Answer(chunks({}), exchange, { secrets: () => [] })
  await new Promise((resolve) => acceptAnswer(answer, exchange, { isPatient: true, stream: true }).onDone(resolve))
  vi.useRealTimers()
  answer.cancel()
})
