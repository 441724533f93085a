import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import OpenAI from "openai"
import OpenAI6 from "openai-6"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"

const asked: Array<{ readonly path: string; readonly body: Record<string, unknown> }> = []
const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: async (request) => {
    const body = (await request.json()) as Record<string, unknown>
    asked.push({ path: new URL(request.url).pathname, body })
    if (body["input"] === "break") return Response.json({ error: { message: "no such input" } }, { status: 400 })
    if (body["input"] === "none") return Response.json({ object: "list", data: [] })
    if (body["input"] === "null") return Response.json({ object: "list", data: [null] })
    const embedding =
      body["input"] === "packed" ? Buffer.from(new Float32Array([0.25, 0.5]).buffer).toString("base64") : [0.25, 0.5]
    const data = [{ object: "embedding", index: 0, embedding, theirs: 1 }]
    return Response.json({
      object: "list",
      data,
      model: body["model"],
      ...(body["input"] === "untold" ? {} : { usage: { prompt_tokens: 7, total_tokens: 7 } })
    })
  }
})

let gateway: GatewayHere
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-embeddings-"))
  const base_url = `http://127.0.0.1:${upstream.port}/v1`
  const routes = (name: string, model: string) => [{ upstream: name, model }]
  writeFileSync(
    join(folder, "gateway.yaml"),
    JSON.stringify({
      upstreams: {
        chat: { protocol: "openai-chat", base_url },
        responses: { protocol: "openai-responses", base_url },
        messages: { protocol: "anthropic-messages", base_url },
        // Its circuit is its own.
        bad: { protocol: "openai-chat", base_url }
      },
      models: {
        "my-embed": { routes: routes("chat", "nomic-embed-text"), price: { input: 1_000 } },
        vectors: { routes: routes("responses", "text-v3"), kind: "embedding" },
        "embed-badly": { routes: routes("bad", "m") },
        "embed-nowhere": { routes: routes("messages", "claude") }
      }
    })
  )
  gateway = await startGateway({ folder })
})
afterAll(async () => {
  await gateway.dispose()
  await upstream.stop(true)
})

const post = async (body: object, path = "/v1/embeddings") => {
  const response = await fetch(gateway.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${gateway.key}`, "content-type": "application/json" },
    body: JSON.stringify(body)
  })
  return { status: response.status, headers: response.headers, body: await response.json() }
}

const dot = (one: ReadonlyArray<number>, other: ReadonlyArray<number>) =>
  one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0)

describe("sandbox-embed", () => {
  it.each([
    ["openai 7", OpenAI],
    ["openai 6", OpenAI6]
  ])("is read by %s, in either format", async (_, Client) => {
    const client = new Client({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key })
    const asking = { model: "sandbox-embed", input: ["the quick brown fox", "a quick brown dog"] }
    // The client asks for base64 unless it is told otherwise.
    const packed = await client.embeddings.create(asking)
    const plain = await client.embeddings.create({ ...asking, encoding_format: "float" })
    expect(packed.data.map(({ index }) => index)).toEqual([0, 1])
    expect(packed.data[0]!.embedding).toHaveLength(256)
    for (const [at, { embedding }] of packed.data.entries()) {
      expect(dot(embedding, plain.data[at]!.embedding)).toBeCloseTo(1, 5)
    }
    expect(packed.usage).toEqual({ prompt_tokens: 8, total_tokens: 8 })
  })

  it("answers unit vectors whose cosine follows the words that texts share", async () => {
    const input = ["red apples and green pears", "green pears and red apples", "red apples", "quarterly tax report"]
    const { body } = await post({ model: "sandbox-embed", input, dimensions: 512 })
    const [all, turned, some, none] = body.data.map(({ embedding }: { embedding: Array<number> }) => embedding)
    expect(all).toHaveLength(512)
    expect(dot(all, all)).toBeCloseTo(1, 5)
    expect(dot(all, turned)).toBeCloseTo(1, 5)
    expect(dot(all, some)).toBeGreaterThan(0.4)
    expect(Math.abs(dot(all, none))).toBeLessThan(0.3)
  })

  it("takes tokens, and counts them", async () => {
    const { body } = await post({ model: "sandbox-embed", input: [[1, 2, 3], [4]] })
    expect([body.data.length, body.usage.prompt_tokens]).toEqual([2, 4])
    expect((await post({ model: "sandbox-embed", input: [1, 2, 3] })).body.data).toHaveLength(1)
  })
})

describe("an upstream that embeds", () => {
  it("gets the request as it came, and its answer goes out under the caller's name", async () => {
    const { body, headers, status } = await post({ model: "my-embed", input: ["x"], task: "tomorrow's field" })
    expect(status).toBe(200)
    expect(asked.at(-1)).toEqual({
      path: "/v1/embeddings",
      body: { model: "nomic-embed-text", input: ["x"], task: "tomorrow's field" }
    })
    expect(body).toMatchObject({ model: "my-embed", data: [{ embedding: [0.25, 0.5], theirs: 1 }] })
    expect(body.usage.prompt_tokens).toBe(7)
    expect(headers.get("x-gateway-upstream")).toBe("chat")
    expect((await post({ model: "vectors", input: "x" })).body.model).toBe("vectors")
  })

  it("is counted for where it tells no usage", async () => {
    const { body } = await post({ model: "my-embed", input: "untold" })
    expect(body.usage.prompt_tokens).toBeGreaterThan(0)
  })

  it.each(["[0.25, 0.5]", "base64"])(
    "answers in the format that was asked for, whatever it answers in: %s",
    async (theirs) => {
      const input = theirs === "base64" ? "packed" : "x"
      const packed = Buffer.from(new Float32Array([0.25, 0.5]).buffer).toString("base64")
      for (const [encoding_format, embedding] of [
        ["base64", packed],
        ["float", [0.25, 0.5]],
        [undefined, [0.25, 0.5]]
      ]) {
        const { body } = await post({ model: "my-embed", input, encoding_format })
        expect(body.data).toEqual([{ object: "embedding", index: 0, embedding, theirs: 1 }])
      }
      for (const Client of [OpenAI, OpenAI6]) {
        const client = new Client({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key })
        const { data } = await client.embeddings.create({ model: "my-embed", input })
        expect(data[0]!.embedding).toEqual([0.25, 0.5])
      }
      const bytes = await post({ model: "my-embed", input: "bytes", output_dtype: "int8", encoding_format: "base64" })
      expect(bytes.body.data[0].embedding).toEqual([0.25, 0.5])
    }
  )

  it("gets images as they came, and is paid for them", async () => {
    const input = [{ image: "data:image/png;base64,AAAA" }]
    expect((await post({ model: "my-embed", input })).status).toBe(200)
    expect(asked.at(-1)?.body["input"]).toEqual(input)
    const messages = [
      { role: "user", content: [{ type: "image_url", image_url: { url: "https://example.com/a.png" } }] }
    ]
    expect((await post({ model: "my-embed", messages })).status).toBe(200)
    expect(asked.at(-1)?.body["messages"]).toEqual(messages)
    const quote = await post({ endpoint: "/v1/embeddings", body: { model: "my-embed", input } }, "/v1/quote")
    expect(quote.body.maximum.input_tokens).toBeGreaterThan(700)
  })

  it("is heard when it refuses", async () => {
    const { body, status } = await post({ model: "my-embed", input: "break" })
    expect([status, body.error.message]).toEqual([400, expect.stringContaining("no such input")])
  })

  it("has failed where it answers without a vector for each input", async () => {
    for (const input of ["none", "null", ["one", "two"]]) {
      const { body, status } = await post({ model: "embed-badly", input })
      expect([status, body.error.code]).toEqual([500, "server_error"])
    }
    expect((await post({ model: "my-embed", input: [1, 2, 3] })).status).toBe(200)
  })

  it("is quoted by its input alone", async () => {
    const { body } = await post({ endpoint: "/v1/embeddings", body: { model: "my-embed", input: "x" } }, "/v1/quote")
    expect(body).toMatchObject({ endpoint: "/v1/embeddings", maximum: { output_tokens: 0 } })
    expect(body.maximum.cost.nano_usd).toBeGreaterThan(0)
  })
})

describe("what is refused", () => {
  it.each([
    ["an empty text", "input", ""],
    ["no input", "input", []],
    ["an empty text among others", "input[1]", ["x", ""]],
    ["an input of no tokens", "input[0]", [[]]],
    ["texts and tokens together", "input[1]", ["x", 1]],
    ["an image at the sandbox", "input[1]", ["x", { image: "https://example.com/a.png" }]],
    ["an image and tokens together", "input[1]", [{ image: "https://example.com/a.png" }, [1]]],
    ["nothing at all", "input", undefined],
    ["too many inputs", "input", Array.from({ length: 2_049 }, () => "x")],
    ["too long a text", "input[1]", ["x", "word ".repeat(8_300)]],
    ["too many tokens", "input", Array.from({ length: 8_193 }, () => 1)]
  ])("%s, at %s", async (_, param, input) => {
    const { body, status } = await post({ model: "sandbox-embed", input })
    expect([status, body.error.param]).toEqual([400, param])
  })

  it("a model of another kind, and an upstream that makes none", async () => {
    expect((await post({ model: "sandbox-text", input: "x" })).body.error.message).toContain("not an embedding model")
    expect((await post({ model: "embed-nowhere", input: "x" })).body.error.message).toContain("embeddings")
    const chat = { model: "sandbox-embed", messages: [{ role: "user", content: "x" }] }
    expect((await post(chat, "/v1/chat/completions")).status).toBe(400)
  })
})
