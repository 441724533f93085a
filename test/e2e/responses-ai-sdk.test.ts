import { createOpenAI } from "@ai-sdk/openai"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { APICallError, generateText, jsonSchema, stepCountIs, streamText, tool } from "ai"
import type { ModelMessage } from "ai"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"

let gateway: GatewayHere
/** Every body that was sent, so that a test can see what the client replays. */
const sent: Array<{ input: ReadonlyArray<{ type?: string }> }> = []
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway.dispose())

const openai = () =>
  createOpenAI({
    baseURL: `${gateway.url}/v1`,
    apiKey: gateway.key,
    fetch: Object.assign(
      (url: RequestInfo | URL, init?: RequestInit) => {
        sent.push(JSON.parse(init?.body as string))
        return fetch(url, init)
      },
      { preconnect: fetch.preconnect }
    )
  })

const maxRetries = 0
const city = jsonSchema<{ city: string }>({
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false
})
const weather = tool({
  description: "Weather of a city",
  inputSchema: city,
  execute: ({ city }) => `sunny in ${city}`
})
const time = tool({
  description: "Time in a city",
  inputSchema: city,
  execute: () => "noon"
})

describe("@ai-sdk/openai", () => {
  it("generates and streams the same text without warnings", async () => {
    const model = openai()("sandbox-text")
    const generated = await generateText({ model, prompt: "Hello!", maxRetries })
    expect(generated.warnings ?? []).toEqual([])
    expect(generated.finishReason).toBe("stop")
    expect(generated.usage.outputTokens).toBeGreaterThan(0)
    const streamed = streamText({ model, prompt: "Hello!", maxRetries })
    expect(await streamed.text).toBe(generated.text)
    expect((await streamed.warnings) ?? []).toEqual([])
  })

  it("runs tools to the end: two calls at once, then a text", async () => {
    const result = streamText({
      model: openai()("sandbox-text"),
      tools: { get_weather: weather, get_time: time },
      stopWhen: stepCountIs(3),
      prompt: "Weather and time in Paris?",
      maxRetries
    })
    const steps = await result.steps
    expect(steps.map((step) => step.toolCalls.map((call) => call.toolName))).toEqual([["get_weather", "get_time"], []])
    expect(steps.map((step) => step.finishReason)).toEqual(["tool-calls", "stop"])
    expect(await result.text).toContain("noon")
  })

  it("replays reasoning, searches and texts of an earlier turn by reference", async () => {
    const provider = openai()
    const model = provider("sandbox-text")
    const options = {
      model,
      tools: { web_search: provider.tools.webSearch({ searchContextSize: "low" }) },
      providerOptions: { openai: { reasoningEffort: "low", reasoningSummary: "auto", forceReasoning: true } },
      maxRetries
    } as const
    const messages: Array<ModelMessage> = [{ role: "user", content: "Search for the history of bridges" }]
    const first = await generateText({ ...options, messages })
    expect(first.warnings ?? []).toEqual([])
    expect(first.reasoningText).toBeTruthy()
    expect(first.sources.length).toBeGreaterThan(0)
    messages.push(...first.response.messages, { role: "user", content: "Thanks!" })
    const second = streamText({ ...options, messages })
    expect(await second.text).toContain("Thanks!")
    const types = sent.at(-1)?.input.map((item) => item.type ?? "message")
    expect(types?.filter((type) => type === "item_reference").length).toBeGreaterThanOrEqual(2)
  })

  it("replays the same turn inline where nothing is stored", async () => {
    const provider = openai()
    const options = {
      model: provider("sandbox-text"),
      tools: { web_search: provider.tools.webSearch({}) },
      providerOptions: { openai: { store: false, reasoningEffort: "low", forceReasoning: true } },
      maxRetries
    } as const
    const messages: Array<ModelMessage> = [{ role: "user", content: "Search for the history of bridges" }]
    const first = await streamText({ ...options, messages }).response
    messages.push(...first.messages, { role: "user", content: "Thanks!" })
    const second = await generateText({ ...options, messages })
    expect(second.text).toContain("Thanks!")
    expect(sent.at(-1)?.input.some((item) => item.type === "item_reference")).toBe(false)
  })

  it("tells failures apart, before and in the middle of a stream", async () => {
    const model = openai()("sandbox-text")
    const refused = await generateText({ model, prompt: "[[sandbox: error=429]] hi", maxRetries }).catch(
      (error: unknown) => error
    )
    expect(APICallError.isInstance(refused) && refused.statusCode).toBe(429)
    const errors: Array<unknown> = []
    const cut = streamText({
      model,
      prompt: "[[sandbox: cut=5]] Tell me a story.",
      maxRetries,
      onError: ({ error }) => void errors.push(error)
    })
    const parts: Array<string> = []
    for await (const part of cut.fullStream) parts.push(part.type)
    expect(parts).toContain("text-delta")
    expect(parts).toContain("error")
    expect(errors).toHaveLength(1)
  })
})
