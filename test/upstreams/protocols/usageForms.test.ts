import { describe, expect, it } from "@effect/vitest"
import type { JsonObject } from "../../../src/contract/fields.ts"
import { providers } from "../../../src/upstreams/protocols/openaiChat/compatible.ts"
import { chatDialect } from "../../../src/upstreams/protocols/openaiChat/chatDialect.ts"
import { openaiChat } from "../../../src/upstreams/protocols/openaiChat/openaiChat.ts"
import { openaiResponses } from "../../../src/upstreams/protocols/openaiResponses/openaiResponses.ts"
import { cacheDetails, noUsage } from "../../../src/generation/GenerationEvent.ts"
import { passthroughEvents } from "../../../src/upstreams/passthrough/events.ts"
import { responsesDialect } from "../../../src/upstreams/protocols/openaiResponses/responsesDialect.ts"
import { nativeText, outcome, streamed } from "../events.ts"

const counts = { prompt_tokens: 100, completion_tokens: 5, total_tokens: 105 }
const choice = { index: 0, delta: {}, finish_reason: "stop" }

/** The last chunk of a stream, with what its provider tells of 100 input tokens. */
const chunks: Readonly<Record<string, readonly [JsonObject, cached: number, written: number]>> = {
  OpenAI: [{ choices: [], usage: { ...counts, prompt_tokens_details: { cached_tokens: 60 } } }, 60, 0],
  "OpenAI and OpenRouter, writing to a cache": [
    { choices: [], usage: { ...counts, prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 30 } } },
    60,
    30
  ],
  DeepSeek: [{ choices: [], usage: { ...counts, prompt_cache_hit_tokens: 60 } }, 60, 0],
  Moonshot: [{ choices: [{ ...choice, usage: { ...counts, cached_tokens: 60 } }] }, 60, 0],
  Groq: [{ choices: [choice], x_groq: { usage: counts } }, 0, 0],
  "llama.cpp": [{ choices: [], usage: counts, timings: { cache_n: 60 } }, 60, 0]
}

describe("the usage of a stream", () => {
  it.each(Object.entries(chunks))("%s", (_, [chunk, cached, written]) => {
    const hi = { choices: [{ index: 0, delta: { content: "hi" } }] }
    expect(outcome(streamed(openaiChat(providers.generic), [hi, chunk])).usage).toMatchObject({
      inputTokens: 100 - cached - written,
      cacheReadTokens: cached,
      cacheWriteTokens: written,
      outputTokens: 5
    })
  })

  it("OpenAI's responses, writing to a cache", () => {
    const usage = {
      input_tokens: 100,
      input_tokens_details: { cached_tokens: 60, cache_write_tokens: 30 },
      output_tokens: 5
    }
    const response = { status: "completed", output: [], usage }
    const events = streamed(openaiResponses, [{ type: "response.completed", response }])
    expect(outcome(events).usage).toMatchObject({ inputTokens: 10, cacheReadTokens: 60, cacheWriteTokens: 30 })
  })
})

it("a responses server that does not announce its items says nothing twice", () => {
  const message = { type: "message", id: "m", content: [{ type: "output_text", text: "Hi" }] }
  const response = { status: "completed", output: [message] }
  const delta = { type: "response.output_text.delta", output_index: 0, content_index: 0, delta: "Hi" }
  const end = { type: "response.completed", response }
  const done = { type: "response.output_item.done", output_index: 0, item: message }
  for (const frames of [
    [delta, end],
    [delta, done, end]
  ]) {
    expect(outcome(streamed(openaiResponses, frames)).items).toMatchObject([{ type: "text", text: "Hi" }])
  }
})

it("OpenAI's dialects tell what was written to a cache, and nothing where nothing was", () => {
  expect(cacheDetails({ ...noUsage, cacheReadTokens: 2 })).toEqual({ cached_tokens: 2 })
  const usage = { ...noUsage, inputTokens: 1, cacheReadTokens: 2, cacheWriteTokens: 3 }
  const details = { cached_tokens: 2, cache_write_tokens: 3 }
  expect(responsesDialect.usage(usage)).toMatchObject({ input_tokens: 6, input_tokens_details: details })
  expect(chatDialect(providers.generic).usage(usage)).toMatchObject({
    prompt_tokens: 6,
    prompt_tokens_details: details
  })
})

it("a frame without data is no event of a stream that passes through", () => {
  const reader = passthroughEvents(openaiResponses, responsesDialect, (answer) => answer, true)
  const response = { id: "r", status: "completed", output: [] }
  const frame = (type: string) => `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: 0, response })}\n\n`
  const text = `${frame("response.created")}data: \n\n${frame("response.completed")}data:\n\n`
  const events = reader.push(new TextEncoder().encode(text))
  expect(events.at(-1)?.type).toBe("finished")
  expect(events.map(nativeText).join("")).not.toContain("data: \n")
})
