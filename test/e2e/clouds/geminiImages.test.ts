import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createOpenAI } from "@ai-sdk/openai"
import { generateText } from "ai"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { startGateway } from "../../gatewayHere.ts"
import type { GatewayHere } from "../../gatewayHere.ts"
import { pixel } from "../../upstreams/conversations.ts"
import { clientsOf } from "../upstreams/world.ts"

/** An image that Gemini makes, through each family and back. */

const image = { inlineData: { mimeType: "image/png", data: pixel } }
const parts = [
  { text: "Here:", thoughtSignature: "c2lnbmVkIHRleHQ=" },
  { ...image, thoughtSignature: "c2lnbmVkIGltYWdl" }
]
const around = {
  usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 1_290, totalTokenCount: 1_295 },
  responseId: "r1"
}
const asked: Array<{ readonly contents: ReadonlyArray<{ readonly role: string; readonly parts: unknown }> }> = []
const provider = Bun.serve({
  port: 0,
  fetch: async (request) => {
    asked.push(JSON.parse(await request.text()))
    const answer = (parts: unknown, finishReason?: string) => ({
      candidates: [{ content: { role: "model", parts }, finishReason, index: 0 }],
      ...around
    })
    if (!request.url.includes("streamGenerateContent")) return Response.json(answer(parts, "STOP"))
    const frames = [...parts.map((part) => answer([part])), answer([], "STOP")]
    return new Response(frames.map((frame) => `data: ${JSON.stringify(frame)}\r\n\r\n`).join(""), {
      headers: { "content-type": "text/event-stream" }
    })
  }
})

let gateway: GatewayHere
let clients: ReturnType<typeof clientsOf>
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-gemini-images-"))
  const base_url = `http://127.0.0.1:${provider.port}/v1beta`
  const config = {
    upstreams: { gemini: { protocol: "gemini", base_url, api_key: "google-key-0123456789" } },
    models: { painter: { routes: [{ upstream: "gemini", model: "gemini-3-pro-image-preview" }] } }
  }
  writeFileSync(join(folder, "gateway.yaml"), JSON.stringify(config))
  gateway = await startGateway({ folder })
  clients = clientsOf(gateway)
})
afterAll(async () => {
  await gateway.dispose()
  await provider.stop(true)
})

const model = "painter"
/** The model's turn as the provider got it back. */
const returned = () => asked.at(-1)?.contents[1]

describe("responses", () => {
  const made = { type: "image_generation_call", status: "completed", result: pixel, output_format: "png" }

  it("have an image_generation_call, whole and streamed, stored, and sent back by its response", async () => {
    const { openai } = clients
    const whole = await openai.responses.create({ model, input: "Draw" })
    expect(whole.output).toMatchObject([{ type: "message" }, made])
    const events: Array<string> = []
    const stream = openai.responses.stream({ model, input: "Draw" })
    stream.on("event", ({ type }) => void events.push(type))
    const streamed = await stream.finalResponse()
    expect(streamed.output).toMatchObject([{ type: "message" }, made])
    expect(events).toEqual(
      expect.arrayContaining([
        "response.image_generation_call.in_progress",
        "response.image_generation_call.generating",
        "response.image_generation_call.completed"
      ])
    )
    expect((await openai.responses.retrieve(whole.id)).output).toEqual(whole.output)
    await openai.responses.create({ model, input: "Bluer", previous_response_id: streamed.id })
    expect(returned()).toEqual({ role: "model", parts })
  })

  it("take it back as an item, and count it as no tool of the provider's", async () => {
    const { openai } = clients
    const { output } = await openai.responses.create({ model, input: "Draw", store: false })
    // Its output items are input items, though the types say so of none.
    const made: ReadonlyArray<never> = output as never
    const again = await openai.responses
      .create({ model, input: [{ role: "user", content: "Draw" }, ...made, { role: "user", content: "Bluer" }] })
      .withResponse()
    expect(again.response.headers.get("x-gateway-adapted")).toBeNull()
    expect(returned()).toEqual({ role: "model", parts })
  })

  it("are read by the AI SDK", async () => {
    const provider = createOpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key })
    const { content, text } = await generateText({ model: provider(model), prompt: "Draw", maxRetries: 0 })
    expect(text).toBe("Here:")
    expect(JSON.stringify(content)).toContain(pixel)
  })
})

describe("chat completions", () => {
  const images = [{ type: "image_url", index: 0, image_url: { url: `data:image/png;base64,${pixel}` } }]

  it("have `images` in the message and in a delta, and take them back", async () => {
    const { openai } = clients
    const messages = [{ role: "user" as const, content: "Draw" }]
    const whole = await openai.chat.completions.create({ model, messages })
    expect(whole.choices[0]?.message).toMatchObject({ content: "Here:", images })
    const stream = openai.chat.completions.stream({ model, messages })
    const deltas: Array<unknown> = []
    for await (const { choices } of stream) deltas.push(choices[0]?.delta)
    expect(deltas).toContainEqual({ images })
    const message = whole.choices[0]?.message
    if (message === undefined) throw new Error("there is no message")
    await openai.chat.completions.create({
      model,
      messages: [...messages, message, { role: "user", content: "Bluer" }]
    })
    expect(returned()).toEqual({ role: "model", parts })
  })

  it("refuse an image of an earlier answer that is none", async () => {
    const image = { type: "image_url", image_url: { url: "file:///etc/passwd" } }
    const messages = [
      { role: "user" as const, content: "Draw" },
      { role: "assistant" as const, content: "Here:", images: [image] },
      { role: "user" as const, content: "Bluer" }
    ]
    await expect(clients.openai.chat.completions.create({ model, messages })).rejects.toMatchObject({
      status: 400,
      param: "messages[1].images[0].image_url.url"
    })
  })
})

it("messages say in words that an image was made", async () => {
  const { anthropic } = clients
  const params = { model, max_tokens: 2_000, messages: [{ role: "user" as const, content: "Draw" }] }
  const whole = await anthropic.messages.create(params)
  const streamed = await anthropic.messages.stream(params).finalMessage()
  for (const { content } of [whole, streamed]) {
    expect(content).toMatchObject([
      { type: "text", text: "Here:" },
      { type: "text", text: expect.stringContaining("image/png") }
    ])
  }
})
