import { describe, expect, it } from "vitest"
import type { JsonObject } from "../../src/contract/fields.ts"
import { parseJson } from "../../src/contract/json/json.ts"
import { responsesDialect } from "../../src/upstreams/protocols/openaiResponses/responsesDialect.ts"
import { messagesDialect } from "../../src/upstreams/protocols/anthropicMessages/messagesDialect.ts"
import type { Reader } from "../../src/upstreams/text/generationOf.ts"
import { passthroughEvents } from "../../src/upstreams/passthrough/events.ts"
import { passthroughChunks } from "../../src/upstreams/passthrough/chunks.ts"
import { anthropicMessages } from "../../src/upstreams/protocols/anthropicMessages/anthropicMessages.ts"
import { noBack } from "../../src/upstreams/protocols/back.ts"
import { chatDialect } from "../../src/upstreams/protocols/openaiChat/chatDialect.ts"
import { gathers } from "../../src/upstreams/protocols/openaiChat/asStream.ts"
import { providers } from "../../src/upstreams/protocols/openaiChat/compatible.ts"
import { openaiChat } from "../../src/upstreams/protocols/openaiChat/openaiChat.ts"
import { openaiResponses } from "../../src/upstreams/protocols/openaiResponses/openaiResponses.ts"
import { translatingReader } from "../../src/upstreams/text/translatingReader.ts"
import { families } from "../guard/bodies/answerKinds.ts"
import type { FamilyName } from "../guard/bodies/answerKinds.ts"
import { answers } from "../guard/bodies/answers.ts"

const lowered = { back: noBack, stops: [] }
const hearing = { model: "m" }
const chat = openaiChat(providers.vllm)
const same = (answer: JsonObject) => answer
const request = { body: { stream_options: { include_usage: true } }, headers: new Headers(), rewrite: same }

/** A reader of an answer that is translated, and of one that passes through. */
const readers: Record<FamilyName, (isStream: boolean) => readonly [Reader, Reader]> = {
  "openai-chat": (isStream) => [
    translatingReader(chat, lowered, hearing),
    passthroughChunks(chat, chatDialect(providers.vllm), request, isStream)
  ],
  "anthropic-messages": (isStream) => [
    translatingReader(anthropicMessages, lowered, hearing),
    passthroughEvents(anthropicMessages, messagesDialect, same, isStream)
  ],
  "openai-responses": (isStream) => [
    translatingReader(openaiResponses, lowered, hearing),
    passthroughEvents(openaiResponses, responsesDialect, same, isStream)
  ]
}

const made = (name: string, protocol: FamilyName, form: "whole" | "stream"): string =>
  String(answers.find((one) => one.name === name)?.on[protocol]?.[form]?.() ?? "")
const whole = (reader: Reader, text: string) => [...reader.whole(text)].flat()
const completionOf = (chunks: ReadonlyArray<JsonObject>) => {
  const gathering = gathers()
  for (const chunk of chunks) gathering.add(chunk)
  return gathering.whole(true)
}
const failed = expect.objectContaining({ type: "failed", failure: expect.objectContaining({ _tag: "UpstreamFailed" }) })

describe.each(families)("an answer of %s", (protocol) => {
  it.each(["100,000 calls", "20,000 annotations", "100,000 turns", "65 levels", "2 MiB of open lists"])(
    "with too much in it, in one piece, fails as a whole: %s",
    (name) => {
      const text = made(name, protocol, "whole")
      for (const reader of readers[protocol](false)) {
        expect(whole(reader, text)).toEqual([failed])
      }
    }
  )

  it.each([
    ["100,000 calls", "tool-call-start"],
    ["20,000 annotations", "citation"]
  ])("with too much in it, translated of a stream, is cut with a failure: %s", (name, type) => {
    const [reader] = readers[protocol](true)
    const bytes = new TextEncoder().encode(made(name, protocol, "stream"))
    const events = reader.push(bytes)
    const items = events.filter((event) => event.type === type).length
    expect(items).toBeGreaterThan(9_000)
    expect(items).toBeLessThanOrEqual(10_000)
    expect(events.at(-1)).toEqual(failed)
  })

  it.each(["65 levels", "2 MiB of open lists"])("with a frame that is too deep ends with a failure: %s", (name) => {
    const bytes = new TextEncoder().encode(made(name, protocol, "stream"))
    for (const reader of readers[protocol](true)) {
      expect([...reader.push(bytes), ...reader.end()].at(-1)).toEqual(failed)
    }
  })
})

it("takes 10,000 items, whatever each consists of", () => {
  for (const reader of readers["openai-responses"](false)) {
    const text = made("10,000 messages", "openai-responses", "whole")
    expect(whole(reader, text).at(-1)?.type).toBe("finished")
  }
})

it("counts reasoning and text once each, however they begin", () => {
  const [reader] = readers["anthropic-messages"](false)
  expect(whole(reader, made("9,000 turns", "anthropic-messages", "whole")).at(-1)?.type).toBe("finished")
})

it("fails an answer in one piece that would be far longer as a stream, and tells others as one", () => {
  const [, reader] = readers["openai-chat"](true)
  expect(whole(reader, made("9,000 choices beside a note of 1 MB", "openai-chat", "whole"))).toEqual([failed])
  const [, another] = readers["openai-chat"](true)
  expect(whole(another, made("9,000 choices", "openai-chat", "whole")).at(-1)?.type).toBe("finished")
})

it("puts pieces together whose numbers are not their places, and leaves the chunks as they were", () => {
  const call = (index: number, text: string) => ({ index, function: { arguments: text } })
  const chunk = (...tool_calls: ReadonlyArray<object>) => ({ choices: [{ index: 0, delta: { tool_calls } }] })
  const chunks = [chunk(call(7, "a"), call(3, "b")), chunk(call(3, "c")), chunk(call(7, "d")), chunk(call(1, "e"))]
  const before = structuredClone(chunks)
  expect(completionOf(chunks)).toMatchObject({
    choices: [{ message: { tool_calls: ["ad", "bc", "e"].map((text) => ({ function: { arguments: text } })) } }]
  })
  expect(chunks).toEqual(before)
})

it("a stream's pieces named __proto__ change no other object", () => {
  const text = `{"choices":[{"index":0,"delta":{"content":"z","__proto__":{"aliasOf":"x"}},"finish_reason":"stop"}]}`
  expect(completionOf([JSON.parse(text)])).toMatchObject({ choices: [{ message: { content: "z" } }] })
  expect(Reflect.get({}, "aliasOf")).toBeUndefined()
})

describe("what is read of an upstream's JSON", () => {
  const list = (levels: number) => `{"a":${"[".repeat(levels)}${"]".repeat(levels)},"b":"${"x".repeat(200)}"}`

  it("is 64 levels deep at most", () => {
    expect(parseJson(list(63))).toBeDefined()
    expect(parseJson(list(64))).toBeUndefined()
    expect(parseJson(`{"a":"${"[".repeat(1_000)}"}`)).toBeDefined()
  })

  it("has at most 10,000 objects in a list and 100,000 in all lists, those of log probabilities not counted", () => {
    const objects = (count: number) => JSON.stringify(Array.from({ length: count }, () => ({})))
    expect(parseJson(`{"a":${objects(10_000)}}`)).toBeDefined()
    expect(parseJson(`{"a":${objects(10_001)}}`)).toBeUndefined()
    expect(parseJson(`{"a":${objects(6_000)},"b":[{"c":${objects(6_000)}}]}`)).toBeDefined()
    const lists = (count: number) => `[${Array.from({ length: count }, () => objects(10_000)).join(",")}]`
    expect(parseJson(`{"a":${lists(10)}}`)).toBeDefined()
    expect(parseJson(`{"a":${lists(10)},"b":[{}]}`)).toBeUndefined()
    expect(parseJson(`{"logprobs":{"content":${objects(20_000)}},"a":${objects(10_000)}}`)).toBeDefined()
    expect(parseJson(`{"logprobs":{"content":${objects(20_000)}},"a":${objects(10_001)}}`)).toBeUndefined()
    expect(parseJson(`{"a":[${"1,".repeat(1_000_000)}1]}`)).toBeDefined()
  })
})
