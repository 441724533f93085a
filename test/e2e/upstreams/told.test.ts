import Anthropic from "@anthropic-ai/sdk"
import OpenAI from "openai"
import { afterAll, beforeAll, describe, expect, it, vi } from "@effect/vitest"
import type { World } from "./world.ts"
import { models, protocols, startWorld, usualYaml } from "./world.ts"
import { request } from "../../request.ts"

const narrowKey = "narrow-key-0123456789abcdefghijkl"

let world: World
beforeAll(async () => {
  world = await startWorld({
    yaml: (urls) => {
      const usual = JSON.parse(usualYaml(urls))
      // A dollar a million of everything.
      for (const id of Object.values(models)) usual.models[id].price = { input: 1, output: 1 }
      usual.models["behind-nothing"] = { routes: [{ upstream: "up-openai-chat", model: "nobody-priced-it" }] }
      return JSON.stringify({
        ...usual,
        keys: [{ name: "narrow", secret: narrowKey, account: "narrow", models: ["behind-m*", "sandbox-text"] }]
      })
    }
  })
})
afterAll(() => world.dispose())

const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  request(world.gateway, path, { body, headers })

const cost = (response: Response) => response.headers.get("x-gateway-cost-usd")

/** A request's row in the account holder's usage report. */
const reported = (requestId: string) =>
  vi.waitFor(async () => {
    const response = await request(world.gateway, "/v1/usage?by=request&since=1h")
    const { data } = (await response.json()) as { data: Array<{ request_id: string; cost: { usd: string } }> }
    const found = data.find((entry) => entry.request_id === requestId)
    if (found === undefined) throw new Error(`${requestId} is not in the report yet`)
    return found.cost.usd
  })

const requests = (model: string) => [
  ["/v1/responses", { model, input: "play:text" }] as const,
  ["/v1/messages", { model, max_tokens: 100, messages: [{ role: "user", content: "play:text" }] }] as const,
  ["/v1/chat/completions", { model, messages: [{ role: "user", content: "play:text" }] }] as const
]

describe("what an answer cost", () => {
  it.each(protocols)("stands on every whole answer of %s, and is what the usage report says", async (protocol) => {
    for (const [path, body] of requests(models[protocol])) {
      const response = await post(path, body)
      expect(response.status).toBe(200)
      await response.arrayBuffer()
      const usd = cost(response)
      expect(Number(usd), path).toBeGreaterThan(0)
      expect(usd).toBe(await reported(response.headers.get("x-request-id")!))
    }
  })

  it("is in the usage report of a stream, whose head left before", async () => {
    for (const [path, body] of requests(models["anthropic-messages"])) {
      const response = await post(path, { ...body, stream: true })
      await response.text()
      expect(cost(response)).toBeNull()
      expect(Number(await reported(response.headers.get("x-request-id")!))).toBeGreaterThan(0)
    }
  })

  it("is 0 for free models, and absent if it is unknown", async () => {
    const free = await post("/v1/responses", { model: "sandbox-text", input: "Hi" })
    expect(cost(free)).toBe("0.00")
    const unknown = await post("/v1/responses", { model: "behind-nothing", input: "play:text" })
    expect(unknown.status).toBe(200)
    expect(cost(unknown)).toBeNull()
    const refused = await post("/v1/responses", { model: models["openai-responses"], input: "play:error-before" })
    expect(refused.status).toBe(400)
    expect(cost(refused)).toBeNull()
  })
})

describe("the models that are listed", () => {
  const served = ["behind-messages", "sandbox-text"]

  it("are those that the key may use, for OpenAI's client", async () => {
    const client = new OpenAI({ apiKey: narrowKey, baseURL: `${world.gateway.url}/v1`, maxRetries: 0 })
    const ids: Array<string> = []
    for await (const { id } of client.models.list()) ids.push(id)
    expect(ids.toSorted()).toEqual(served)
    expect(await client.models.retrieve("behind-messages")).toMatchObject({
      object: "model",
      owned_by: "up-anthropic-messages"
    })
    const [foreign, unknown] = await Promise.all(
      ["behind-chat", "behind-chbt"].map((id) => client.models.retrieve(id).catch((error: unknown) => error))
    )
    expect(foreign).toMatchObject({ status: 404, param: "model" })
    expect(unknown).toMatchObject({ status: 404, param: "model" })
  })

  it("are those that the key may use, for Anthropic's client", async () => {
    const client = new Anthropic({ apiKey: narrowKey, baseURL: world.gateway.url, maxRetries: 0 })
    const page = await client.models.list()
    expect(page.data.map(({ id }) => id).toSorted()).toEqual(served)
    expect(page).toMatchObject({ has_more: false, first_id: page.data[0]?.id, last_id: page.data.at(-1)?.id })
    // OpenRouter's client refuses a list without these.
    const list = await request(world.gateway, "/v1/models", { key: narrowKey })
    expect(await list.json()).toMatchObject({ total_count: served.length, links: { next: null } })
    const entry = await client.models.retrieve("behind-messages")
    expect(entry).toMatchObject({ type: "model", display_name: "behind-messages" })
    // Its release is unknown.
    expect(entry.created_at).toBe("1970-01-01T00:00:00.000Z")
    await expect(client.models.retrieve("behind-chat")).rejects.toMatchObject({ status: 404 })
  })
})

describe("a caller's own names for its request", () => {
  const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

  it("come back on every answer and stand in the log", async () => {
    for (const path of ["/v1/responses", "/v1/nothing"]) {
      const name = `mine "${path}"`
      const response = await post(
        path,
        { model: "sandbox-text", input: "Hi" },
        { "x-client-request-id": name, traceparent }
      )
      expect(response.headers.get("x-client-request-id")).toBe(name)
      expect(response.headers.get("traceparent")).toBe(traceparent)
      const requestId = response.headers.get("x-request-id")!
      const line = await vi.waitFor(() => {
        const lines = world.gateway.output().split("\n")
        const found = lines.find((one) => one.includes(`"request_id":"${requestId}"`))
        if (found === undefined) throw new Error(`${requestId} is not in the log yet`)
        return found
      })
      expect(JSON.parse(line)).toMatchObject({ client_request_id: name, traceparent })
    }
  })

  it("are left out where no log should have them", async () => {
    for (const name of ["x".repeat(513), "caf\u00e9"]) {
      const response = await post(
        "/v1/responses",
        { model: "sandbox-text", input: "Hi" },
        { "x-client-request-id": name }
      )
      expect(response.status).toBe(200)
      expect(response.headers.get("x-client-request-id")).toBeNull()
    }
  })
})
