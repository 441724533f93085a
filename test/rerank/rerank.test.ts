import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Database } from "bun:sqlite"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startGateway } from "../gatewayHere.ts"
import { countText } from "../../src/tokens/tokens.ts"
import type { GatewayHere } from "../gatewayHere.ts"

const asked: Array<{ readonly path: string; readonly body: Record<string, unknown> }> = []
const results = [
  { index: 1, relevance_score: 0.9 },
  { index: 0, relevance_score: 0.1 }
]
/** Answers of servers by the query, as each of them writes its own. */
const answers: Record<string, object> = {
  cohere: { id: "x", results, meta: { api_version: { version: "2" }, billed_units: { search_units: 3 } } },
  jina: { model: "jina-reranker-v3", object: "list", results, usage: { total_tokens: 14 } },
  vllm: { id: "rerank-1", model: "m", results, usage: { prompt_tokens: 15, total_tokens: 15 } },
  untold: { results },
  beyond: { results: [{ index: 2, relevance_score: 1 }] },
  unscored: { results: [{ index: 0 }] },
  fractions: { results, meta: { billed_units: { search_units: 0.5 } } },
  "liar of units": { results, meta: { billed_units: { search_units: 1_000_000_000 } } },
  liar: { results, usage: { total_tokens: 900_000_000 } }
}
const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: async (request) => {
    const body = (await request.json()) as Record<string, unknown>
    asked.push({ path: new URL(request.url).pathname, body })
    return Response.json(answers[String(body["query"])] ?? answers["untold"])
  }
})

const secret = "rerank-secret-0123456789-0123456789"
const poor = "rerank-poor-secret-0123456789-0123456789"
let gateway: GatewayHere
let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "gateway-rerank-"))
  const at = `http://127.0.0.1:${upstream.port}`
  const routes = (name: string) => [{ upstream: name, model: "theirs" }]
  writeFileSync(
    join(folder, "gateway.yaml"),
    JSON.stringify({
      upstreams: {
        v1: { protocol: "openai-chat", base_url: `${at}/v1` },
        v2: { protocol: "openai-chat", base_url: `${at}/v2` },
        cohere: { protocol: "openai-chat", base_url: `${at}/compatibility/v1` },
        messages: { protocol: "anthropic-messages", base_url: `${at}/v1` },
        // Its circuit is its own.
        bad: { protocol: "openai-chat", base_url: `${at}/v1` }
      },
      models: {
        "by-unit-rerank": { routes: routes("v1"), price: { per_rerank_unit: 0.002_000_001 } },
        "by-token-rerank": { routes: routes("v1"), price: { input: 0.05 } },
        both: { routes: routes("v2"), kind: "rerank", price: { input: 0.05, per_rerank_unit: 0.001 } },
        "cohere-rerank": { routes: routes("cohere"), price: { per_rerank_unit: 0.002 } },
        "summed-rerank": { routes: routes("v1"), price: { per_rerank_unit: 0.002 } },
        "bad-rerank": { routes: routes("bad"), price: { per_rerank_unit: 0.002 } },
        "rerank-nowhere": { routes: routes("messages"), price: { per_rerank_unit: 1 } },
        "unlisted-rerank": { routes: routes("v1"), price: { output: 1 } }
      },
      keys: [
        { name: "rich", secret, balance_usd: 10 },
        // A unit and a half.
        { name: "poor", secret: poor, balance_usd: 0.003 }
      ]
    })
  )
  gateway = await startGateway({ folder })
})
afterAll(async () => {
  await gateway.dispose()
  await upstream.stop(true)
})

const post = async (body: object, { key = secret, path = "/v1/rerank", headers = {} } = {}) => {
  const response = await fetch(gateway.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    body: JSON.stringify(body)
  })
  return { status: response.status, headers: response.headers, body: await response.json() }
}

const documents = ["a blue sea", { text: "a red fox" }]
const costOf = async (model: string, query: string) => {
  const { headers, status } = await post({ model, query, documents })
  expect(status).toBe(200)
  const id = headers.get("x-request-id") ?? ""
  const database = new Database(join(folder, "data/gateway.db"), { readonly: true })
  for (;;) {
    const row = database
      .query<{ cost: number; units: number; tokens: number; estimated: number }, [string]>(
        "SELECT cost_nano_usd AS cost, rerank_units AS units, input_tokens AS tokens, estimated FROM usage WHERE request_id = ?"
      )
      .get(id)
    if (row !== null) return row
    await Bun.sleep(10)
  }
}

describe("sandbox-rerank", () => {
  it("orders documents by the words that they share with the query", async () => {
    const { body } = await post({
      model: "sandbox-rerank",
      query: "Red fox",
      documents: ["a blue sea", "the red door", { text: "a red fox" }],
      top_n: 2,
      return_documents: true
    })
    expect(body).toMatchObject({
      model: "sandbox-rerank",
      results: [
        { index: 2, relevance_score: 1, document: { text: "a red fox" } },
        { index: 1, relevance_score: 0.5 }
      ]
    })
    expect(body.results).toHaveLength(2)
    expect(body.usage.total_tokens).toBeGreaterThan(8)
  })
})

describe("an upstream that reranks", () => {
  it.each([
    ["by-unit-rerank", "/v1/rerank"],
    ["both", "/v2/rerank"],
    ["cohere-rerank", "/v2/rerank"]
  ])("gets the request as it came: %s at %s", async (model, path) => {
    const { body, headers, status } = await post({ model, query: "jina", documents, top_n: 2, tomorrow: "field" })
    expect(status).toBe(200)
    expect(asked.at(-1)).toEqual({
      path,
      body: { model: "theirs", query: "jina", documents, top_n: 2, tomorrow: "field" }
    })
    expect(body).toEqual({ ...answers["jina"], model })
    expect(headers.get("x-gateway-cost-nano-usd") ?? headers.get("x-gateway-upstream")).not.toBeNull()
  })

  it.each([
    // Three units as Cohere bills them.
    ["by-unit-rerank", "cohere", 6_000_003, 3],
    // One, by the number of documents.
    ["by-unit-rerank", "jina", 2_000_001, 1],
    ["by-unit-rerank", "untold", 2_000_001, 1],
    ["by-unit-rerank", "fractions", 2_000_001, 1],
    ["by-unit-rerank", "liar", 2_000_001, 1],
    // Its units are counted, and no token is missing.
    ["by-unit-rerank", "liar of units", 2_000_001, 1],
    ["by-token-rerank", "jina", 700, 1],
    ["by-token-rerank", "vllm", 750, 1],
    ["both", "jina", 1_000_700, 1]
  ])("%s, answered by %s, costs %i nano-dollars", async (model, query, cost, units) => {
    // What is charged is at most what was held.
    expect(await costOf(model, query)).toMatchObject({ cost: Math.min(cost, heldFor(model, cost)), units })
  })

  it("has its units in the usage report, for operators and for the account", async () => {
    const units = async (path: string, key: string) => {
      const response = await fetch(gateway.url + path, { headers: { authorization: `Bearer ${key}` } })
      const { data, totals } = await response.json()
      return [totals.rerank_units, data.map((row: { rerank_units: number }) => row.rerank_units)]
    }
    const report = "usage?by=model&model=summed-rerank"
    expect(await units(`/v1/${report}`, secret)).toEqual([0, []])
    const { cost } = await costOf("summed-rerank", "jina")
    await costOf("summed-rerank", "untold")
    expect(cost).toBe(2_000_000)
    await expect.poll(() => units(`/v1/${report}`, secret)).toEqual([2, [2]])
    const byRequest = await units("/v1/usage?by=request&model=summed-rerank", secret)
    expect(byRequest).toEqual([2, [1, 1]])
  })

  it("counts tokens if the upstream reports nothing", async () => {
    const { cost, estimated, tokens } = await costOf("by-token-rerank", "untold")
    // The query is read with each of the two documents.
    expect(tokens).toBe(2 * countText("untold") + countText("a blue sea") + countText("a red fox"))
    expect(cost).toBe(tokens * 50)
    expect(estimated).toBe(1)
  })

  it.each(["beyond", "unscored"])("is refused an answer that is none: %s", async (query) => {
    expect((await post({ model: "bad-rerank", query, documents })).status).toBe(500)
  })

  it.each(["/v2/rerank", "/v1/v2/rerank", "/rerank", "/v1/v1/rerank"])("serves clients at %s", async (path) => {
    const { body, status } = await post({ model: "both", query: "cohere", documents }, { path })
    expect([status, body]).toEqual([200, { ...answers["cohere"], model: "both" }])
  })

  it("runs once for requests with the same Idempotency-Key", async () => {
    const before = asked.length
    const again = () => post({ model: "both", query: "vllm", documents }, { headers: { "idempotency-key": "k1" } })
    expect((await again()).body).toEqual((await again()).body)
    expect(asked.length).toBe(before + 1)
  })
})

/** The hold of a short request is one unit; `both` has tokens too. */
const heldFor = (model: string, cost: number): number => (model === "by-unit-rerank" ? 2_000_001 : cost)

describe("admission", () => {
  it("holds a unit for each hundred pieces, and refuses what the balance can't pay", async () => {
    const many = Array.from({ length: 101 }, () => "short")
    const before = asked.length
    const broke = await post({ model: "cohere-rerank", query: "jina", documents: many }, { key: poor })
    expect([broke.status, broke.body.error.code]).toEqual([402, "insufficient_quota"])
    // Cohere cuts a long document into pieces of 500 tokens.
    const long = await post(
      { model: "cohere-rerank", query: "jina", documents: ["word ".repeat(10_100)] },
      { key: poor }
    )
    expect(long.status).toBe(402)
    expect(asked.length).toBe(before)
    expect((await post({ model: "cohere-rerank", query: "jina", documents }, { key: poor })).status).toBe(200)
  })

  it("quotes the units", async () => {
    const quote = { endpoint: "/v1/rerank", body: { model: "cohere-rerank", query: "q", documents } }
    const { body } = await post(quote, { path: "/v1/quote" })
    expect(body.estimated.cost.nano_usd).toBe(2_000_000)
    expect(body.maximum.cost.nano_usd).toBe(2_000_000)
  })

  it("refuses a price that has neither units nor tokens", async () => {
    const { body, status } = await post({ model: "unlisted-rerank", query: "jina", documents })
    expect([status, body.error.message]).toEqual([403, expect.stringContaining("documents")])
  })

  it.each([
    [{ query: "q", documents: [] }, "documents"],
    [{ query: "", documents }, "query"],
    [{ query: "q".repeat(65_537), documents }, "query"],
    [{ query: "q", documents: Array.from({ length: 10_001 }, () => "d") }, "documents"],
    [{ query: "q", documents: [7] }, "documents[0]"],
    [{ query: "q", documents, top_n: 0 }, "top_n"]
  ])("names the field that is wrong: %#", async (wrong, param) => {
    const { body, status } = await post({ model: "by-unit-rerank", ...wrong })
    expect([status, body.error.param]).toEqual([400, param])
  })

  it("refuses a model whose upstreams don't rerank, and a model that is not there", async () => {
    expect((await post({ model: "rerank-nowhere", query: "q", documents })).status).toBe(400)
    expect((await post({ model: "no-such", query: "q", documents })).body.error.code).toBe("model_not_found")
  })
})

const models = {
  text: "sandbox-text",
  embedding: "sandbox-embed",
  rerank: "sandbox-rerank",
  image: "sandbox-image",
  speech: "sandbox-speech",
  video: "sandbox-video"
}
const endpoints = {
  "/v1/messages": ["text", { max_tokens: 9, messages: "Hi" }],
  "/v1/responses": ["text", { input: "Hi" }],
  "/v1/chat/completions": ["text", { messages: [{ role: "user", content: "Hi" }] }],
  "/v1/embeddings": ["embedding", { input: "Hi" }],
  "/v1/rerank": ["rerank", { query: "Hi", documents: ["Hi"] }],
  "/v1/images/generations": ["image", { prompt: "Hi", size: "64x64" }],
  "/api/v3/contents/generations/tasks": ["video", { content: [{ type: "text", text: "Hi" }] }]
} as const
const cases = Object.entries(endpoints).flatMap(([path, [kind, body]]) =>
  Object.entries(models).map(([other, model]) => [path, other, { model, ...body }, other === kind] as const)
)

it.each(cases)("%s with a model for %s", async (path, _, body, isServed) => {
  const { body: answer, status } = await post(body, { path })
  expect(status).toBe(isServed ? 200 : 400)
  if (!isServed) expect(JSON.stringify(answer)).toMatch(/model: .*" is an? \w+ model, not an? \w+ model/)
})
