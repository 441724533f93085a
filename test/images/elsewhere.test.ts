import { GoogleGenAI } from "@google/genai"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Database } from "bun:sqlite"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import OpenAI, { toFile } from "openai"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { drawnImage, fakeGoogleImages, fakeXaiImages } from "../upstreams/fakes/drawing.ts"

// oxlint-disable-next-line typescript/no-explicit-any -- a test reads whatever was sent
const asked: Array<{ readonly path: string; readonly body: any }> = []
const google = fakeGoogleImages(asked)
const xai = fakeXaiImages(asked)
const atGoogle = `http://127.0.0.1:${google.port}`

const secret = "elsewhere-secret-0123456789-0123456789"
let gateway: GatewayHere
let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "gateway-drawing-"))
  const model = (upstream: string, id: string, price: object) => ({
    kind: "image",
    routes: [{ upstream, model: id }],
    price
  })
  const tokens = { input: 0.3, output: 2.5, image: { input: 0.5, output: 30 } }
  writeFileSync(
    join(folder, "gateway.yaml"),
    JSON.stringify({
      upstreams: {
        google: { protocol: "gemini", base_url: `${atGoogle}/v1beta`, api_key: "k" },
        vertex: {
          protocol: "gemini",
          base_url: `${atGoogle}/v1/projects/p/locations/global/publishers/google`,
          api_key: "k"
        },
        xai: { protocol: "openai-chat", provider: "xai", base_url: `http://127.0.0.1:${xai.port}/v1`, api_key: "k" }
      },
      models: {
        banana: model("google", "gemini-2.5-flash-image", tokens),
        "banana-pro": model("google", "gemini-3-pro-image", tokens),
        "vertex-banana": model("vertex", "gemini-2.5-flash-image", tokens),
        imagen: model("google", "imagen-4.0-generate-001", { per_image: 0.04 }),
        "vertex-imagen": model("vertex", "imagen-4.0-generate-001", { per_image: 0.04 }),
        grok: model("xai", "grok-imagine-image", { per_image: 0.03 })
      },
      keys: [{ name: "rich", secret, balance_usd: 100 }]
    })
  )
  gateway = await startGateway({ folder })
})
afterAll(async () => {
  await gateway.dispose()
  await google.stop(true)
  await xai.stop(true)
})

const client = () => new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: secret, maxRetries: 0 })
const png = (text = "picture") => toFile(Buffer.from(text), `${text}.png`, { type: "image/png" })
const generate = async (body: object, headers: Readonly<Record<string, string>> = {}) => {
  const response = await fetch(`${gateway.url}/v1/images/generations`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json", ...headers },
    body: JSON.stringify({ prompt: "A fox", ...body })
  })
  return { status: response.status, headers: response.headers, body: await response.json() }
}
const rowOf = async (headers: Headers) => {
  const database = new Database(join(folder, "data/gateway.db"), { readonly: true })
  for (;;) {
    const row = database
      .query<{ cost: number; images: number }, [string]>(
        "SELECT cost_nano_usd AS cost, images FROM usage WHERE request_id = ?"
      )
      .get(headers.get("x-request-id") ?? "")
    if (row !== null) return row
    await Bun.sleep(10)
  }
}

/** 42 tokens of text and 258 of a picture are read, 1,290 of the image, 10 beside it and 100 of thoughts written. */
const cost = 42 * 300 + 258 * 500 + 1_290 * 30_000 + 110 * 2_500

describe("Gemini's models that draw", () => {
  it("are asked by generateContent, and paid for their tokens by kind", async () => {
    const { body, headers, status } = await generate({ model: "banana", size: "1024x1024", n: 1 })
    expect([status, headers.get("x-gateway-adapted")]).toEqual([200, null])
    expect(asked.at(-1)).toEqual({
      path: "/v1beta/models/gemini-2.5-flash-image:generateContent",
      body: {
        contents: [{ role: "user", parts: [{ text: "A fox" }] }],
        generationConfig: { responseModalities: ["TEXT", "IMAGE"], imageConfig: { aspectRatio: "1:1" } }
      }
    })
    expect(body).toMatchObject({ created: expect.any(Number), data: [{ b64_json: drawnImage }], output_format: "png" })
    expect(await rowOf(headers)).toEqual({ cost, images: 1 })
  })

  it.each([
    ["banana", "1536x1024", { aspectRatio: "3:2" }],
    ["banana", "4096x4096", { aspectRatio: "1:1" }],
    ["banana-pro", "1024x1792", { aspectRatio: "9:16" }],
    ["banana-pro", "3840x2160", { aspectRatio: "16:9", imageSize: "2K" }],
    ["vertex-banana", "1200x500", { aspectRatio: "21:9" }]
  ])("get the nearest ratio and resolution, and the answer says so: %s, %s", async (model, size, imageConfig) => {
    const { headers, status } = await generate({ model, size, quality: "high", output_format: "webp" })
    expect([status, asked.at(-1)?.body.generationConfig.imageConfig]).toEqual([200, imageConfig])
    expect(headers.get("x-gateway-adapted")?.split(/, ?/).sort()).toEqual(["output_format", "quality", "size"])
  })

  it("are asked for no size where the request leaves it open, or its exact one", async () => {
    for (const [size, resolution] of [["auto"], [undefined], ["2048x2048", "2K"]]) {
      const { headers } = await generate({ model: "banana-pro", size })
      expect(asked.at(-1)?.body.generationConfig.imageConfig?.imageSize).toBe(resolution)
      expect(headers.get("x-gateway-adapted")).toBeNull()
    }
  })

  it("edit pictures of a form, and stream", async () => {
    const stream = await client().images.edit({
      model: "banana",
      image: [await png(), await toFile(Buffer.from([0xff, 0xd8, 0xff, 0xe0, 1, 2]), "a.bin")],
      prompt: "A hat",
      stream: true
    })
    const events = []
    for await (const event of stream) events.push(event)
    expect(events).toMatchObject([{ type: "image_edit.completed", b64_json: drawnImage }])
    expect(asked.at(-1)?.body.contents).toEqual([
      {
        role: "user",
        parts: [
          { inlineData: { mimeType: "image/png", data: Buffer.from("picture").toString("base64") } },
          { inlineData: { mimeType: "image/jpeg", data: "/9j/4AEC" } },
          { text: "A hat" }
        ]
      }
    ])
  })

  it.each([
    [{ n: 2 }, "n"],
    [{ size: "large" }, "size"]
  ])("refuse %j", async (wrong, param) => {
    const { body, status } = await generate({ model: "banana", ...wrong })
    expect([status, body.error.param]).toEqual([400, param])
  })

  it("refuse masks, GIFs, and more bytes than a request may have", async () => {
    const edit = async (fields: object) =>
      client()
        .images.edit({ model: "banana", image: await png(), prompt: "A", ...fields })
        .then(
          () => undefined,
          (error: { status: number; param: string }) => [error.status, error.param]
        )
    expect(await edit({ mask: await png() })).toEqual([400, "mask"])
    expect(await edit({ image: await toFile(Buffer.from("GIF89a"), "a.gif", { type: "image/gif" }) })).toEqual([
      400,
      "image"
    ])
    expect(await edit({ image: await toFile(Buffer.alloc(25 * 1024 * 1024), "a.png") })).toEqual([400, "image"])
  })

  it.each(["blocked", "unsafe"])("say that a filter refused: %s", async (prompt) => {
    const { body, status } = await generate({ model: "banana", prompt })
    expect([status, body.error.message]).toEqual([400, expect.stringMatching(/PROHIBITED_CONTENT|IMAGE_SAFETY/)])
  })

  it("fail with words in place of an image", async () => {
    expect((await generate({ model: "banana-pro", prompt: "words" })).status).toBe(500)
  })

  it("refuse a loss where the caller wants none", async () => {
    const strict = await generate({ model: "banana", size: "1536x1024" }, { "x-gateway-strict": "true" })
    expect([strict.status, strict.body.error.param]).toEqual([400, "size"])
  })
})

describe("Imagen", () => {
  it.each([
    ["imagen", "/v1beta"],
    ["vertex-imagen", "/v1/projects/p/locations/global/publishers/google"]
  ])("is asked by predict, and paid by the image: %s", async (model, base) => {
    const { body, headers } = await generate({ model, n: 3, size: "2048x2048", output_format: "jpeg" })
    expect(asked.at(-1)).toEqual({
      path: `${base}/models/imagen-4.0-generate-001:predict`,
      body: {
        instances: [{ prompt: "A fox" }],
        parameters: {
          sampleCount: 3,
          aspectRatio: "1:1",
          sampleImageSize: "2K",
          outputOptions: { mimeType: "image/jpeg" },
          includeRaiReason: true
        }
      }
    })
    expect(body.data).toEqual(
      Array.from({ length: 3 }, () => ({ b64_json: drawnImage, revised_prompt: "A fox, in oil" }))
    )
    expect(headers.get("x-gateway-adapted")).toBeNull()
    expect(await rowOf(headers)).toEqual({ cost: 120_000_000, images: 3 })
  })

  it("is paid for the images that its filter left, and refuses if there are none", async () => {
    const { body, headers } = await generate({ model: "imagen", prompt: "partly", n: 3 })
    expect([body.data.length, await rowOf(headers)]).toEqual([2, { cost: 80_000_000, images: 2 }])
    const refused = await generate({ model: "imagen", prompt: "unsafe" })
    expect([refused.status, refused.body.error.message]).toEqual([400, expect.stringContaining("39322237")])
  })

  it("makes four images a request, and edits none", async () => {
    const { body } = await generate({ model: "imagen", n: 5 })
    expect(body.error.param).toBe("n")
    await expect(client().images.edit({ model: "imagen", image: await png(), prompt: "A" })).rejects.toMatchObject({
      status: 400,
      param: "model"
    })
  })
})

describe("xAI", () => {
  it("gets a ratio in place of a size, and is paid what it tells", async () => {
    const { body, headers } = await generate({ model: "grok", n: 2, size: "1792x1024", background: "opaque" })
    expect(asked.at(-1)?.body).toEqual({
      model: "grok-imagine-image",
      prompt: "A fox",
      n: 2,
      aspect_ratio: "16:9"
    })
    expect(headers.get("x-gateway-adapted")?.split(/, ?/).sort()).toEqual(["background", "size"])
    expect(body.data[0].url).toBe("https://imgen.x.ai/a.jpg")
    expect(await rowOf(headers)).toMatchObject({ images: 2 })
  })

  it("gets its own fields as they are", async () => {
    await generate({ model: "grok", aspect_ratio: "19.5:9", resolution: "2k", size: "1024x1024" })
    expect(asked.at(-1)?.body).toMatchObject({ aspect_ratio: "19.5:9", resolution: "2k" })
  })

  it("edits by JSON", async () => {
    const { images } = client()
    const url = `data:image/png;base64,${Buffer.from("picture").toString("base64")}`
    await images.edit({ model: "grok", image: await png(), prompt: "A hat", n: 1 })
    expect(asked.at(-1)).toEqual({
      path: "/v1/images/edits",
      body: { model: "grok-imagine-image", prompt: "A hat", n: 1, image: { url, type: "image_url" } }
    })
    await images.edit({ model: "grok", image: [await png(), await png()], prompt: "A hat" })
    expect(asked.at(-1)?.body.images).toEqual([
      { url, type: "image_url" },
      { url, type: "image_url" }
    ])
    const variation = images.createVariation({ model: "grok", image: await png() })
    await expect(variation).rejects.toMatchObject({ status: 400, param: "model" })
  })
})

describe("the doubles of Google", () => {
  it("take what Google's own SDK sends, and it reads their answers", async () => {
    const atApi = new GoogleGenAI({ apiKey: "k", httpOptions: { baseUrl: atGoogle, apiVersion: "v1beta" } })
    const answer = await atApi.models.generateContent({
      model: "gemini-3-pro-image",
      contents: "A fox",
      config: { responseModalities: ["TEXT", "IMAGE"], imageConfig: { aspectRatio: "21:9", imageSize: "4K" } }
    })
    expect(answer.candidates?.[0]?.content?.parts?.at(-1)?.inlineData?.data).toBe(drawnImage)
    const vertex = new GoogleGenAI({
      vertexai: true,
      project: "p",
      location: "global",
      // The SDK asks for nothing but the headers of a call.
      googleAuthOptions: { authClient: { getRequestHeaders: async () => new Headers() } as never },
      httpOptions: { baseUrl: atGoogle }
    })
    const drawn = await vertex.models.generateImages({
      model: "imagen-4.0-generate-001",
      prompt: "A fox",
      config: { numberOfImages: 2, aspectRatio: "16:9", imageSize: "2K", outputMimeType: "image/jpeg" }
    })
    expect(drawn.generatedImages?.map(({ image }) => image?.imageBytes)).toEqual([drawnImage, drawnImage])
    await expect(
      vertex.models.generateImages({ model: "imagen-4.0-generate-001", prompt: "A", config: { numberOfImages: 9 } })
    ).rejects.toThrow("sampleCount")
  })
})
