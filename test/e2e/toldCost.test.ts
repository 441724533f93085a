import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import type { RequestView } from "../../src/requests/RequestView.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { request } from "../request.ts"
import { describeOnEach, gatewayEnv } from "../sql/engines.ts"
import { adminKey } from "./adminClient.ts"
import { chat, play, responses } from "./playedAnswers.ts"
import type { Json } from "./playedAnswers.ts"
import { until } from "./videoTask.ts"

/* What a provider says that it charged is the operator's cost, where its row says that it is believed. */

const embeddings = Bun.serve({
  port: 0,
  fetch: () =>
    Response.json({
      object: "list",
      model: "e",
      data: [{ object: "embedding", index: 0, embedding: [0.1] }],
      usage: { prompt_tokens: 1_000, total_tokens: 1_000, cost_in_usd_ticks: 30_000_000 }
    })
})
/** A provider of videos in OpenAI's shape, whose records tell what they cost. */
const record = { object: "video", status: "completed", seconds: "8", size: "1280x720", model: "sora-2" }
let made = 0
const videos = Bun.serve({
  port: 0,
  fetch: async (asked) => {
    await asked.arrayBuffer()
    if (asked.method === "POST") return Response.json({ ...record, id: `video_${++made}`, status: "queued" })
    if (asked.url.endsWith("/content")) return new Response(mp4)
    return Response.json({ ...record, id: asked.url.split("/").at(-1), usage: { cost: 0.9 } })
  }
})
const mp4 = new Uint8Array([0, 0, 0, 24, ...Buffer.from("ftypisom"), 0, 0, 2, 0, ...Buffer.from("isomiso2")])
afterAll(() => videos.stop(true))
afterAll(() => Promise.all([...[responses, chat].map((fake) => fake.stop()), embeddings.stop(true)]))

const rich = "rich-secret-0123456789-0123456789"
const free = "free-secret-0123456789-0123456789"
const at = (provider: string | undefined, protocol: string, url: string) => ({
  ...(provider !== undefined && { provider }),
  protocol,
  base_url: `${url}/v1`,
  api_key: "k"
})
/** 1,000 and 100 tokens are 2,000,000 nano-dollars. */
const price = { input: 1, output: 10 }
const model = (upstream: string, more: Json = {}) => ({ routes: [{ upstream }], price: { ...price, ...more } })
const config = {
  upstreams: {
    openrouter: at("openrouter", "openai-chat", chat.url),
    perplexity: at("perplexity", "openai-chat", chat.url),
    "xai-chat": at("xai", "openai-chat", chat.url),
    xai: at("xai", "openai-responses", responses.url),
    unknown: at(undefined, "openai-chat", chat.url),
    openai: at("openai", "openai-responses", responses.url),
    embedder: at("xai", "openai-chat", `http://127.0.0.1:${embeddings.port}`),
    videos: at("openrouter", "openai-videos", `http://127.0.0.1:${videos.port}`),
    "other-videos": at(undefined, "openai-videos", `http://127.0.0.1:${videos.port}`)
  },
  callbacks: { allow: ["127.0.0.0/8"] },
  models: {
    openrouter: model("openrouter"),
    perplexity: model("perplexity"),
    "xai-chat": model("xai-chat"),
    xai: model("xai"),
    unknown: model("unknown", { told: true }),
    openai: model("openai", { told: true }),
    charging: model("openrouter", { told: true }),
    dearer: model("openrouter"),
    embedder: { ...model("embedder"), kind: "embedding" },
    video: { routes: [{ upstream: "videos", model: "sora-2" }], price: { per_second: 0.1 } },
    "other-video": { routes: [{ upstream: "other-videos", model: "sora-2" }], price: { per_second: 0.1 } },
    "charging-video": { routes: [{ upstream: "videos", model: "sora-2" }], price: { per_second: 0.1, told: true } }
  },
  keys: [
    { name: "rich", account: "rich", secret: rich, balance_usd: 1_000 },
    { name: "free", account: "free", secret: free }
  ]
}

const tokens = { prompt_tokens: 1_000, completion_tokens: 100, total_tokens: 1_100 }
const completion = (usage: Json): Json => ({
  id: "c",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
  usage: { ...tokens, ...usage }
})
const text = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text: "Hi", annotations: [] }]
}
const response = (usage: Json): Json => ({
  id: "resp_1",
  object: "response",
  status: "completed",
  model: "m",
  output: [text],
  usage: { input_tokens: 1_000, output_tokens: 100, total_tokens: 1_100, ...usage }
})

const computed = 2_000_000
/** The model, the answer's figures, the operator's cost, and the caller's. */
const cases: ReadonlyArray<readonly [model: string, answer: Json, upstream: number, charged: number]> = [
  ["openrouter", completion({ cost: 0.003 }), 3_000_000, computed],
  [
    "openrouter",
    completion({ cost: 0.0001, is_byok: true, cost_details: { upstream_inference_cost: 0.0021 } }),
    2_200_000,
    computed
  ],
  ["openrouter", completion({ cost: -1 }), computed, computed],
  ["openrouter", completion({ cost: 1_000 }), computed, computed],
  ["openrouter", completion({}), computed, computed],
  ["charging", completion({ cost: 0.0031234567 }), 3_123_457, 3_123_457],
  ["charging", completion({ cost: 1_000 }), computed, computed],
  ["perplexity", completion({ cost: { total_cost: 0.006 } }), 6_000_000, computed],
  ["xai-chat", completion({ cost_in_usd_ticks: 30_000_005 }), 3_000_001, computed],
  ["xai", response({ cost_in_usd_ticks: 19_000_000 }), 1_900_000, computed],
  ["unknown", completion({ cost: 0.003, cost_in_usd_ticks: 30_000_000 }), computed, computed],
  ["openai", response({ cost: 0.003 }), computed, computed]
]
const families: ReadonlyArray<readonly [path: string, body: Json]> = [
  ["/v1/chat/completions", { messages: [{ role: "user", content: "Hi" }], max_completion_tokens: 500 }],
  ["/v1/messages", { messages: [{ role: "user", content: "Hi" }], max_tokens: 500 }],
  ["/v1/responses", { input: "Hi", max_output_tokens: 500 }],
  ["/v1/responses", { input: "Hi", max_output_tokens: 500, background: true, store: true }]
]

describeOnEach("what a provider says that it charged", ({ name }) => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-told-"))
  let gateway: GatewayHere
  beforeAll(async () => {
    writeFileSync(join(folder, "gateway.yaml"), JSON.stringify(config))
    const env = { ...(await gatewayEnv(`told-${name}`)), GATEWAY_ADMIN_KEY: adminKey }
    gateway = await startGateway({ folder, env })
  }, 60_000)
  afterAll(() => gateway.dispose())

  const admin = async (path: string) => (await request(gateway, `/admin/v1${path}`, { key: adminKey })).json()
  const rowOf = async (path: string, body: Json, key: string): Promise<RequestView> => {
    const answered = await request(gateway, path, { body, key })
    const said = await answered.text()
    expect(answered.status, said).toBe(200)
    const id = answered.headers.get("x-request-id")
    const rows = await until(
      async (): Promise<ReadonlyArray<RequestView>> => (await admin("/requests?limit=5")).data,
      (found) => found.some(({ cost_usd, request_id }) => request_id === id && cost_usd !== null)
    )
    const row = rows.find(({ request_id }) => request_id === id)
    if (row === undefined) throw new Error("no row")
    return row
  }
  const nano = (usd: number | null | undefined) => Math.round((usd ?? 0) * 1e9)

  for (const [model, answer, upstream, charged] of cases) {
    const usage = JSON.stringify(answer["usage"]).replace(/^.*"total_tokens":1100,?/, "{")
    it(`is the operator's cost or not, of ${model} with ${usage}`, async () => {
      play.answer = answer
      for (const [path, body] of families) {
        for (const stream of [false, true]) {
          for (const key of [rich, free]) {
            const { cost_usd, notes, upstream_cost_usd } = await rowOf(path, { model, ...body, stream }, key)
            expect([path, stream, key, nano(upstream_cost_usd), nano(cost_usd)]).toEqual([
              path,
              stream,
              key,
              upstream,
              charged
            ])
            const isTask = body["background"] === true
            const differs = upstream !== computed || JSON.stringify(answer).includes('"cost":1000')
            if (!isTask) expect([path, notes]).toEqual([path, differs ? ["price_differs"] : []])
          }
        }
      }
    }, 60_000)
  }

  it("is told of embeddings too", async () => {
    const { cost_usd, upstream_cost_usd } = await rowOf(
      "/v1/embeddings",
      { model: "embedder", input: "word ".repeat(1_000) },
      rich
    )
    expect([nano(upstream_cost_usd), nano(cost_usd)]).toEqual([3_000_000, 1_000_000])
  })

  it.each([
    ["video", 900_000_000, 800_000_000],
    ["charging-video", 900_000_000, 900_000_000],
    ["other-video", 800_000_000, 800_000_000]
  ])(
    "is told of videos too: %s",
    async (model, upstream, charged) => {
      for (const key of [rich, free]) {
        const body = { model, content: [{ type: "text", text: "a cat" }], resolution: "720p", duration: 8 }
        const { cost_usd, upstream_cost_usd } = await rowOf("/api/v3/contents/generations/tasks", body, key)
        // A second more than was asked for is held.
        expect([nano(upstream_cost_usd), nano(cost_usd)]).toEqual([upstream, charged])
      }
    },
    60_000
  )

  it("that differs by more than 1 % is counted, and needs attention until it agrees again", async () => {
    play.answer = completion({ cost: 0.0021 })
    const ask = () => rowOf("/v1/messages", { model: "dearer", ...families[1]?.[1] }, rich)
    await ask()
    await ask()
    const metrics = await (await request(gateway, "/metrics", { key: adminKey })).text()
    expect(metrics).toContain('gateway_price_differs_total{upstream="openrouter",model="dearer"} 2')
    expect(metrics).not.toMatch(/gateway_price_differs_total\{upstream="(?:unknown|openai)"/)
    const about = async () => {
      const { data } = await admin("/attention")
      return data.filter(({ what }: Json) => what === "prices").map(({ message }: Json) => message)
    }
    expect(await about()).toContain(
      "dearer at openrouter: the price in gateway.yaml may be stale: openrouter charged $0.0021 for 2 answers, the last of $0.002 by the price"
    )
    // What is charged as told needs none, nor does a margin.
    expect((await about()).filter((message: string) => /^(?:charging|xai) at/.test(message))).toEqual([])
    play.answer = completion({ cost: 0.002 })
    await ask()
    expect((await about()).filter((message: string) => message.startsWith("dearer"))).toEqual([])
  })
})
