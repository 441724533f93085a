import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import OpenAI from "openai"
import { countText } from "../../src/tokens/tokens.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"

const asked: Array<{ readonly path: string; readonly body: Record<string, unknown> }> = []
const result = { categories: { hate: true }, category_scores: { hate: 0.9 } }
/** Answers of servers by the input, as each of them writes its own. */
const answers: Record<string, object> = {
  openai: { id: "modr-1", model: "omni-moderation-2024-09-26", results: [{ flagged: true, ...result }] },
  mistral: {
    id: "m-1",
    model: "m",
    usage: { prompt_tokens: 7, completion_tokens: 0, total_tokens: 7 },
    results: [result]
  },
  "openai,more": { id: "modr-2", model: "m", results: [result, result] },
  "one,two": { id: "modr-3", model: "m", results: [result] },
  none: { results: [] },
  unscored: { results: [{ flagged: true }] }
}
const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: async (request) => {
    const body = (await request.json()) as Record<string, unknown>
    asked.push({ path: new URL(request.url).pathname, body })
    return Response.json(answers[String(body["input"])] ?? answers["openai"])
  }
})

const secret = "moderation-secret-0123456789-0123456789"
const poor = "moderation-poor-secret-0123456789-0123456789"
let gateway: GatewayHere
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-moderations-"))
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
        "omni-moderation-latest": { routes: routes("responses") },
        "other-moderation": { routes: routes("chat") },
        guard: { routes: routes("chat"), kind: "moderation", price: { input: 1 } },
        "bad-moderation": { routes: routes("bad") },
        "moderation-nowhere": { routes: routes("messages"), kind: "moderation" }
      },
      keys: [
        { name: "rich", secret, balance_usd: 10 },
        { name: "poor", secret: poor, balance_usd: 0.000_02 }
      ]
    })
  )
  gateway = await startGateway({ folder })
})
afterAll(async () => {
  await gateway.dispose()
  await upstream.stop(true)
})

const post = async (body: object, { key = secret, path = "/v1/moderations", headers = {} } = {}) => {
  const response = await fetch(gateway.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    body: JSON.stringify(body)
  })
  return { status: response.status, headers: response.headers, body: await response.json() }
}
const client = () => new OpenAI({ apiKey: secret, baseURL: `${gateway.url}/v1`, maxRetries: 0 })

describe("sandbox-moderation", () => {
  const moderate = (input: OpenAI.ModerationCreateParams["input"]) =>
    client().moderations.create({ model: "sandbox-moderation", input })

  it("flags what directives name, for each text", async () => {
    const { results } = await moderate(["a red fox", "[[sandbox: flag=violence,hate/threatening]] a fox"])
    expect(results.map(({ flagged }) => flagged)).toEqual([false, true])
    const named = Object.entries(results[1]?.categories ?? {}).filter(([, applies]) => applies)
    expect(named.map(([name]) => name)).toEqual(["hate/threatening", "violence"])
    expect(results[1]?.category_scores.violence).toBeGreaterThan(0.5)
    expect(results[0]?.category_scores.violence).toBeLessThan(0.5)
  })

  it("looks at all parts together", async () => {
    const { results } = await moderate([
      { type: "text", text: "[[sandbox: flag=sexual]]" },
      { type: "image_url", image_url: { url: "https://files.invalid/a.png" } }
    ])
    expect(results).toHaveLength(1)
    expect(results[0]).toMatchObject({
      flagged: true,
      category_applied_input_types: { sexual: ["text", "image"], hate: ["text"] }
    })
  })

  it("says the same of the same", async () => {
    expect(await moderate("a fox")).toEqual(await moderate("a fox"))
  })

  it.each([
    ["[[sandbox: flag=rudeness]]", 400],
    ["[[sandbox: pace=1s]]", 400],
    ["[[sandbox: error=429]]", 429],
    ["[[sandbox: error=500]]", 500]
  ])("fails as a directive says: %s", async (input, status) => {
    expect((await post({ model: "sandbox-moderation", input })).status).toBe(status)
  })
})

describe("an upstream that moderates", () => {
  const parts = [
    { type: "text", text: "openai" },
    { type: "image_url", image_url: { url: "https://files.invalid" } }
  ]

  it.each([
    ["omni-moderation-latest", "openai"],
    ["other-moderation", ["openai", "more"]],
    ["other-moderation", parts],
    ["guard", "mistral"]
  ])("gets the request as it came, and its answer comes back: %s, %j", async (model, input) => {
    const { body, status } = await post({ model, input, tomorrow: "field" })
    expect(status).toBe(200)
    expect(asked.at(-1)).toEqual({ path: "/v1/moderations", body: { model: "theirs", input, tomorrow: "field" } })
    const answered = Array.isArray(input) ? input.filter((one) => typeof one === "string").join(",") : input
    expect(body).toEqual({ ...(answers[answered] ?? answers["openai"]), model })
  })

  it("is the usual one for a request without a model", async () => {
    const { model, results } = await client().moderations.create({ input: "openai" })
    expect([model, results[0]?.flagged]).toEqual(["omni-moderation-latest", true])
  })

  it.each([
    ["other-moderation", "openai", 0],
    ["guard", "mistral", 7_000],
    ["guard", "openai", countText("openai") * 1_000]
  ])("costs nothing unless it has a price: %s, %s", async (model, input, cost) => {
    const { headers } = await post({ model, input })
    expect(Number(headers.get("x-gateway-cost-usd"))).toBe(cost / 1e9)
  })

  it.each([["none"], ["unscored"], [["one", "two"]]])("is refused an answer that is none: %j", async (input) => {
    expect((await post({ model: "bad-moderation", input })).status).toBe(500)
  })

  it("runs once for requests with the same Idempotency-Key", async () => {
    const before = asked.length
    const again = () => post({ model: "guard", input: "openai" }, { headers: { "idempotency-key": "k1" } })
    expect((await again()).body).toEqual((await again()).body)
    expect(asked.length).toBe(before + 1)
  })

  it("serves clients without a version in their base URL", async () => {
    expect((await post({ model: "guard", input: "openai" }, { path: "/moderations" })).status).toBe(200)
  })
})

describe("admission", () => {
  it("holds the input, and refuses what the balance can't pay", async () => {
    const before = asked.length
    const broke = await post({ model: "guard", input: "word ".repeat(100) }, { key: poor })
    expect([broke.status, broke.body.error.code]).toEqual([402, "insufficient_quota"])
    expect(asked.length).toBe(before)
    expect((await post({ model: "guard", input: "openai" }, { key: poor })).status).toBe(200)
  })

  it("quotes the input", async () => {
    const quote = { endpoint: "/v1/moderations", body: { model: "guard", input: "openai" } }
    const { body } = await post(quote, { path: "/v1/quote" })
    expect(body.maximum.cost.nano_usd).toBeGreaterThanOrEqual(countText("openai") * 1_000)
    expect(body.maximum.cost.nano_usd).toBeLessThan(20_000)
  })

  it.each([
    [{ input: [] }, "input"],
    [{ input: "" }, "input"],
    [{ input: 7 }, "input"],
    [{ input: ["a", 7] }, "input[1]"],
    [{ input: Array.from({ length: 2_049 }, () => "a") }, "input"],
    [{}, "input"]
  ])("names the field that is wrong: %#", async (wrong, param) => {
    const { body, status } = await post({ model: "guard", ...wrong })
    expect([status, body.error.param]).toEqual([400, param])
  })

  it("refuses models that don't moderate, and moderation models elsewhere", async () => {
    expect((await post({ model: "moderation-nowhere", input: "a" })).status).toBe(400)
    expect((await post({ model: "sandbox-text", input: "a" })).status).toBe(400)
    expect((await post({ model: "sandbox-moderation", input: "a" }, { path: "/v1/responses" })).status).toBe(400)
    expect((await post({ model: "no-such", input: "a" })).body.error.code).toBe("model_not_found")
  })
})
