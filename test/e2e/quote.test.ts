import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { QuoteRecord } from "../../src/account/QuoteRecord.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { request } from "../request.ts"

type Quote = typeof QuoteRecord.Type

const adminKey = "admin-key-0123456789abcdefghijklmnop"
const config = `models:
  priced: { routes: [{ upstream: sandbox, model: sandbox-text }], price: { input: 3, output: 15, per_search: 0.01 } }
  chosen: { routes: [{ upstream: sandbox, model: sandbox-video }], price: { output: 2.5 }, video: { chooses_seconds: true } }
  filmed: { routes: [{ upstream: sandbox, model: sandbox-video }], price: { output: 2.5 } }
`

let gateway: GatewayHere
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-quote-"))
  writeFileSync(join(folder, "gateway.yaml"), config)
  gateway = await startGateway({ folder, env: { GATEWAY_ADMIN_KEY: adminKey } })
})
afterAll(() => gateway.dispose())

const post = (path: string, body: unknown, key = gateway.key) => request(gateway, path, { body, key })

const quote = async (body: unknown, key?: string): Promise<Quote> => {
  const response = await post("/v1/quote", body, key)
  expect(response.status).toBe(200)
  return (await response.json()) as Quote
}

const refusal = async (body: unknown, key?: string) => {
  const response = await post("/v1/quote", body, key)
  const { error } = (await response.json()) as { error: { message: string; param: string | null; code: string } }
  return { status: response.status, ...error }
}

/** A key of an account of its own that has so much. */
const keyWith = async (id: string, nanoUsd?: number, options: object = {}): Promise<string> => {
  const balance = nanoUsd === undefined ? {} : { balance_usd: (nanoUsd / 1e9).toFixed(9) }
  expect((await post("/admin/v1/accounts", { id, ...balance }, adminKey)).status).toBe(200)
  const made = await post("/admin/v1/keys", { account: id, name: "k", ...options }, adminKey)
  return ((await made.json()) as { secret: string }).secret
}

const tasks = "/api/v3/contents/generations/tasks"
const message = { model: "priced", max_tokens: 400, messages: "How much is this?" }
const response = {
  model: "priced",
  max_output_tokens: 300,
  input: "How much is this?",
  tools: [{ type: "web_search" }]
}
const video = { model: "filmed", content: [{ type: "text", text: "a cat" }], resolution: "480p", duration: 5 }

describe("POST /v1/quote", () => {
  it.each([
    ["/v1/messages", message],
    ["/v1/responses", response],
    [tasks, video]
  ])("quotes a body of %s, by its shape and as it is told", async (endpoint, body) => {
    const quoted = await quote(body)
    expect(quoted).toMatchObject({ object: "quote", endpoint, model: body.model })
    expect(await quote({ endpoint, body })).toEqual(quoted)
    expect(quoted.estimated.cost.nano_usd).toBeGreaterThan(0)
    expect(quoted.estimated.cost.nano_usd).toBeLessThanOrEqual(quoted.maximum.cost.nano_usd)
  })

  it.each([
    ["/v1/messages", message],
    ["/v1/responses", response],
    [tasks, video],
    [
      tasks,
      {
        ...video,
        content: [...video.content, { type: "video_url", video_url: { url: "https://files.invalid/a.mp4" } }]
      }
    ]
  ])("has the maximum that must be available, to the nano-dollar (%s)", async (endpoint, body) => {
    const { maximum } = await quote(body)
    const most = maximum.cost.nano_usd
    const name = `exact-${crypto.randomUUID()}`
    const short = await post(endpoint, body, await keyWith(`${name}-short`, most - 1))
    expect(short.status).toBe(402)
    const enough = await post(endpoint, body, await keyWith(name, most))
    expect(enough.status).toBe(200)
  })

  it("spends nothing", async () => {
    const key = await keyWith("untouched", 5_000_000_000)
    await Promise.all([quote(message, key), quote(response, key), quote(video, key)])
    const headers = { authorization: `Bearer ${key}` }
    const balance = await (await fetch(`${gateway.url}/v1/balance`, { headers })).json()
    expect(balance).toMatchObject({ settled: { nano_usd: 0 }, held: { nano_usd: 0 } })
    const usage = await (await fetch(`${gateway.url}/v1/usage`, { headers })).json()
    expect(usage).toMatchObject({ totals: { requests: 0 } })
  })

  it("estimates by what the account used of the model before", async () => {
    const key = await keyWith("regular", 5_000_000_000)
    expect((await quote(message, key)).basis).toBe("usual")
    const answer = (await (await post("/v1/messages", message, key)).json()) as { usage: { output_tokens: number } }
    const { basis, estimated } = await quote(message, key)
    expect([basis, estimated.output_tokens]).toEqual(["history", answer.usage.output_tokens])
  })

  it("is exact for a video, but where the model chooses its length", async () => {
    const exact = await quote(video)
    expect(exact).toMatchObject({ basis: "exact", maximum: { video_seconds: 5 } })
    expect(exact.estimated).toEqual(exact.maximum)
    const chosen = await quote({ ...video, model: "chosen", duration: -1 })
    expect(chosen).toMatchObject({ basis: "usual", estimated: { video_seconds: 10 }, maximum: { video_seconds: 15 } })
  })

  it("costs nothing where the model is free", async () => {
    const { maximum } = await quote({ ...message, model: "sandbox-text" })
    expect(maximum).toMatchObject({ cost: { nano_usd: 0, usd: "0.00" }, output_tokens: 400 })
  })

  it("includes the conversation that a response continues", async () => {
    const first = (await (await post("/v1/responses", response)).json()) as { id: string }
    const alone = await quote(response)
    const continued = await quote({ ...response, previous_response_id: first.id })
    expect(continued.maximum.input_tokens).toBeGreaterThan(alone.maximum.input_tokens)
  })

  it("is refused as the request would be", async () => {
    expect(await refusal({ ...message, max_tokens: 0 })).toMatchObject({
      status: 400,
      param: "max_tokens",
      message: "max_tokens: expected an integer of 1 or more; got 0"
    })
    expect(await refusal({ endpoint: tasks, body: { ...video, duration: 3 } })).toMatchObject({
      status: 400,
      param: "duration"
    })
    expect(await refusal({ ...message, model: "nobody" })).toMatchObject({ status: 400, param: "model" })
    const key = await keyWith("narrow", undefined, { models: ["other-*"] })
    for (const body of [message, response, video]) expect(await refusal(body, key)).toMatchObject({ status: 403 })
  })

  it("asks whose body it is where that is not plain", async () => {
    for (const body of [{ model: "priced" }, { ...message, input: "x" }, { body: message }]) {
      expect(await refusal(body)).toMatchObject({
        status: 400,
        message: expect.stringContaining("exactly one of messages")
      })
    }
    expect(await refusal({ endpoint: "/v1/assistants", body: {} })).toMatchObject({
      status: 400,
      param: "endpoint"
    })
    expect(await refusal({ endpoint: "/v1/messages", body: [] })).toMatchObject({ status: 400 })
  })
})
