import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { fakeUpstream } from "../upstreams/fakes/fakeUpstream.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { request } from "../request.ts"

const searxng = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => Response.json({ results: [] }) })
const chat = fakeUpstream("openai-chat")

const secretOf = (name: string) => `${name}-secret-0123456789-0123456789`
const config = {
  search: { provider: "searxng", base_url: `http://127.0.0.1:${searxng.port}` },
  upstreams: { chat: { protocol: "openai-chat", base_url: `${chat.url}/v1` } },
  models: {
    plain: { routes: [{ upstream: "chat" }], price: { input: 1, output: 2 } },
    searching: { routes: [{ upstream: "chat" }], price: { input: 1, output: 2, per_search: 0 } }
  },
  keys: [
    { name: "rich", account: "rich", secret: secretOf("rich"), balance_usd: 100 },
    { name: "free", account: "open", secret: secretOf("free") }
  ]
}

let gateway: GatewayHere
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-unpriced-search-"))
  writeFileSync(join(folder, "gateway.yaml"), JSON.stringify(config))
  gateway = await startGateway({ folder })
})
afterAll(async () => {
  await gateway.dispose()
  await Promise.all([chat.stop(), searxng.stop()])
})

const fn = { type: "function", name: "look", parameters: { type: "object", properties: {} } }
const search = { type: "web_search" }
/** What Codex sends by default: a search among its tools. */
const ask = { model: "plain", input: "Hello", tools: [fn, search] }
const post = (path: string, body: object, key = "rich", headers = {}) =>
  request(gateway, path, { body, key: secretOf(key), headers })

/** The names of the tools that the upstream was last offered. */
const offered = (): ReadonlyArray<string> =>
  (chat.asked.at(-1)?.body.tools ?? []).map((tool: { function: { name: string } }) => tool.function.name)

describe("a search that the gateway would run without a price", () => {
  it("is left out where money is counted, if the model has other tools and a choice", async () => {
    for (const stream of [false, true]) {
      const answer = await post("/v1/responses", { ...ask, stream })
      expect([answer.status, answer.headers.get("x-gateway-adapted")]).toEqual([200, "tools.web_search"])
      expect(offered()).toEqual(["look"])
      await answer.text()
    }
    expect((await post("/v1/quote", { endpoint: "/v1/responses", body: ask })).status).toBe(200)
  })

  it("is run where money is not counted, and where it has a price", async () => {
    for (const [model, key] of [["plain", "free"] as const, ["searching", "rich"] as const]) {
      const answer = await post("/v1/responses", { ...ask, model }, key)
      expect([answer.status, answer.headers.get("x-gateway-adapted")]).toEqual([200, null])
      expect(offered()).toEqual(["look", "web_search"])
    }
  })

  it("is refused where the model has to search, and in strict mode", async () => {
    const message = '"tools[0]": "web_search" of model "plain" has no price'
    const alone = { ...ask, tools: [search] }
    for (const body of [alone, { ...ask, tools: [search, fn], tool_choice: { type: "web_search" } }]) {
      const refused = await post("/v1/responses", body)
      expect([refused.status, await refused.json()]).toMatchObject([403, { error: { param: "tools[0]", message } }])
    }
    const strict = await post("/v1/responses", ask, "rich", { "x-gateway-strict": "true" })
    expect([strict.status, await strict.json()]).toMatchObject([
      400,
      { error: { message: expect.stringContaining("has no price") } }
    ])
  })

  it("is left out of an answer that is fetched later", async () => {
    const answer = await post("/v1/responses", { ...ask, input: "later", background: true })
    const { id } = (await answer.json()) as { id: string }
    const status = async () => {
      const read = await request(gateway, `/v1/responses/${id}`, { key: secretOf("rich") })
      return ((await read.json()) as { status: string }).status
    }
    await expect.poll(status).toBe("completed")
    expect(chat.asked.at(-1)?.text).toContain("later")
    expect(offered()).toEqual(["look"])
  })
})
