import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Database } from "bun:sqlite"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import OpenAI, { AzureOpenAI } from "openai"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"

const image = Buffer.from("not a picture").toString("base64")
const asked: Array<{ readonly path: string; readonly body: Record<string, unknown> }> = []
/** Answers by the prompt. */
const answers: Record<string, (n: number) => object> = {
  tokens: (n) => ({
    created: 1,
    data: Array.from({ length: n }, () => ({ b64_json: image })),
    quality: "high",
    size: "1024x1024",
    usage: {
      input_tokens: 10,
      output_tokens: 4_000 * n,
      total_tokens: 10 + 4_000 * n,
      input_tokens_details: { text_tokens: 10, image_tokens: 0 }
    }
  }),
  untold: (n) => ({ created: 1, data: Array.from({ length: n }, () => ({ url: "https://example.com/a.png" })) }),
  wrong: (n) => ({
    data: Array.from({ length: n }, () => ({ b64_json: image })),
    usage: { input_tokens: -1, output_tokens: "many" }
  }),
  huge: (n) => ({
    data: Array.from({ length: n }, () => ({ b64_json: image })),
    usage: { input_tokens: 1e308, output_tokens: 1e300 }
  }),
  zeros: (n) => ({
    data: Array.from({ length: n }, () => ({ b64_json: image })),
    quality: "high",
    size: "1024x1024",
    usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0 }
  }),
  "one too many": (n) => ({ data: Array.from({ length: n + 1 }, () => ({ b64_json: image })) }),
  none: () => ({ data: [] }),
  empty: () => ({ data: [{}] })
}
const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: async (request) => {
    const body = (await request.json()) as Record<string, unknown>
    asked.push({ path: new URL(request.url).pathname, body })
    if (body["prompt"] === "forbidden") {
      return Response.json({ error: { message: "No.", code: "moderation_blocked" } }, { status: 400 })
    }
    return Response.json(answers[String(body["prompt"])]?.(Number(body["n"] ?? 1)) ?? {})
  }
})

const secret = "images-secret-0123456789-0123456789"
const poor = "images-poor-secret-0123456789-0123456789"
let gateway: GatewayHere
let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "gateway-images-"))
  const base_url = `http://127.0.0.1:${upstream.port}/v1`
  const routes = (name: string) => [{ upstream: name, model: "theirs" }]
  writeFileSync(
    join(folder, "gateway.yaml"),
    JSON.stringify({
      upstreams: {
        chat: { protocol: "openai-chat", base_url },
        responses: { protocol: "openai-responses", base_url },
        messages: { protocol: "anthropic-messages", base_url },
        bad: { protocol: "openai-chat", base_url }
      },
      models: {
        "by-image": { kind: "image", routes: routes("chat"), price: { per_image: 0.04 } },
        "gpt-image-9": { routes: routes("responses"), price: { input: 5, image: { input: 8, output: 30 } } },
        "by-kind": {
          kind: "image",
          routes: routes("chat"),
          price: { per_image: { "high/1024x1024": 0.167, "low/*": 0.011, "*": 0.04 } }
        },
        "bad-image": { kind: "image", routes: routes("bad"), price: { per_image: 0.04 } },
        "image-nowhere": { kind: "image", routes: routes("messages"), price: { per_image: 1 } },
        "unlisted-image": { kind: "image", routes: routes("chat"), price: { per_search: 1 } }
      },
      keys: [
        { name: "rich", secret, balance_usd: 100 },
        { name: "poor", secret: poor, balance_usd: 0.07 }
      ]
    })
  )
  gateway = await startGateway({ folder })
})
afterAll(async () => {
  await gateway.dispose()
  await upstream.stop(true)
})

const path = "/v1/images/generations"
const post = async (body: object, { key = secret, to = path } = {}) => {
  const response = await fetch(gateway.url + to, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body)
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}
const json = async (...[body, how]: Parameters<typeof post>) => {
  const { text, ...rest } = await post(body, how)
  return { ...rest, body: JSON.parse(text) }
}
const rowOf = async (headers: Headers) => {
  const database = new Database(join(folder, "data/gateway.db"), { readonly: true })
  for (;;) {
    const row = database
      .query<{ cost: number; images: number; estimated: number }, [string]>(
        "SELECT cost_nano_usd AS cost, images, estimated FROM usage WHERE request_id = ?"
      )
      .get(headers.get("x-request-id") ?? "")
    if (row !== null) return row
    await Bun.sleep(10)
  }
}
const client = () => new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: secret, maxRetries: 0 })

describe("sandbox-image", () => {
  it("draws PNGs of the size, the same for the same prompt", async () => {
    const draw = (prompt: string) => client().images.generate({ model: "sandbox-image", prompt, n: 2, size: "128x64" })
    const [one, again, other] = [await draw("A fox"), await draw("A fox"), await draw("A hen")]
    const [first = "", second = ""] = one.data?.map(({ b64_json }) => b64_json ?? "") ?? []
    const bytes = Buffer.from(first, "base64")
    expect(bytes.subarray(1, 4).toString()).toBe("PNG")
    expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([128, 64])
    expect(again.data).toEqual(one.data)
    expect(new Set([first, second, other.data?.[0]?.b64_json]).size).toBe(3)
    expect(one.usage).toMatchObject({ output_tokens: 2 * 4 * 2 })
  })

  it.each([
    [{ prompt: "A", size: "9x9" }, 400, "size"],
    [{ prompt: "[[sandbox: nonsense]]" }, 400, null],
    [{ prompt: "[[sandbox: error=400]]" }, 400, null]
  ])("refuses %j", async (body, status, param) => {
    const refused = await json({ model: "sandbox-image", ...body })
    expect([refused.status, refused.body.error.param]).toEqual([status, param])
  })
})

describe("an upstream that makes images", () => {
  it("gets the request as it came", async () => {
    const body = { prompt: "untold", n: 2, size: "1024x1024", quality: "high", tomorrow: "field" }
    const { body: answer, headers } = await json({ model: "by-image", ...body })
    expect(asked.at(-1)).toEqual({ path, body: { model: "theirs", ...body } })
    expect(answer).toEqual({ ...answers["untold"]?.(2), model: "by-image" })
    expect(await rowOf(headers)).toEqual({ cost: 80_000_000, images: 2, estimated: 0 })
  })

  it.each(["wrong", "huge"])("is paid for its images where it reports tokens that can't be: %s", async (prompt) => {
    const { body, headers } = await json({ model: "by-image", prompt, n: 2 })
    expect(await rowOf(headers)).toEqual({ cost: 80_000_000, images: 2, estimated: 1 })
    expect(body.usage.output_tokens).toBe(0)
  })

  it.each([
    // As the answer says, although the request left it open.
    [{ prompt: "tokens", n: 2 }, 334_000_000],
    [{ prompt: "tokens", quality: "auto", size: "auto" }, 167_000_000],
    // As the request says, where the answer says nothing.
    [{ prompt: "untold", quality: "low", size: "512x512" }, 11_000_000],
    [{ prompt: "untold", quality: "medium", size: "1024x1024" }, 40_000_000],
    [{ prompt: "untold" }, 167_000_000]
  ])("is paid by the quality and size: %j", async (body, cost) => {
    const { headers, status } = await post({ model: "by-kind", ...body })
    expect(status).toBe(200)
    expect((await rowOf(headers)).cost).toBe(cost)
  })

  it("is paid for the tokens that it reports, as those of images", async () => {
    const { headers } = await json({ model: "gpt-image-9", prompt: "tokens", n: 2 })
    expect(await rowOf(headers)).toEqual({ cost: 10 * 5_000 + 8_000 * 30_000, images: 2, estimated: 0 })
  })

  it.each([
    // By the answer's words, the request's, and as the largest where both leave it open. Six tokens frame the prompt.
    [{ prompt: "zeros", n: 2 }, 7 * 5_000 + 2 * 4_160 * 30_000],
    [{ prompt: "untold", quality: "low", size: "1536x1024" }, 8 * 5_000 + 400 * 30_000],
    [{ prompt: "untold", quality: "medium" }, 8 * 5_000 + 1_584 * 30_000],
    [{ prompt: "untold" }, 8 * 5_000 + 6_240 * 30_000],
    [{ prompt: "huge", n: 2 }, 8 * 5_000 + 2 * 6_240 * 30_000]
  ])("is paid for tokens that it does not report as they are counted: %j", async (body, cost) => {
    const { body: answer, headers } = await json({ model: "gpt-image-9", ...body })
    const { estimated, ...row } = await rowOf(headers)
    expect([row.cost, estimated]).toEqual([cost, 1])
    expect(answer.usage.output_tokens * 30_000 + answer.usage.input_tokens * 5_000).toBe(cost)
  })

  it("is asked for a whole answer by a stream, whose events OpenAI's client reads", async () => {
    const stream = await client().images.generate({
      model: "gpt-image-9",
      prompt: "tokens",
      n: 2,
      stream: true,
      partial_images: 2
    })
    const events = []
    for await (const event of stream) events.push(event)
    expect(asked.at(-1)?.body).toEqual({ model: "theirs", prompt: "tokens", n: 2 })
    expect(events).toMatchObject([
      { type: "image_generation.completed", b64_json: image, size: "1024x1024" },
      { type: "image_generation.completed", b64_json: image, usage: { output_tokens: 8_000 } }
    ])
    const { headers } = await post({ model: "by-image", prompt: "untold", stream: true, partial_images: 1 })
    expect(headers.get("x-gateway-adapted")).toBe("partial_images")
    expect(await rowOf(headers)).toEqual({ cost: 40_000_000, images: 1, estimated: 0 })
  })

  it("refuses in its own words, a stream too", async () => {
    for (const stream of [false, true]) {
      const refused = await json({ model: "by-image", prompt: "forbidden", stream })
      expect([refused.status, refused.body.error.message]).toEqual([400, expect.stringContaining("No.")])
    }
  })

  it.each(["one too many", "none", "empty"])("is refused an answer that is none: %s", async (prompt) => {
    expect((await json({ model: "bad-image", prompt })).status).toBe(500)
  })

  it("serves Azure's client", async () => {
    const azure = new AzureOpenAI({ endpoint: gateway.url, apiKey: secret, apiVersion: "2025-04-01-preview" })
    expect((await azure.images.generate({ model: "by-image", prompt: "untold" })).data).toHaveLength(1)
  })
})

describe("admission", () => {
  it("holds every image, and refuses what the balance can't pay", async () => {
    const before = asked.length
    const broke = await json({ model: "by-image", prompt: "untold", n: 2 }, { key: poor })
    expect([broke.status, broke.body.error.code, asked.length]).toEqual([402, "insufficient_quota", before])
    expect((await json({ model: "by-image", prompt: "untold" }, { key: poor })).status).toBe(200)
  })

  it("quotes the images", async () => {
    const quote = { endpoint: path, body: { model: "by-image", prompt: "A", n: 3 } }
    const { body } = await json(quote, { to: "/v1/quote" })
    expect(body.maximum.cost.nano_usd).toBe(120_000_000)
  })

  it.each([
    [{}, 167_000_000],
    [{ quality: "auto", size: "1024x1024" }, 167_000_000],
    [{ quality: "low" }, 11_000_000],
    [{ quality: "medium", size: "1024x1024" }, 40_000_000]
  ])("holds the dearest image that %j may be", async (kind, most) => {
    const { body } = await json(
      { endpoint: path, body: { model: "by-kind", prompt: "A", ...kind } },
      { to: "/v1/quote" }
    )
    expect(body.maximum.cost.nano_usd).toBe(most)
  })

  it("refuses a price that has neither images nor tokens", async () => {
    const { body, status } = await json({ model: "unlisted-image", prompt: "untold" })
    expect([status, body.error.param]).toEqual([403, "prompt"])
  })

  it.each([
    [{ prompt: "" }, "prompt"],
    [{ prompt: "a".repeat(32_001) }, "prompt"],
    [{ prompt: "a", n: 11 }, "n"],
    [{ prompt: "a", stream: "yes" }, "stream"]
  ])("names the field that is wrong: %#", async (wrong, param) => {
    const { body, status } = await json({ model: "by-image", ...wrong })
    expect([status, body.error.param]).toEqual([400, param])
  })

  it("refuses a model whose upstreams make none", async () => {
    expect((await json({ model: "image-nowhere", prompt: "a" })).status).toBe(400)
  })
})
