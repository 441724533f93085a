import { createAnthropic } from "@ai-sdk/anthropic"
import { afterAll, beforeAll, describe, expect, it, vi } from "@effect/vitest"
import { APICallError, generateText, jsonSchema, stepCountIs, streamText, tool } from "ai"
import type { GatewayHere } from "../gatewayHere.ts"
import { startGateway } from "../gatewayHere.ts"

let gateway: GatewayHere
let anthropic: ReturnType<typeof createAnthropic>
/** What the client would have warned of on the console. */
const warned: Array<unknown> = []
beforeAll(async () => {
  vi.stubGlobal("AI_SDK_LOG_WARNINGS", (options: unknown) => warned.push(options))
  gateway = await startGateway()
  anthropic = createAnthropic({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key })
})
afterAll(async () => {
  await gateway.dispose()
  vi.unstubAllGlobals()
  expect(warned).toEqual([])
})

const settings = { maxRetries: 0, maxOutputTokens: 1000 }
const city = jsonSchema<{ city: string }>({
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"]
})
const tools = {
  get_weather: tool({ inputSchema: city, execute: async () => "sunny" }),
  get_time: tool({ inputSchema: city, execute: async () => "noon" })
}

describe("the Vercel client", () => {
  it("generates and streams the same text", async () => {
    const request = { model: anthropic("sandbox-text"), prompt: "Hello there", ...settings }
    const { text, finishReason, usage } = await generateText(request)
    const stream = streamText(request)
    expect(text).toContain("Hello there")
    expect(finishReason).toBe("stop")
    expect(usage.outputTokens).toBeGreaterThan(0)
    expect(await stream.text).toBe(text)
    expect(await stream.usage).toMatchObject({ inputTokens: usage.inputTokens, outputTokens: usage.outputTokens })
  })

  for (const streamed of [false, true]) {
    it(`runs a loop of two tools called at once, ${streamed ? "streamed" : "whole"}`, async () => {
      const request = {
        model: anthropic("sandbox-text"),
        prompt: "Weather and time in Paris? [[sandbox: tool=get_weather,get_time]]",
        tools,
        stopWhen: stepCountIs(3),
        ...settings
      }
      const { steps, text } = streamed ? await settled(streamText(request)) : await generateText(request)
      expect(steps.map(({ toolCalls }) => toolCalls.map(({ toolName }) => toolName))).toEqual([
        ["get_weather", "get_time"],
        []
      ])
      expect(text).toContain("sunny")
      expect(text).toContain("noon")
    })
  }

  it("gets reasoning apart from text", async () => {
    const { reasoningText, text } = await generateText({
      model: anthropic("sandbox-text"),
      prompt: "Why?",
      providerOptions: { anthropic: { thinking: { type: "enabled", budgetTokens: 1024 } } },
      ...settings
    })
    expect(reasoningText).toMatch(/.+/)
    expect(text).toMatch(/.+/)
  })

  for (const streamed of [false, true]) {
    it(`searches the web and replays its search in a second turn, ${streamed ? "streamed" : "whole"}`, async () => {
      const question = { role: "user" as const, content: "Search the web for Bun" }
      const request = {
        model: anthropic("sandbox-text"),
        tools: { web_search: anthropic.tools.webSearch_20250305({ maxUses: 2 }) },
        ...settings
      }
      const answer = async (messages: NonNullable<Parameters<typeof generateText>[0]["messages"]>) =>
        streamed ? settled(streamText({ ...request, messages })) : generateText({ ...request, messages })
      const first = await answer([question])
      expect(first.sources.length).toBeGreaterThan(0)
      const second = await answer([question, ...first.response.messages, { role: "user", content: "Thank you." }])
      expect(second.text).toContain("Thank you.")
    })
  }

  it("sees the status and the message of a failure", async () => {
    const failure: unknown = await generateText({
      model: anthropic("sandbox-text"),
      prompt: "[[sandbox: error=429]]",
      ...settings
    }).catch((error: unknown) => error)
    expect(APICallError.isInstance(failure)).toBe(true)
    expect(failure).toMatchObject({ statusCode: 429, message: expect.stringContaining("429") })
  })

  it("gets an error part where a stream breaks", async () => {
    const errors: Array<unknown> = []
    const stream = streamText({
      model: anthropic("sandbox-text"),
      prompt: "[[sandbox: tokens=50 cut=5]]",
      ...settings,
      onError: ({ error }) => void errors.push(error)
    })
    const parts: Array<string> = []
    for await (const { type } of stream.fullStream) parts.push(type)
    expect(parts).toContain("text-delta")
    expect(parts).toContain("error")
    expect(errors).toHaveLength(1)
  })
})

/** What a whole answer has, of a streamed one. */
const settled = async <Steps, Sources, Answer>(stream: {
  readonly steps: PromiseLike<Steps>
  readonly text: PromiseLike<string>
  readonly sources: PromiseLike<Sources>
  readonly response: PromiseLike<Answer>
}) => ({
  steps: await stream.steps,
  text: await stream.text,
  sources: await stream.sources,
  response: await stream.response
})
