import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "@effect/vitest"
import type { MockInstance } from "@effect/vitest"
import Anthropic from "@anthropic-ai/sdk"
import Anthropic0 from "anthropic-sdk-0"
import type { GatewayHere } from "../gatewayHere.ts"
import { startGateway } from "../gatewayHere.ts"
import { gif, time, weather } from "./clientTools.ts"

let gateway: GatewayHere

beforeAll(async () => {
  gateway = await startGateway()
})

afterAll(() => gateway.dispose())

const model = "sandbox-text"
const user = (content: string) => ({ role: "user" as const, content })
const webSearch = { type: "web_search_20250305" as const, name: "web_search" as const }

// The two generations differ in how they authenticate and in their types, not in what is used here.
const clients = {
  "@anthropic-ai/sdk 1.x": (options: Options) => new Anthropic(options),
  "@anthropic-ai/sdk 0.x": (options: Options) => new Anthropic0(options) as unknown as Anthropic
}

interface Options {
  readonly baseURL: string
  readonly apiKey: string
  readonly maxRetries: number
  readonly fetch: typeof fetch
}

for (const [name, make] of Object.entries(clients)) {
  describe(name, () => {
    let requests = 0
    let warn: MockInstance<typeof console.warn>
    const client = (apiKey = gateway.key) =>
      make({
        baseURL: gateway.url,
        apiKey,
        maxRetries: 2,
        fetch: Object.assign(
          (...args: Parameters<typeof fetch>) => {
            requests++
            return fetch(...args)
          },
          { preconnect: fetch.preconnect }
        )
      })

    beforeEach(() => {
      requests = 0
      warn = vi.spyOn(console, "warn")
    })
    afterEach(() => {
      expect(warn).not.toHaveBeenCalled()
      warn.mockRestore()
    })

    it("creates a message", async () => {
      const message = await client().messages.create({ model, max_tokens: 200, messages: [user("Hello there")] })
      expect(message).toMatchObject({
        type: "message",
        role: "assistant",
        model,
        content: [{ type: "text", text: expect.stringContaining("Hello there") }],
        stop_reason: "end_turn",
        stop_sequence: null
      })
      expect(message.usage.input_tokens).toBeGreaterThan(0)
      expect(message.usage.output_tokens).toBeGreaterThan(0)
      expect(message._request_id).toMatch(/^req_/)
      expect(requests).toBe(1)
    })

    it("streams the message that it creates", async () => {
      const request = { model, max_tokens: 200, messages: [user("Tell me something")] }
      const stream = client().messages.stream(request)
      const texts: Array<string> = []
      stream.on("text", (text) => texts.push(text))
      const streamed = await stream.finalMessage()
      const created = await client().messages.create(request)
      expect(texts.length).toBeGreaterThan(3)
      expect(streamed.content).toEqual(created.content)
      expect(streamed.content[0]).toMatchObject({ text: texts.join("") })
      expect(streamed.usage).toMatchObject({ ...created.usage })
    })

    for (const streamed of [false, true]) {
      const answer = async (request: Anthropic.MessageCreateParamsNonStreaming): Promise<Anthropic.Message> =>
        streamed ? client().messages.stream(request).finalMessage() : client().messages.create(request)
      const how = streamed ? "streamed" : "whole"

      it(`calls two tools at once and goes on with their results, ${how}`, async () => {
        const request = { model, max_tokens: 500, tools: [weather, time] }
        const question = user("What are the weather and the time in Paris? [[sandbox: tool=get_weather,get_time]]")
        const first = await answer({ ...request, messages: [question] })
        expect(first.stop_reason).toBe("tool_use")
        const calls = first.content.filter((block) => block.type === "tool_use")
        expect(calls.map(({ name }) => name)).toEqual(["get_weather", "get_time"])
        expect(calls[0]?.input).toEqual({ city: expect.any(String) })
        const results = calls.map(({ id, name }) => ({
          type: "tool_result" as const,
          tool_use_id: id,
          content: `${name}: fine`
        }))
        const second = await answer({
          ...request,
          messages: [question, { role: "assistant", content: first.content }, { role: "user", content: results }]
        })
        expect(second.stop_reason).toBe("end_turn")
        expect(textOf(second)).toContain("get_weather: fine")
        expect(textOf(second)).toContain("get_time: fine")
      })

      it(`thinks, and takes its thinking back, ${how}`, async () => {
        const request = {
          model,
          max_tokens: 4096,
          thinking: { type: "enabled" as const, budget_tokens: 1024 }
        }
        const first = await answer({ ...request, messages: [user("Why?")] })
        expect(first.content.map(({ type }) => type)).toEqual(["thinking", "text"])
        expect(first.content[0]).toMatchObject({
          thinking: expect.stringMatching(/.+/),
          signature: expect.stringMatching(/.+/)
        })
        const second = await answer({
          ...request,
          messages: [user("Why?"), { role: "assistant", content: first.content }, user("And why that?")]
        })
        expect(second.content.map(({ type }) => type)).toEqual(["thinking", "text"])
      })

      it(`searches the web, cites, and takes its search back, ${how}`, async () => {
        const request = { model, max_tokens: 2000, tools: [webSearch] }
        const question = user("Search the web for Bun")
        const first = await answer({ ...request, messages: [question] })
        const [asked, found, said] = first.content
        expect(asked).toMatchObject({
          type: "server_tool_use",
          name: "web_search",
          input: { query: expect.stringMatching(/.+/) }
        })
        expect(found).toMatchObject({
          type: "web_search_tool_result",
          tool_use_id: asked?.type === "server_tool_use" ? asked.id : "",
          content: expect.arrayContaining([
            expect.objectContaining({ type: "web_search_result", encrypted_content: expect.stringMatching(/.+/) })
          ])
        })
        expect(said?.type === "text" ? said.citations : []).not.toHaveLength(0)
        expect(first.usage.server_tool_use?.web_search_requests).toBe(1)
        const second = await answer({
          ...request,
          messages: [question, { role: "assistant", content: first.content }, user("Thank you.")]
        })
        expect(textOf(second)).toContain("Thank you.")
      })
    }

    it("searches as often as it may, and says so when it may no more", async () => {
      const message = await client().messages.create({
        model,
        max_tokens: 2000,
        tools: [{ ...webSearch, max_uses: 1 }],
        messages: [user("Search for Bun 3 times")]
      })
      const results = message.content.filter((block) => block.type === "web_search_tool_result")
      expect(results.map(({ content }) => (Array.isArray(content) ? "results" : content.error_code))).toEqual([
        "results",
        "max_uses_exceeded"
      ])
    })

    it("stops where it is told to", async () => {
      const ask = (fields: object) =>
        client().messages.create({ model, max_tokens: 100, messages: [user("one two three four")], ...fields })
      expect(await ask({ max_tokens: 2 })).toMatchObject({ stop_reason: "max_tokens", usage: { output_tokens: 2 } })
      expect(await ask({ stop_sequences: ["three"] })).toMatchObject({
        stop_reason: "stop_sequence",
        stop_sequence: "three"
      })
      expect(await ask({ messages: [user("[[sandbox: finish=refusal]]")] })).toMatchObject({ stop_reason: "refusal" })
    })

    it("reads a document and an image", async () => {
      const message = await client().messages.create({
        model,
        max_tokens: 500,
        messages: [
          {
            role: "user",
            content: [
              { type: "document", source: { type: "text", media_type: "text/plain", data: "The first line" } },
              { type: "image", source: { type: "base64", media_type: "image/gif", data: gif } },
              { type: "text", text: "What is this?" }
            ]
          }
        ]
      })
      expect(textOf(message)).toContain("The first line")
      expect(textOf(message)).toContain("1×1")
    })

    it("counts tokens", async () => {
      const request = { model, messages: [user("Hello there")], tools: [weather] }
      const { input_tokens } = await client().messages.countTokens(request)
      const { usage } = await client().messages.create({ ...request, max_tokens: 100 })
      expect(input_tokens).toBe(usage.input_tokens)
    })

    const failing = async (request: object, apiKey?: string) => {
      const failure: unknown = await client(apiKey)
        .messages.create({ model, max_tokens: 100, messages: [user("Hello")], ...request }, { maxRetries: 0 })
        .catch((error: unknown) => error)
      const error = failure as InstanceType<typeof Anthropic.APIError>
      const body = error.error as { error: { type: string; message: string }; request_id: string }
      return {
        kind: error.constructor.name,
        status: error.status,
        type: body.error.type,
        message: body.error.message,
        names: body.request_id === error.requestID
      }
    }

    it("tells failures apart by their class", async () => {
      const names = true
      expect(await failing({ max_tokens: 0 })).toEqual({
        kind: "BadRequestError",
        status: 400,
        type: "invalid_request_error",
        message: "max_tokens: expected an integer of 1 or more; got 0",
        names
      })
      expect(await failing({ model: "nobody" })).toMatchObject({ kind: "BadRequestError", names })
      expect(await failing({}, "wrong-key")).toMatchObject({
        kind: "AuthenticationError",
        status: 401,
        type: "authentication_error",
        names
      })
      expect(await failing({ messages: [user("[[sandbox: error=429]]")] })).toMatchObject({
        kind: "RateLimitError",
        status: 429,
        type: "rate_limit_error",
        names
      })
      expect(await failing({ messages: [user("[[sandbox: error=503]]")] })).toMatchObject({
        kind: "InternalServerError",
        status: 500,
        type: "internal_server_error",
        names
      })
    })

    it("a stream that fails before it begins is a failed request", async () => {
      expect(await failing({ stream: true, messages: [user("[[sandbox: error=429]]")] })).toMatchObject({ status: 429 })
    })

    it("a stream that breaks is an error after what had come", async () => {
      const texts: Array<string> = []
      const stream = client().messages.stream({
        model,
        max_tokens: 200,
        messages: [user("[[sandbox: tokens=50 cut=5]]")]
      })
      stream.on("text", (text) => texts.push(text))
      const error: unknown = await stream.finalMessage().catch((error: unknown) => error)
      expect(texts.length).toBeGreaterThan(0)
      expect(error).toMatchObject({
        error: {
          type: "error",
          error: { type: "internal_server_error", message: expect.stringContaining("5 tokens") },
          request_id: expect.stringMatching(/^req_/)
        }
      })
      expect(requests).toBe(1)
    })

    it("answers async with a task, and a stream where both are set", async () => {
      const request = { model, max_tokens: 100, messages: [user("Hello")], async: true }
      expect(await client().messages.create(request)).toMatchObject({
        id: expect.stringMatching(/^task_/),
        object: "task",
        status: "pending"
      })
      expect(await client().messages.stream(request).finalMessage()).toMatchObject({ stop_reason: "end_turn" })
    })
  })
}

const textOf = (message: Anthropic.Message) =>
  message.content.map((block) => (block.type === "text" ? block.text : "")).join("")
