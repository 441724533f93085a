import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createOpenAI } from "@ai-sdk/openai"
import { afterAll, beforeAll, describe, expect, it, vi } from "@effect/vitest"
import {
  embed,
  experimental_generateSpeech,
  experimental_transcribe,
  generateImage,
  generateText,
  uploadFile
} from "ai"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"

const secret = "mine-key-0123456789-0123456789-0123"

/** The models' names that Open WebUI has by default. */
const defaults = { "tts-1": "sandbox-speech", "whisper-1": "sandbox-transcribe", "dall-e-2": "sandbox-image" }

let gateway: GatewayHere
beforeAll(async () => {
  vi.stubGlobal("AI_SDK_LOG_WARNINGS", false)
  const folder = mkdtempSync(join(tmpdir(), "gateway-clients-"))
  const sandbox = [...Object.values(defaults), "sandbox-text", "sandbox-embed"].map((name) => [name, "sandbox"])
  const aliases = Object.entries(defaults).map(([name, alias]) => [name, { alias }])
  writeFileSync(
    join(folder, "gateway.yaml"),
    JSON.stringify({
      models: Object.fromEntries([...sandbox, ...aliases]),
      keys: [{ name: "mine", account: "mine", secret }]
    })
  )
  gateway = await startGateway({ folder })
})
afterAll(async () => {
  await gateway.dispose()
  vi.unstubAllGlobals()
})

describe("the AI SDK", () => {
  const openai = () => createOpenAI({ baseURL: `${gateway.url}/v1`, apiKey: secret })

  it("draws, and draws on what was drawn", async () => {
    const model = openai().image("sandbox-image")
    const { images, usage } = await generateImage({ model, prompt: "A fox", n: 2, size: "256x256" })
    expect([images.map(({ mediaType }) => mediaType), usage.outputTokens]).toEqual([
      ["image/png", "image/png"],
      expect.any(Number)
    ])
    const first = images[0]?.uint8Array ?? new Uint8Array()
    expect((await generateImage({ model, prompt: { text: "A red fox", images: [first] } })).images).toHaveLength(1)
  })

  it("speaks, and writes down what was spoken", async () => {
    const { audio } = await experimental_generateSpeech({
      model: openai().speech("sandbox-speech"),
      text: "Hello there"
    })
    expect(audio.mediaType).toBe("audio/wav")
    const model = openai().transcription("sandbox-transcribe")
    const heard = await experimental_transcribe({ model, audio: audio.uint8Array })
    expect([heard.text, heard.durationInSeconds]).toEqual([expect.stringContaining("bytes"), 1])
  })

  it("embeds, completes a text, and has a completion stored", async () => {
    const provider = openai()
    const { embedding } = await embed({ model: provider.embedding("sandbox-embed"), value: "A fox" })
    expect(embedding.length).toBeGreaterThan(0)
    expect((await generateText({ model: provider.completion("sandbox-text"), prompt: "Hi" })).text).toContain("Hi")
    const { response } = await generateText({
      model: provider.chat("sandbox-text"),
      prompt: "Hi",
      providerOptions: { openai: { store: true, metadata: { a: "b" } } }
    })
    const stored = await fetch(`${gateway.url}/v1/chat/completions/${response.id}`, {
      headers: { authorization: `Bearer ${secret}` }
    })
    expect(await stored.json()).toMatchObject({ id: response.id, metadata: { a: "b" } })
  })

  it("keeps a file, and asks about it", async () => {
    const provider = openai()
    const data = new TextEncoder().encode("Hello, file")
    const { mediaType, providerReference } = await uploadFile({
      api: provider.files(),
      data,
      mediaType: "text/plain",
      filename: "a.txt"
    })
    expect(mediaType).toBe("text/plain")
    const { text } = await generateText({
      model: provider.responses("sandbox-text"),
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "What?" },
            { type: "file", data: providerReference, mediaType: "application/pdf" }
          ]
        }
      ]
    })
    expect(text).toContain("Hello, file")
  })
})

/* The requests of its `routers/images.py` and `routers/audio.py` with the settings that it has by default. */
describe("Open WebUI", () => {
  const post = async (path: string, body: FormData | object) => {
    const isForm = body instanceof FormData
    const response = await fetch(`${gateway.url}/v1${path}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${secret}`,
        "X-OpenWebUI-User-Name": "Ann%20Lee",
        "X-OpenWebUI-User-Email": "ann@example.com",
        ...(!isForm && { "content-type": "application/json" })
      },
      body: isForm ? body : JSON.stringify(body)
    })
    expect([response.status, path]).toEqual([200, path])
    return response
  }
  const formOf = (fields: Readonly<Record<string, string>>, ...files: ReadonlyArray<readonly [string, File]>) => {
    const form = new FormData()
    for (const [name, value] of Object.entries(fields)) form.append(name, value)
    for (const [name, file] of files) form.append(name, file)
    return form
  }

  it("draws and edits", async () => {
    const asked = { model: "dall-e-2", prompt: "A fox", n: 1, size: "512x512", response_format: "b64_json" }
    const { data } = await (await post("/images/generations", asked)).json()
    const picture = new File([Buffer.from(data[0].b64_json, "base64")], "0f0f.png", { type: "image/png" })
    const fields = { model: "dall-e-2", prompt: "Make it red", n: "1", response_format: "b64_json" }
    for (const files of [
      [["image", picture]],
      [
        ["image[]", picture],
        ["image[]", picture]
      ]
    ] as const) {
      const edited = await (await post("/images/edits", formOf(fields, ...files))).json()
      expect(edited.data[0].b64_json.length).toBeGreaterThan(100)
    }
  })

  it("speaks and listens", async () => {
    const spoken = await (
      await post("/audio/speech", { input: "Hello.", voice: "alloy", model: "tts-1" })
    ).arrayBuffer()
    // Without a type, and with the name of what its browser recorded.
    for (const [fields, name] of [
      [{ model: "whisper-1" }, "a.wav"],
      [{ model: "whisper-1", language: "en" }, "a.webm"]
    ] as const) {
      const heard = await post("/audio/transcriptions", formOf(fields, ["file", new File([spoken], name)]))
      expect(await heard.json()).toMatchObject({ text: expect.stringContaining("bytes") })
    }
  })

  it("falls back to its own lists of models and voices", async () => {
    for (const path of ["/audio/models", "/audio/voices"]) {
      const headers = { authorization: `Bearer ${secret}` }
      expect((await fetch(`${gateway.url}/v1${path}`, { headers })).status).toBe(404)
    }
  })
})
