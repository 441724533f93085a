import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { Database } from "bun:sqlite"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { fakeUpstream } from "../upstreams/fakes/fakeUpstream.ts"

// oxlint-disable-next-line typescript/no-explicit-any -- a test reads whatever was answered
type Json = any

const secretOf = (name: string) => `${name}-key-0123456789abcdefghijklmn`
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64"
)
const pdf = Buffer.from("%PDF-1.4 short")
const pngUrl = `data:image/png;base64,${png.toString("base64")}`
const pdfUrl = `data:application/pdf;base64,${pdf.toString("base64")}`

describe("requests that name files", () => {
  let gateway: GatewayHere
  const fakes = {
    chat: fakeUpstream("openai-chat", { strict: false }),
    responses: fakeUpstream("openai-responses", { strict: false }),
    messages: fakeUpstream("anthropic-messages", { strict: false })
  }
  const ids = { image: "", pdf: "", text: "", large: "" }

  const upload = async (content: Buffer, name: string) => {
    const body = new FormData()
    body.set("purpose", "user_data")
    body.set("file", new Blob([new Uint8Array(content)]), name)
    const headers = { authorization: `Bearer ${secretOf("one")}` }
    const made: Json = await (await fetch(`${gateway.url}/v1/files`, { method: "POST", headers, body })).json()
    return made.id
  }
  const send = async (path: string, body: object, key = "one") => {
    const headers = { authorization: `Bearer ${secretOf(key)}`, "content-type": "application/json" }
    const answer = await fetch(gateway.url + path, { method: "POST", headers, body: JSON.stringify(body) })
    const read: Json = await answer.json()
    return { status: answer.status, body: read }
  }
  const sent = (name: keyof typeof fakes): Json => fakes[name].asked.at(-1)?.body
  const response = (model: string, part: object) => ({ model, input: [{ role: "user", content: [part] }] })
  const message = (model: string, part: object) => ({
    model,
    max_tokens: 100,
    messages: [{ role: "user", content: [part] }]
  })
  const fromFile = (file_id: string) => ({ type: "file", file_id })

  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), "gateway-inline-"))
    const upstreams = {
      chat: { protocol: "openai-chat", base_url: `${fakes.chat.url}/v1` },
      responses: { protocol: "openai-responses", base_url: `${fakes.responses.url}/v1` },
      messages: { protocol: "anthropic-messages", base_url: fakes.messages.url }
    }
    const routes = (upstream: string) => ({ routes: [{ upstream, model: upstream }], price: { input: 1, output: 1 } })
    const models = { chat: routes("chat"), responses: routes("responses"), messages: routes("messages") }
    const keys = ["one", "two"].map((name) => ({ name, secret: secretOf(name), account: name }))
    writeFileSync(join(folder, "gateway.yaml"), JSON.stringify({ upstreams, models, keys }))
    gateway = await startGateway({ folder, env: { GATEWAY_ALLOW_ADDRESSES: "127.0.0.0/8" } })
    ids.image = await upload(png, "dot.jpg")
    ids.pdf = await upload(pdf, "paper.pdf")
    ids.text = await upload(Buffer.from("The word is quokka. ".repeat(50)), "notes.txt")
    ids.large = await upload(Buffer.concat([Buffer.from("%PDF-1.4"), Buffer.alloc(20 * 1_048_576)]), "large.pdf")
  })
  afterAll(async () => {
    await gateway.dispose()
    await Promise.all(Object.values(fakes).map((fake) => fake.stop()))
  })

  it("a response's image and file reach an upstream of its own dialect as bytes", async () => {
    const image = { type: "input_image", file_id: ids.image, detail: "low" }
    expect((await send("/v1/responses", response("responses", image))).status).toBe(200)
    expect(sent("responses").input[0].content).toEqual([{ type: "input_image", detail: "low", image_url: pngUrl }])
    const file = { type: "input_file", file_id: ids.pdf }
    expect((await send("/v1/responses", response("responses", file))).status).toBe(200)
    expect(sent("responses").input[0].content).toEqual([
      { type: "input_file", filename: "paper.pdf", file_data: pdfUrl }
    ])
  })

  it("a response's image reaches a chat upstream, streamed too, and is kept for what continues it", async () => {
    const image = { type: "input_image", file_id: ids.image }
    const first = await send("/v1/responses", response("chat", image))
    expect(first.status).toBe(200)
    expect(JSON.stringify(sent("chat").messages)).toContain(pngUrl)
    const next = { model: "chat", input: "And?", previous_response_id: first.body.id, stream: false }
    expect((await send("/v1/responses", next)).status).toBe(200)
    expect(JSON.stringify(sent("chat").messages)).toContain(pngUrl)
  })

  it("a message's image, PDF and text reach each upstream", async () => {
    const image = { type: "image", source: fromFile(ids.image) }
    expect((await send("/v1/messages", message("messages", image))).status).toBe(200)
    expect(sent("messages").messages[0].content).toEqual([
      { type: "image", source: { type: "base64", media_type: "image/png", data: png.toString("base64") } }
    ])
    expect((await send("/v1/messages", message("chat", image))).status).toBe(200)
    expect(JSON.stringify(sent("chat").messages)).toContain(pngUrl)
    const paper = { type: "document", source: fromFile(ids.pdf), title: "Mine" }
    expect((await send("/v1/messages", message("messages", paper))).status).toBe(200)
    expect(sent("messages").messages[0].content).toEqual([
      {
        type: "document",
        title: "Mine",
        source: { type: "base64", media_type: "application/pdf", data: pdf.toString("base64") }
      }
    ])
    const text = { type: "document", source: fromFile(ids.text) }
    expect((await send("/v1/messages", message("chat", text))).status).toBe(200)
    expect(JSON.stringify(sent("chat").messages)).toContain("quokka")
  })

  it("a chat's file reaches an upstream of its dialect", async () => {
    const part = { type: "file", file: { file_id: ids.pdf } }
    const body = { model: "chat", messages: [{ role: "user", content: [part] }] }
    expect((await send("/v1/chat/completions", body)).status).toBe(200)
    expect(sent("chat").messages[0].content).toEqual([
      { type: "file", file: { filename: "paper.pdf", file_data: pdfUrl } }
    ])
  })

  it("counts and holds what the file holds", async () => {
    const text = { type: "document", source: fromFile(ids.text) }
    const tokens = async (part: object) =>
      (await send("/v1/messages/count_tokens", { model: "chat", messages: message("chat", part).messages })).body
        .input_tokens
    expect(await tokens(text)).toBeGreaterThan(200)
    const quoted = (await send("/v1/quote", message("chat", text))).body
    const other = (await send("/v1/quote", message("chat", { type: "text", text: "Hi" }))).body
    expect(quoted.maximum.cost.nano_usd).toBeGreaterThan(other.maximum.cost.nano_usd + 200_000)
  })

  it("refuses another type than the part's, and more than a request may hold", async () => {
    const image = await send("/v1/responses", response("responses", { type: "input_image", file_id: ids.pdf }))
    expect(image).toMatchObject({
      status: 400,
      body: { error: { param: "input[0].content[0].file_id", message: expect.stringContaining("expected an image") } }
    })
    const large = await send("/v1/messages", message("messages", { type: "document", source: fromFile(ids.large) }))
    expect(large).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringContaining("20971520 bytes") } }
    })
  })

  describe("what is stored", () => {
    const get = async (path: string) => {
      const answer = await fetch(gateway.url + path, { headers: { authorization: `Bearer ${secretOf("one")}` } })
      const read: Json = await answer.json()
      return read
    }
    const image = () => ({ type: "input_image", file_id: ids.image, detail: "low" })
    const asked = (model: string, more: object = {}) => send("/v1/responses", { ...response(model, image()), ...more })
    const hasBytes = () => JSON.stringify(sent("chat").messages).includes(pngUrl)

    it("has the ids as they were sent, and what continues it has the bytes", async () => {
      const { body } = await asked("chat")
      const { data } = await get(`/v1/responses/${body.id}/input_items`)
      expect(data[0].content).toEqual([image()])
      const next = { model: "chat", input: "And?", previous_response_id: body.id }
      expect((await send("/v1/responses", next)).status).toBe(200)
      expect(hasBytes()).toBe(true)
      const reference = [{ type: "item_reference", id: data[0].id }]
      expect((await send("/v1/responses", { model: "responses", input: reference })).status).toBe(200)
      expect(sent("responses").input[0].content).toEqual([{ type: "input_image", detail: "low", image_url: pngUrl }])
      expect((await send("/v1/responses/input_tokens", next)).status).toBe(200)
      const compacted = await send("/v1/responses/compact", { model: "chat", previous_response_id: body.id })
      expect(compacted.body.output[0].content).toEqual([image()])
    })

    it("is so in conversations, whose items may name files too", async () => {
      const items = [{ type: "message", role: "user", content: [image()] }]
      const { id } = (await send("/v1/conversations", { items })).body
      expect((await send("/v1/responses", { model: "chat", input: "And?", conversation: id })).status).toBe(200)
      expect(hasBytes()).toBe(true)
      expect((await asked("responses", { conversation: id })).status).toBe(200)
      expect(JSON.stringify(sent("responses").input).split(pngUrl).length).toBe(3)
      const { data } = await get(`/v1/conversations/${id}/items`)
      expect(data.flatMap(({ content }: Json) => content).filter(({ type }: Json) => type === "input_image")).toEqual([
        image(),
        image()
      ])
    })

    it("is so of background responses", async () => {
      const { body, status } = await asked("chat", { background: true })
      expect(status).toBe(200)
      await expect.poll(async () => (await get(`/v1/responses/${body.id}`)).status).toBe("completed")
      expect(hasBytes()).toBe(true)
      expect((await get(`/v1/responses/${body.id}/input_items`)).data[0].content).toEqual([image()])
      const next = { model: "chat", input: "And?", previous_response_id: body.id, background: true }
      const { id } = (await send("/v1/responses", next)).body
      await expect.poll(async () => (await get(`/v1/responses/${id}`)).status).toBe("completed")
      expect(hasBytes()).toBe(true)
    })

    it("is so of threads of messages", async () => {
      const ask = (content: unknown, thread: object) =>
        send("/v1/messages", { model: "chat", max_tokens: 100, messages: [{ role: "user", content }], thread })
      const { body } = await ask([{ type: "image", source: fromFile(ids.image) }], { type: "create" })
      const stored = () => new Database(join(gateway.folder, "data/gateway.db"), { readonly: true })
      const [turn] = stored()
        .query<{ messages: string }, [string]>("SELECT messages FROM thread_turns WHERE id = ?")
        .all(body.id)
      expect(JSON.parse(turn?.messages ?? "")[0].content).toEqual([{ type: "image", source: fromFile(ids.image) }])
      expect((await ask("And?", { type: "continue", previous_message_id: body.id })).status).toBe(200)
      expect(hasBytes()).toBe(true)
    })

    it("has nothing of a file that is gone: its id goes to the upstream", async () => {
      const file_id = await upload(pdf, "short-lived.pdf")
      const { body } = await send("/v1/responses", response("responses", { type: "input_file", file_id }))
      const headers = { authorization: `Bearer ${secretOf("one")}` }
      await fetch(`${gateway.url}/v1/files/${file_id}`, { method: "DELETE", headers })
      const next = await send("/v1/responses", { model: "responses", input: "And?", previous_response_id: body.id })
      expect(next.status).toBe(200)
      expect(sent("responses").input[0].content).toEqual([{ type: "input_file", file_id }])
    })
  })

  it("counts the names of short files that are named often", async () => {
    const id = await upload(Buffer.from("x"), `${"🦊".repeat(250)}.txt`)
    const content = Array.from({ length: 30_000 }, () => ({ type: "input_file", file_id: id }))
    const { body, status } = await send("/v1/responses", { model: "responses", input: [{ role: "user", content }] })
    expect([status, body.error.message]).toEqual([400, expect.stringContaining("bytes in all files")])
  })

  it("another account's id is its upstream's alone, and never becomes bytes", async () => {
    const part = { type: "input_file", file_id: ids.pdf }
    await send("/v1/responses", response("responses", part), "two")
    expect(sent("responses").input[0].content).toEqual([part])
    const elsewhere = await send(
      "/v1/messages",
      message("chat", { type: "document", source: fromFile(ids.pdf) }),
      "two"
    )
    expect(elsewhere.status).toBe(400)
  })

  it("a provider's own id stays", async () => {
    const part = { type: "input_file", file_id: "file-abc123" }
    expect((await send("/v1/responses", response("responses", part))).status).toBe(200)
    expect(sent("responses").input[0].content).toEqual([part])
  })
})
