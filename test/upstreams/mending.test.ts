import Anthropic from "@anthropic-ai/sdk"
import { describe, expect, it } from "@effect/vitest"
import OpenAI from "openai"
import type { JsonObject } from "../../src/contract/fields.ts"
import type { GenerationEvent } from "../../src/generation/GenerationEvent.ts"
import { passthroughChunks } from "../../src/upstreams/passthrough/chunks.ts"
import { passthroughEvents } from "../../src/upstreams/passthrough/events.ts"
import { anthropicMessages } from "../../src/upstreams/protocols/anthropicMessages/anthropicMessages.ts"
import { messagesDialect } from "../../src/upstreams/protocols/anthropicMessages/messagesDialect.ts"
import { chatDialect } from "../../src/upstreams/protocols/openaiChat/chatDialect.ts"
import { providers } from "../../src/upstreams/protocols/openaiChat/compatible.ts"
import { openaiChat } from "../../src/upstreams/protocols/openaiChat/openaiChat.ts"
import { openaiResponses } from "../../src/upstreams/protocols/openaiResponses/openaiResponses.ts"
import { responsesDialect } from "../../src/upstreams/protocols/openaiResponses/responsesDialect.ts"
import { nativeText } from "./events.ts"
import { dialects } from "./fakes/fakeUpstream.ts"
import type { Scenario } from "./fakes/scenarios.ts"

/** What the official clients read of a stream. */
const clients = {
  "anthropic-messages": (stream: string): Promise<object> => {
    const client = new Anthropic({ apiKey: "k", maxRetries: 0, fetch: answering(stream) })
    return client.messages
      .stream({ model: "m", max_tokens: 9, messages: [{ role: "user", content: "hi" }] })
      .finalMessage()
  },
  "openai-responses": (stream: string): Promise<object> => {
    const client = new OpenAI({ apiKey: "k", maxRetries: 0, fetch: answering(stream) })
    return client.responses.stream({ model: "m", input: "hi" }).finalResponse()
  }
}
const answering = (stream: string) => () =>
  Promise.resolve(new Response(stream, { headers: { "content-type": "text/event-stream" } }))

const chat = { protocol: openaiChat(providers.generic), dialect: chatDialect(providers.generic) }
const chatRequest = {
  body: { stream_options: { include_usage: true } },
  headers: new Headers(),
  rewrite: (answer: JsonObject) => answer
}
const readers = {
  "anthropic-messages": (isStream = true) =>
    passthroughEvents(anthropicMessages, messagesDialect, (answer) => answer, isStream),
  "openai-responses": (isStream = true) =>
    passthroughEvents(openaiResponses, responsesDialect, (answer) => answer, isStream),
  "openai-chat": (isStream = true) => passthroughChunks(chat.protocol, chat.dialect, chatRequest, isStream)
}
const piecesOf = (text: string) => {
  const bytes = Buffer.from(text)
  return Array.from({ length: Math.ceil(bytes.length / 100) }, (_, n) => bytes.subarray(n * 100, n * 100 + 100))
}

const played: ReadonlyArray<Scenario> = ["text", "parallel-tools", "reasoning", "search", "max-tokens"]

describe.each(["anthropic-messages", "openai-responses"] as const)("%s, passed through", (protocol) => {
  const dialect = dialects[protocol]
  const passed = (text: string): string => {
    const reader = readers[protocol]()
    const events = piecesOf(text).flatMap((piece) => reader.push(piece))
    if (events.at(-1)?.type !== "finished") events.push(...reader.end())
    expect(events.at(-1)?.type).toBe("finished")
    return events.map(nativeText).join("")
  }
  const named = (frames: ReadonlyArray<JsonObject>) =>
    frames.map((frame) => `event: ${String(frame["type"])}\ndata: ${JSON.stringify(frame)}\n\n`).join("")

  it.each(played)("frames without names and numbers get them (%s)", (scenario) => {
    const frames = dialect.frames(scenario, "m")
    const bare = frames.map((frame) => `data: ${JSON.stringify({ ...frame, sequence_number: undefined })}\n\n`).join("")
    const numbered = frames.map((frame, sequence_number) =>
      protocol === "openai-responses" ? { ...frame, sequence_number } : frame
    )
    expect(parsed(passed(`${bare}data: [DONE]\n\n`))).toEqual(parsed(named(numbered)))
  })

  it.each(played)("a whole answer to a streaming request is the stream it should have been (%s)", async (scenario) => {
    const answer = dialect.answer(scenario, "m")
    const events = [...readers[protocol]().whole(JSON.stringify(answer))].flat()
    expect(events.at(-1)?.type).toBe("finished")
    expect(events.findLast((event) => event.type === "usage")).toMatchObject({
      usage: { inputTokens: 15, cacheReadTokens: 5, outputTokens: 8 }
    })
    const read = await clients[protocol](events.map(nativeText).join(""))
    expect(read).toMatchObject(answer)
  })

  it.each([
    {},
    {
      input_tokens_details: { cached_tokens: null },
      output_tokens_details: { reasoning_tokens: null },
      cache_read_input_tokens: null
    }
  ])("usage without details is read by its clients (%j)", async (missing) => {
    const counts = { input_tokens: 20, output_tokens: 8 }
    const answer = dialect.answer("text", "m")
    const read = await clients[protocol](
      [...readers[protocol]().whole(JSON.stringify({ ...answer, usage: { ...counts, ...missing } }))]
        .flat()
        .map(nativeText)
        .join("")
    )
    expect(read).toMatchObject({
      usage:
        protocol === "openai-responses"
          ? {
              ...counts,
              total_tokens: 28,
              input_tokens_details: { cached_tokens: 0 },
              output_tokens_details: { reasoning_tokens: 0 }
            }
          : { ...counts, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 }
    })
  })
})

describe.each(["anthropic-messages", "openai-responses", "openai-chat"] as const)("%s, passed through", (protocol) => {
  const dialect = dialects[protocol]
  const streamOf = (scenario: Scenario) =>
    dialect
      .frames(scenario, "m")
      .map(
        (frame) =>
          `${protocol === "openai-chat" ? "" : `event: ${String(frame["type"])}\n`}data: ${JSON.stringify(frame)}\n\n`
      )
      .concat(dialect.end)
      .join("")
  const wholeOf = (text: string) => {
    const reader = readers[protocol](false)
    const events = piecesOf(text).flatMap((piece) => reader.push(piece))
    return isOver(events) ? events : [...events, ...reader.end()]
  }
  const isOver = (events: ReadonlyArray<GenerationEvent>) => /finished|failed/.test(events.at(-1)?.type ?? "")

  it.each(played)("an unrequested stream is the piece that it should have been (%s)", (scenario) => {
    const events = wholeOf(streamOf(scenario))
    expect(events.at(-1)?.type).toBe("finished")
    const asked = [...readers[protocol](false).whole(JSON.stringify(dialect.answer(scenario, "m")))].flat()
    expect(JSON.parse(events.map(nativeText).join(""))).toMatchObject(JSON.parse(asked.map(nativeText).join("")))
    const usage = (all: ReadonlyArray<GenerationEvent>) => all.findLast(({ type }) => type === "usage")
    expect(usage(events)).toEqual(usage(asked))
  })

  it("a stream that breaks off is no answer, however much of it there was", () => {
    const text = streamOf("parallel-tools")
    for (const part of [0.2, 0.5, 0.7]) {
      const events = wholeOf(text.slice(0, text.length * part))
      expect(events.map(({ type }) => type)).toEqual(["failed"])
    }
  })

  it("another dialect's stream is not told as the beginning of an answer", () => {
    for (const other of ["anthropic-messages", "openai-responses", "openai-chat"] as const) {
      if (other === protocol) continue
      const foreign = dialects[other].frames("text", "m").map((frame) => `data: ${JSON.stringify(frame)}\n\n`)
      const reader = readers[protocol]()
      const events = reader.push(Buffer.from(foreign.join("")))
      const isSilent = (event: GenerationEvent) => event.type === "passthrough" && !event.terminal && event.isBeginning
      expect(events.filter((event) => !isSilent(event))).toEqual([])
      expect(reader.end().at(-1)).toMatchObject({ type: "failed" })
      expect(wholeOf(foreign.join("")).map(({ type }) => type)).toEqual(["failed"])
    }
  })
})

describe("chat completions, passed through", () => {
  it("calls in pieces are put together however they are numbered", () => {
    const piece = (index: number, more: JsonObject) => ({ index, function: more })
    const chunk = (...tool_calls: ReadonlyArray<JsonObject>) => ({ choices: [{ index: 0, delta: { tool_calls } }] })
    const frames = [
      chunk({ ...piece(1, { name: "f", arguments: "" }), id: "a" }),
      chunk(piece(1, { arguments: '{"a"' })),
      chunk({ ...piece(0, { name: "g", arguments: '{"b"' }), id: "b" }, piece(1, { arguments: ":1}" })),
      chunk(piece(0, { arguments: ":2}" })),
      { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] }
    ].map((frame) => `data: ${JSON.stringify(frame)}\n\n`)
    const events = readers["openai-chat"](false).push(Buffer.from(`${frames.join("")}data: [DONE]\n\n`))
    const { choices } = JSON.parse(events.map(nativeText).join(""))
    expect(choices).toEqual([
      {
        index: 0,
        finish_reason: "tool_calls",
        message: {
          role: "assistant",
          content: null,
          tool_calls: [
            { id: "a", function: { name: "f", arguments: '{"a":1}' } },
            { id: "b", function: { name: "g", arguments: '{"b":2}' } }
          ]
        }
      }
    ])
  })

  it.each(played)("a whole answer to a streaming request is the stream it should have been (%s)", async (scenario) => {
    const answer = dialects["openai-chat"].answer(scenario, "m")
    const events = [...readers["openai-chat"]().whole(JSON.stringify(answer))].flat()
    expect(events.at(-1)?.type).toBe("finished")
    const client = new OpenAI({ apiKey: "k", maxRetries: 0, fetch: answering(events.map(nativeText).join("")) })
    const read = await client.chat.completions
      .stream({ model: "m", messages: [{ role: "user", content: "hi" }], stream_options: { include_usage: true } })
      .finalChatCompletion()
    const { choices } = answer as unknown as OpenAI.ChatCompletion
    expect(read.choices[0]).toMatchObject({ finish_reason: choices[0]!.finish_reason })
    expect(read.choices[0]!.message.content ?? "").toBe(choices[0]!.message.content ?? "")
    expect(read.choices[0]!.message.tool_calls ?? []).toMatchObject(choices[0]!.message.tool_calls ?? [])
    expect(read.usage).toEqual(answer["usage"])
  })
})

const parsed = (text: string) =>
  text
    .split("\n\n")
    .filter((frame) => frame !== "")
    .map((frame) => {
      const [event = "", data = ""] = frame.split("\n")
      return [event, JSON.parse(data.slice("data: ".length))] as const
    })
