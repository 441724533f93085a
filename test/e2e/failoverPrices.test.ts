import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "@effect/vitest"
import { describeOnEach, gatewayEnv } from "../sql/engines.ts"
import { arkKey, fakeArk, refusal } from "../upstreams/fakes/ark.ts"
import { fakeUpstream } from "../upstreams/fakes/fakeUpstream.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { request } from "../request.ts"

const down = fakeUpstream("openai-chat", { answer: () => Response.json({ error: {} }, { status: 503 }) })
const chat = fakeUpstream("openai-chat", {
  answer: ({ body, path }) =>
    path.endsWith("/embeddings")
      ? Response.json({
          object: "list",
          model: body.model,
          data: [{ object: "embedding", index: 0, embedding: [0.25, 0.5] }],
          usage: { prompt_tokens: 7, total_tokens: 7 }
        })
      : undefined
})
const full = fakeArk()
const ark = fakeArk()
afterAll(() => Promise.all([down, chat, full, ark].map((fake) => fake.stop())))

const secretOf = (name: string) => `${name}-secret-0123456789-0123456789`
const prices = {
  cheap: { input: 0.05, output: 0.4 },
  dear: { input: 5, output: 25 },
  "cheap-embed": { input: 1 },
  "dear-embed": { input: 100 },
  "cheap-video": { per_second: 0.01, per_search: 0 },
  "dear-video": { per_second: 0.02, per_search: 0 }
}
const config = {
  prices_file: "prices.json",
  upstreams: {
    down: { protocol: "openai-chat", base_url: `${down.url}/v1` },
    chat: { protocol: "openai-chat", base_url: `${chat.url}/v1` },
    full: { protocol: "ark-video", base_url: full.baseUrl, api_key: arkKey },
    ark: { protocol: "ark-video", base_url: ark.baseUrl, api_key: arkKey }
  },
  models: {
    over: { routes: [at("down", "cheap"), at("chat", "dear")] },
    "over-free": { routes: [at("down", "nobody-prices-this"), at("chat", "dear")] },
    fixed: { routes: [at("down", "cheap"), at("chat", "dear")], price: { input: 1, output: 2 } },
    "dear-first": { routes: [at("chat", "dear"), at("chat", "cheap")] },
    "over-embed": { routes: [at("down", "cheap-embed"), at("chat", "dear-embed")] },
    "over-video": { routes: [at("full", "cheap-video"), at("ark", "dear-video")] }
  },
  keys: [
    { name: "rich", account: "rich", secret: secretOf("rich"), balance_usd: 100 },
    { name: "poor", account: "poor", secret: secretOf("poor"), balance_usd: 0.001 }
  ]
}

function at(upstream: string, model: string) {
  return { upstream, model }
}

// oxlint-disable-next-line typescript/no-explicit-any -- whatever came
type Json = any

describeOnEach("a request that fell over", ({ name }) => {
  let gateway: GatewayHere
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), "gateway-failover-"))
    writeFileSync(join(folder, "prices.json"), JSON.stringify(prices))
    writeFileSync(join(folder, "gateway.yaml"), JSON.stringify(config))
    gateway = await startGateway({ folder, env: await gatewayEnv(`failover-${name}`) })
  })
  afterAll(() => gateway.dispose())

  const call = (path: string, body?: object, key = "rich") =>
    request(gateway, path, { method: body === undefined ? "GET" : "POST", body, key: secretOf(key) })
  const read = async (path: string, key?: string): Promise<Json> => (await call(path, undefined, key)).json()
  /** The usage row of an answer, once it is stored. */
  const rowOf = async (response: Response, key?: string): Promise<Json> => {
    const id = response.headers.get("x-request-id")
    const find = async () =>
      (await read("/v1/usage?by=request&since=1d", key)).data.find((row: Json) => row.request_id === id)
    await expect.poll(find).toBeDefined()
    return find()
  }
  /** Nano-dollars of a row's tokens, at prices in dollars per million. */
  const costAt = ({ input = 0, output = 0 }: { input?: number; output?: number }, row: Json) =>
    Math.round(((row.input_tokens + row.cache_read_tokens) * input + row.output_tokens * output) * 1_000)

  const message = (more: object = {}) => ({ model: "over", max_tokens: 100, messages: "play:text", ...more })
  const messages = [{ role: "user", content: "play:text" }]

  it.each([
    ["a message", "/v1/messages", message()],
    ["a streamed message", "/v1/messages", message({ stream: true })],
    ["a message behind a route without a price", "/v1/messages", message({ model: "over-free" })],
    ["an async message", "/v1/messages", message({ async: true })],
    ["a response", "/v1/responses", { model: "over", input: "play:text" }],
    ["a streamed response", "/v1/responses", { model: "over", input: "play:text", stream: true }],
    ["a background response", "/v1/responses", { model: "over", input: "play:text", background: true }],
    ["a compaction", "/v1/responses/compact", { model: "over", input: "play:text" }],
    ["a completion", "/v1/chat/completions", { model: "over", max_tokens: 100, messages }],
    ["two completions", "/v1/chat/completions", { model: "over", max_tokens: 100, messages, n: 2 }],
    ["a streamed completion", "/v1/chat/completions", { model: "over", max_tokens: 100, messages, stream: true }]
  ])("is paid for at the price of who answered: %s", async (_, path, body) => {
    const response = await call(path, body)
    expect([response.status, await response.text()]).toEqual([200, expect.any(String)])
    const row = await rowOf(response)
    expect(row).toMatchObject({ upstream: "chat", price: { rates: { input: 5e9, output: 25e9 } } })
    expect(row.cost.nano_usd).toBe(costAt(prices.dear, row))
    expect(row.cost.nano_usd).toBeGreaterThan(0)
    const told = response.headers.get("x-gateway-cost-usd")
    if (told !== null) expect(Math.round(Number(told) * 1e9)).toBe(row.cost.nano_usd)
  })

  it("is paid for at the model's own price, where its entry has one", async () => {
    const response = await call("/v1/messages", message({ model: "fixed" }))
    expect(response.status).toBe(200)
    const row = await rowOf(response)
    expect([row.upstream, row.cost.nano_usd]).toEqual(["chat", costAt({ input: 1, output: 2 }, row)])
  })

  it("is paid for at the price of who answered: embeddings", async () => {
    const response = await call("/v1/embeddings", { model: "over-embed", input: "a" })
    expect(response.status).toBe(200)
    expect(await rowOf(response)).toMatchObject({ upstream: "chat", input_tokens: 7, cost: { nano_usd: 700_000 } })
  })

  it("is paid for at the price of who made it: a video", async () => {
    full.next(() => refusal(429, "ServerOverloaded"))
    const body = {
      model: "over-video",
      content: [{ type: "text", text: `a cat on ${name}` }],
      tools: [{ type: "web_search" }]
    }
    const before = await read("/v1/balance")
    const response = await call("/api/v3/contents/generations/tasks", body)
    const { id }: Json = await response.json()
    // Five seconds at the dearer place.
    // With the first frame that Ark counts.
    expect((await read("/v1/balance")).held.nano_usd - before.held.nano_usd).toBe(100_833_333)
    const made = () => ark.tasks.find((task) => JSON.stringify(task.body).includes(`a cat on ${name}`))
    await expect.poll(made).toBeDefined()
    ark.move(made()?.id ?? "", "succeeded")
    const status = async () => (await read(`/api/v3/contents/generations/tasks/${id}`)).status
    await expect.poll(status).toBe("succeeded")
    expect(await rowOf(response)).toMatchObject({ upstream: "ark", video_seconds: 5, cost: { nano_usd: 100_000_000 } })
  })

  it.each([
    ["/v1/messages", message({ model: "dear-first" }), { upstream: "chat", model: "dear" }, [0.4, 25]],
    ["/v1/messages", message(), { upstream: "down", model: "cheap" }, [0.4, 25]],
    ["/v1/chat/completions", { model: "dear-first", messages, n: 2 }, { upstream: "chat", model: "dear" }, [0.4, 25]],
    ["/v1/embeddings", { model: "over-embed", input: "a" }, { upstream: "down", model: "cheap-embed" }, [1, 100]]
  ])(
    "is quoted with the route that is asked first, and the range of all (%s, %o)",
    async (endpoint, body, route, [low = 0, high = 0]) => {
      const quote: Json = await (await call("/v1/quote", { endpoint, body })).json()
      const { estimated, maximum, range } = quote
      expect(quote.route).toEqual(route)
      const isDear = route.model === "dear"
      expect(estimated.cost).toEqual(isDear ? range.most : range.least)
      expect(range.most.nano_usd).toBeLessThanOrEqual(maximum.cost.nano_usd)
      const tokens = endpoint === "/v1/embeddings" ? "input_tokens" : "output_tokens"
      expect(range.least.nano_usd).toBeGreaterThanOrEqual(estimated[tokens] * low * 1_000)
      expect(range.most.nano_usd).toBeGreaterThanOrEqual(estimated[tokens] * high * 1_000)
      expect(range.least.nano_usd).toBeLessThan(range.most.nano_usd / 5)
    }
  )

  it("is quoted without the routes that the caller may not use", async () => {
    const quote: Json = await (await call("/v1/quote", message({ model: "over-free" }))).json()
    expect(quote).toMatchObject({ route: { upstream: "chat", model: "dear" }, range: { least: quote.range.most } })
  })

  it("is quoted with the route that is asked first, and the range of all: a video", async () => {
    const body = { model: "over-video", content: [{ type: "text", text: "a cat" }], duration: 5 }
    const quote: Json = await (await call("/v1/quote", body)).json()
    expect(quote).toMatchObject({
      route: { upstream: "full", model: "cheap-video" },
      estimated: { cost: { nano_usd: 50_000_000 } },
      range: { least: { nano_usd: 50_000_000 }, most: { nano_usd: 100_000_000 } },
      maximum: { cost: { nano_usd: 100_833_333 } }
    })
  })

  it("is quoted at its dearest, and asked only where the balance covers it", async () => {
    const quoted = async (model: string): Promise<number> => {
      const quote: Json = await (await call("/v1/quote", message({ model }))).json()
      return quote.maximum.cost.nano_usd
    }
    expect(await quoted("over")).toBe(await quoted("dear-first"))
    expect(await quoted("dear-first")).toBeGreaterThan(1_000_000)
    for (const more of [{}, { async: true }]) {
      const asked = chat.asked.length
      const response = await call("/v1/messages", message({ model: "dear-first", ...more }), "poor")
      expect(response.status).toBe(200)
      const row = await rowOf(response, "poor")
      expect(row.cost.nano_usd).toBe(costAt(prices.cheap, row))
      expect(chat.asked.slice(asked).map(({ body }) => body.model)).toEqual(["cheap"])
    }
    // The first route answers callers who can pay its price.
    const row = await rowOf(await call("/v1/messages", message({ model: "dear-first" })))
    expect(row.cost.nano_usd).toBe(costAt(prices.dear, row))
    expect((await call("/v1/messages", message({ model: "dear-first", max_tokens: 30_000 }), "poor")).status).toBe(402)
  })
})
