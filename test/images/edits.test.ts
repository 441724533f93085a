import { createOpenAI } from "@ai-sdk/openai"
import { describe, expect, it } from "@effect/vitest"
import { generateImage } from "ai"
import { AzureOpenAI, toFile } from "openai"
import { editing, form, onePixel, path, png, secret } from "./editing.ts"

const { asked, client, rowOf, send, url } = editing()

describe("sandbox-image", () => {
  it("draws on pictures: PNGs of the size, the same for the same pictures and prompt", async () => {
    const draw = async (picture: string, prompt = "A fox") =>
      client().images.edit({ model: "sandbox-image", image: await png(picture), prompt, size: "256x256", n: 2 })
    const [one, again, other] = [await draw("a"), await draw("a"), await draw("b")]
    const [first = "", second = ""] = one.data?.map(({ b64_json }) => b64_json ?? "") ?? []
    const bytes = Buffer.from(first, "base64")
    expect(bytes.subarray(1, 4).toString()).toBe("PNG")
    expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([256, 256])
    expect(again.data).toEqual(one.data)
    expect(new Set([first, second, other.data?.[0]?.b64_json]).size).toBe(3)
    expect(one.usage?.input_tokens_details).toMatchObject({ image_tokens: 256 })
  })

  it("streams edits to OpenAI's client, and varies", async () => {
    const { images } = client()
    const stream = await images.edit({
      model: "sandbox-image",
      image: [await png("a"), await png("b")],
      prompt: "A fox",
      n: 2,
      size: "256x256",
      stream: true
    })
    const events = []
    for await (const event of stream) events.push(event)
    expect(events.map(({ type }) => type)).toEqual(["image_edit.completed", "image_edit.completed"])
    expect(events.at(-1)).toMatchObject({ usage: { input_tokens_details: { image_tokens: 512 } } })
    const varied = await images.createVariation({ model: "sandbox-image", image: await png(), n: 2, size: "256x256" })
    expect(varied.data).toHaveLength(2)
  })

  it("edits for the AI SDK", async () => {
    const provider = createOpenAI({ baseURL: `${url()}/v1`, apiKey: secret })
    const { images } = await generateImage({
      model: provider.image("sandbox-image"),
      prompt: { text: "A hat", images: [Buffer.from("picture")], mask: Buffer.from("mask") },
      size: "256x256",
      n: 2
    })
    expect(images.map(({ mediaType }) => mediaType)).toEqual(["image/png", "image/png"])
    const drawn = await generateImage({ model: provider.image("sandbox-image"), prompt: "A hat", size: "256x256" })
    expect(drawn.image.uint8Array.length).toBeGreaterThan(100)
  })
})

describe("an upstream that edits", () => {
  it("gets the form as it came, by the next route if the first fails", async () => {
    const { data, response } = await client()
      .images.edit({
        model: "by-image",
        image: [await png("one"), await png("two")],
        mask: await png("mask"),
        prompt: "untold",
        n: 2,
        size: "1024x1024",
        background: "opaque",
        input_fidelity: "high",
        svg: { model: "tomorrow" }
      })
      .withResponse()
    expect(data.data).toHaveLength(2)
    expect(asked.at(-1)).toEqual({
      path,
      type: "multipart/form-data",
      fields: {
        model: "theirs",
        "image[]": ["one.png: one", "two.png: two"],
        mask: "mask.png: mask",
        prompt: "untold",
        n: "2",
        size: "1024x1024",
        background: "opaque",
        input_fidelity: "high",
        "svg[model]": "tomorrow"
      }
    })
    expect(await rowOf(response.headers)).toEqual({ cost: 80_000_000, images: 2 })
  })

  it("gets JSON as it came", async () => {
    const images = [{ image_url: "data:image/png;base64,aaaa" }, { image_url: "https://example.com/a.png" }]
    const { headers, status } = await send({ model: "gpt-image-9", prompt: "tokens", images, n: 2 })
    expect(status).toBe(200)
    expect(asked.at(-1)).toEqual({
      path,
      type: "application/json",
      fields: { model: "theirs", prompt: "tokens", images, n: 2 }
    })
    expect(await rowOf(headers)).toEqual({ cost: 10 * 5_000 + 300 * 8_000 + 8_000 * 30_000, images: 2 })
  })

  it("gets the account's own files in the place of their ids", async () => {
    const { id } = await client().files.create({
      file: await toFile(Buffer.from(onePixel, "base64"), "a.png", { type: "image/png" }),
      purpose: "vision"
    })
    const { status } = await send({ model: "gpt-image-9", prompt: "tokens", images: [{ file_id: id }] })
    expect([status, asked.at(-1)?.fields["images"]]).toEqual([
      200,
      [{ image_url: `data:image/png;base64,${onePixel}` }]
    ])
  })

  it("is asked for a whole answer by a stream", async () => {
    const { headers, text } = await send(
      form({ model: "gpt-image-9", prompt: "tokens", n: "2", stream: "true", partial_images: "1" })
    )
    expect(asked.at(-1)?.fields).toEqual({ model: "theirs", image: "a.png: picture", prompt: "tokens", n: "2" })
    expect(text.match(/^event: .*$/gm)).toEqual(["event: image_edit.completed", "event: image_edit.completed"])
    expect(headers.get("x-gateway-adapted")).toBe("partial_images")
    expect(await rowOf(headers)).toEqual({ cost: 10 * 5_000 + 300 * 8_000 + 8_000 * 30_000, images: 2 })
  })

  it("is paid by the quality and size", async () => {
    const { headers } = await send(form({ model: "by-kind", quality: "low", size: "64x64" }))
    expect((await rowOf(headers)).cost).toBe(11_000_000)
  })

  it("refuses in its own words", async () => {
    const refused = await send(form({ model: "gpt-image-9", prompt: "forbidden" }))
    expect([refused.status, refused.body.error.message]).toEqual([400, expect.stringContaining("No.")])
  })

  it("varies", async () => {
    const { data } = await client().images.createVariation({ model: "by-image", image: await png(), n: 2 })
    expect([data?.length, asked.at(-1)]).toEqual([
      2,
      {
        path: "/v1/images/variations",
        type: "multipart/form-data",
        fields: { model: "theirs", image: "picture.png: picture", n: "2" }
      }
    ])
  })

  it("varies by dall-e-2 where no model is named, as LiteLLM asks", async () => {
    const made = new FormData()
    made.append("image", new File(["picture"], "a.png", { type: "image/png" }))
    const { headers, status } = await send(made, { to: "/v1/images/variations" })
    expect([status, asked.at(-1)?.fields]).toEqual([200, { model: "theirs", image: "a.png: picture" }])
    expect(await rowOf(headers)).toEqual({ cost: 20_000_000, images: 1 })
  })

  it("is Azure's, for its client too", async () => {
    const azure = new AzureOpenAI({ endpoint: url(), apiKey: secret, apiVersion: "2025-04-01-preview" })
    expect((await azure.images.edit({ model: "azure-image", image: await png(), prompt: "A" })).data).toHaveLength(1)
    expect(asked.at(-1)?.path).toBe("/openai/deployments/theirs/images/edits")
  })

  it("is asked once for an Idempotency-Key", async () => {
    const before = asked.length
    const headers = { "idempotency-key": "edit-1" }
    const say = async () => (await send(form({ model: "gpt-image-9", prompt: "tokens" }), { headers })).text
    expect(await say()).toBe(await say())
    expect(asked.length).toBe(before + 1)
  })
})
