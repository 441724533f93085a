import { describe, expect, it } from "@effect/vitest"
import { editing, form, narrow, path, poor, secret } from "./editing.ts"

const { asked, send, url } = editing()

describe("admission", () => {
  it("holds every image, and refuses what the balance can't pay", async () => {
    const before = asked.length
    const broke = await send(form({ model: "by-image", n: "2" }), { key: poor })
    expect([broke.status, broke.body.error.code, asked.length]).toEqual([402, "insufficient_quota", before])
  })

  it("refuses a key without the model", async () => {
    expect((await send(form({ model: "by-kind" }), { key: narrow })).status).toBe(403)
  })

  it("quotes the pictures that it reads", async () => {
    const images = Array.from({ length: 2 }, () => ({ image_url: "https://example.com/a.png" }))
    const quote = { endpoint: path, body: { model: "gpt-image-9", prompt: "A", images } }
    const { body } = await send(quote, { to: "/v1/quote" })
    const { input_tokens } = body.maximum
    expect(input_tokens).toBeGreaterThanOrEqual(2 * 8_192)
    expect(body.maximum.cost.nano_usd).toBe(input_tokens * 8_000 + 16_384 * 30_000)
  })

  it.each<[Parameters<typeof form>[0], number, string | null]>([
    [{ image: "" }, 400, "image"],
    [{ image: new File([], "a.png") }, 400, "image"],
    [{ image: [], "image[]": Array.from({ length: 17 }, () => new File(["a"], "a.png")) }, 400, "image"],
    [{ image: new File([new Uint8Array(51 * 1024 * 1024)], "a.png") }, 413, null],
    [{ mask: new File([], "a.png") }, 400, "mask"],
    [{ prompt: "" }, 400, "prompt"],
    [{ prompt: "a".repeat(32_001) }, 400, "prompt"],
    [{ n: "11" }, 400, "n"],
    [{ n: "two" }, 400, "n"],
    [{ stream: "yes" }, 400, "stream"],
    [{ partial_images: "4" }, 400, "partial_images"],
    [{ model: "image-nowhere" }, 400, "model"],
    [{ model: "sandbox-text" }, 400, "model"]
  ])("names the field that is wrong: %#", async (wrong, status, param) => {
    const refused = await send(form({ model: "by-image", ...wrong }))
    expect([refused.status, refused.body.error.param]).toEqual([status, param])
  })

  it.each([
    [{}, "image"],
    [{ images: [] }, "image"],
    [{ images: [{}] }, "images[0].image_url"],
    [{ images: [{ file_id: "file-1" }] }, "images[0].file_id"],
    [{ image: { image_url: "" } }, "image.image_url"],
    [{ images: [{ image_url: "https://example.com/a.png", file_id: "file-1" }] }, "images[0].file_id"]
  ])("names the field that is wrong in JSON: %#", async (wrong, param) => {
    const refused = await send({ model: "by-image", prompt: "A", ...wrong })
    expect([refused.status, refused.body.error.param]).toEqual([400, param])
  })

  it.each([
    ["ends too early", '--x\r\ncontent-disposition: form-data; name="model"\r\n\r\nby-image'],
    ["another boundary", '--y\r\ncontent-disposition: form-data; name="model"\r\n\r\nby-image\r\n--y--\r\n'],
    ["many fields", `${'--x\r\ncontent-disposition: form-data; name="a"\r\n\r\n1\r\n'.repeat(100_000)}--x--\r\n`]
  ])("refuses a form: %s", async (_, body) => {
    const headers = { authorization: `Bearer ${secret}`, "content-type": "multipart/form-data; boundary=x" }
    expect((await fetch(url() + path, { method: "POST", headers, body })).status).toBe(400)
  })

  it("sends only the last segment of a file's name on", async () => {
    const named = new File(["picture"], '../../etc/pass"wd.png', { type: "image/png" })
    await send(form({ model: "gpt-image-9", image: named }))
    expect(asked.at(-1)?.fields["image"]).toMatch(/^pass.*wd\.png: picture$/)
  })
})
