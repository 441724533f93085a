import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { request } from "../request.ts"
import { fakeUpstream } from "../upstreams/fakes/fakeUpstream.ts"
import type { Asked } from "../upstreams/fakes/fakeUpstream.ts"

let searches = 0
const searxng = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: () => {
    searches++
    return Response.json({ results: [{ url: "https://a.example.com/", title: "A", content: "Words. ".repeat(50) }] })
  }
})

/** What each call of the model gets, by the number of results that it has read. */
let answers: (found: number) => "search" | "words" | "busy" = () => "search"
let [running, mostRunning] = [0, 0]
const answer = async ({ body }: Asked): Promise<Response> => {
  mostRunning = Math.max(mostRunning, ++running)
  await Bun.sleep(20)
  running--
  const found = body.messages.filter((one: { role: string }) => one.role === "tool").length
  const how = answers(found)
  if (how === "busy") return Response.json({ error: { message: "busy" } }, { status: 429 })
  const isSearch = how === "search" && body.tools !== undefined
  const call = { id: `call_${found}`, type: "function", function: { name: "web_search", arguments: '{"query":"a"}' } }
  const message = { role: "assistant", content: isSearch ? null : "Words", ...(isSearch && { tool_calls: [call] }) }
  const usage = { prompt_tokens: 100 * (found + 1), completion_tokens: 10, total_tokens: 100 * (found + 1) + 10 }
  const choice = { index: 0, message, finish_reason: isSearch ? "tool_calls" : "stop" }
  return Response.json({ id: "c", object: "chat.completion", choices: [choice], usage })
}
const chat = fakeUpstream("openai-chat", { answer })

const secretOf = (name: string) => `${name}-secret-0123456789-0123456789`
const key = (name: string, balance_usd: number) => ({ name, account: name, secret: secretOf(name), balance_usd })
const price = { input: 100, output: 100, per_search: 0.01 }
const config = {
  search: { provider: "searxng", base_url: `http://127.0.0.1:${searxng.port}` },
  upstreams: { chat: { protocol: "openai-chat", base_url: `${chat.url}/v1`, max_concurrency: 1 } },
  models: { house: { routes: [{ upstream: "chat" }], price, context: 1_000 } },
  keys: [key("rich", 1_000), key("tight", 0.19)]
}

let gateway: GatewayHere
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-search-rounds-"))
  writeFileSync(join(folder, "gateway.yaml"), JSON.stringify(config))
  gateway = await startGateway({ folder })
})
afterAll(async () => {
  await gateway.dispose()
  await Promise.all([chat.stop(), searxng.stop(true)])
})

const ask = async (name: string, tool: object = {}) => {
  searches = 0
  const body = { model: "house", input: "Hi", max_output_tokens: 300, tools: [{ type: "web_search", ...tool }] }
  const answer = await request(gateway, "/v1/responses", { body, key: secretOf(name) })
  return { status: answer.status, body: await answer.json(), headers: answer.headers }
}
const balance = async (name: string): Promise<number> =>
  Number((await (await request(gateway, "/v1/balance", { key: secretOf(name) })).json()).available.usd)

describe("an answer of many rounds", () => {
  it("is one request at its upstream, whose place it keeps", async () => {
    mostRunning = 0
    answers = (found) => (found < 3 ? "search" : "words")
    const all = await Promise.all([ask("rich"), ask("rich"), ask("rich")])
    expect(all.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(mostRunning).toBe(1)
    expect(all[0].body.usage).toMatchObject({ input_tokens: 1_000, output_tokens: 40 })
  })

  it("goes on after a round that was refused for load, and searches for nothing twice", async () => {
    let refusals = 2
    answers = (found) => (found === 1 && refusals-- > 0 ? "busy" : found < 2 ? "search" : "words")
    const { body } = await ask("rich")
    expect(body.status).toBe("completed")
    expect(searches).toBe(2)
    expect(gateway.output()).toContain('"event":"upstream.round"')
  })

  it("costs what its rounds cost, beyond the hold that it began with", async () => {
    answers = (found) => (found < 8 ? "search" : "words")
    const before = await balance("rich")
    const { headers } = await ask("rich")
    expect(searches).toBe(8)
    const cost = 4_500 * 0.0001 + 90 * 0.0001 + 8 * 0.01
    expect(Number(headers.get("x-gateway-cost-usd"))).toBeCloseTo(cost, 6)
    expect(before - (await balance("rich"))).toBeCloseTo(cost, 6)
  })

  it("stops where its caller's money ends, which pays for all that it got", async () => {
    answers = () => "search"
    const { body, headers } = await ask("tight")
    expect(body).toMatchObject({ status: "incomplete", incomplete_details: { reason: "max_output_tokens" } })
    const cost = Number(headers.get("x-gateway-cost-usd"))
    const { input_tokens, output_tokens } = body.usage
    expect(cost).toBeCloseTo((input_tokens + output_tokens) * 0.0001 + searches * 0.01, 6)
    expect(await balance("tight")).toBeCloseTo(0.19 - cost, 6)
    expect(cost).toBeLessThanOrEqual(0.19)
    expect(searches).toBeGreaterThan(1)
  })
})
