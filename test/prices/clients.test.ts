import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Database } from "bun:sqlite"
import { createAnthropic } from "@ai-sdk/anthropic"
import { createOpenAI } from "@ai-sdk/openai"
import Anthropic from "@anthropic-ai/sdk"
import { ChatOpenAI } from "@langchain/openai"
import { afterAll, beforeAll, expect, it } from "@effect/vitest"
import { generateText, streamText } from "ai"
import OpenAI from "openai"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { answerOf } from "./provider.ts"

/*
 * Official clients, as they are, at answers with tiers, speeds, places, sound, long caches and tools: each accepts its
 * answer, and the row, the header and the price by hand agree.
 */

const wires = { "/r/": "responses", "/c/": "chat", "/m/": "messages" } as const

const answers = {
  responses: {
    id: "resp_1",
    object: "response",
    status: "completed",
    service_tier: "priority",
    output: [
      { type: "code_interpreter_call", id: "ci_1", status: "completed", code: "1", container_id: "c", outputs: [] }
    ],
    tools: [{ type: "image_generation", model: "images" }],
    tool_usage: {
      web_search: { num_requests: 0 },
      image_gen: {
        input_tokens: 100,
        input_tokens_details: { text_tokens: 100, image_tokens: 0 },
        output_tokens: 1_000,
        output_tokens_details: { text_tokens: 0, image_tokens: 1_000 }
      }
    },
    usage: {
      input_tokens: 1_000,
      input_tokens_details: {
        cached_tokens: 400,
        cache_write_tokens: 100,
        cache_write_tokens_details: { ttl_30m_tokens: 0, ttl_12h_tokens: 100 }
      },
      output_tokens: 50,
      output_tokens_details: { reasoning_tokens: 10 },
      total_tokens: 1_050
    }
  },
  chat: {
    object: "chat.completion.chunk",
    service_tier: "flex",
    usage: {
      prompt_tokens: 1_000,
      completion_tokens: 50,
      total_tokens: 1_050,
      prompt_tokens_details: { cached_tokens: 0, audio_tokens: 200 },
      completion_tokens_details: { audio_tokens: 20, accepted_prediction_tokens: 5, rejected_prediction_tokens: 7 }
    }
  },
  messages: {
    usage: {
      input_tokens: 1_000,
      cache_read_input_tokens: 0,
      cache_creation_input_tokens: 300,
      cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 200 },
      output_tokens: 50,
      speed: "fast",
      inference_geo: "us",
      service_tier: "standard",
      iterations: [
        { type: "message", input_tokens: 1_000, output_tokens: 50, cache_creation_input_tokens: 300 },
        { type: "compaction", input_tokens: 2_000, output_tokens: 100 }
      ]
    }
  }
} as const

const price = {
  input: 2,
  cached_input: 0.2,
  cache_write: 2.5,
  cache_write_1h: 4,
  cache_write_12h: 5,
  output: 16,
  audio: { input: 32, output: 64 },
  service_tier: { priority: 2, flex: 0.5 },
  speed: { fast: 2 },
  inference_geo: { us: 1.1 },
  per_call: { code_interpreter: 0.03 }
}

/** In nano-dollars, by hand. */
const costs = {
  // (500 × 2 + 400 × 0.2 + 100 × 5 + 50 × 16) × 2, a session, and 100 × 5 + 1,000 × 30 of the image model.
  responses: (1_000 + 80 + 500 + 800) * 2 * 1_000 + 30_000_000 + (500 + 30_000) * 1_000,
  // (800 × 2 + 200 × 32 + 30 × 16 + 20 × 64) × 0.5
  chat: ((1_600 + 6_400 + 480 + 1_280) / 2) * 1_000,
  // (1,000 × 2 + 100 × 2.5 + 200 × 4 + 50 × 16 + 2,000 × 2 + 100 × 16) × 2.2
  messages: (2_000 + 250 + 800 + 800 + 4_000 + 1_600) * 2.2 * 1_000
}

const upstream = Bun.serve({
  port: 0,
  fetch: async (request) => {
    const body = await request.text()
    const [, wire] = Object.entries(wires).find(([path]) => request.url.includes(path)) ?? []
    if (wire === undefined) return new Response("", { status: 404 })
    const rest = { id: "", provider: "", model: "m", request: {}, price: {}, terms: [], nano_usd: 0, how: "" }
    return answerOf({ ...rest, wire, answer: answers[wire] }, body.includes('"stream":true'))
  }
})

let gateway: GatewayHere
let database: Database
let seen: Array<Response> = []

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-clients-"))
  const at = (protocol: string, path: string) => ({
    protocol,
    base_url: `http://127.0.0.1:${upstream.port}${path}v1`,
    api_key: "sk-test"
  })
  const config = {
    upstreams: {
      responses: at("openai-responses", "/r/"),
      chat: at("openai-chat", "/c/"),
      messages: at("anthropic-messages", "/m/")
    },
    models: Object.fromEntries(
      Object.values(wires).map((wire) => [wire, { routes: [{ upstream: wire, model: "m" }], price }])
    ),
    prices_file: "prices.json"
  }
  writeFileSync(join(folder, "gateway.yaml"), JSON.stringify(config))
  writeFileSync(join(folder, "prices.json"), JSON.stringify({ images: { input: 5, image: { output: 30 } } }))
  gateway = await startGateway({ folder })
  database = new Database(join(folder, "data/gateway.db"), { readonly: true })
}, 30_000)
afterAll(async () => {
  database.close()
  await gateway.dispose()
  await upstream.stop(true)
})

const watched: typeof fetch = Object.assign(
  async (...given: Parameters<typeof fetch>) => {
    const response = await fetch(...given)
    seen.push(response)
    return response
  },
  { preconnect: fetch.preconnect }
)
const tools = [
  { type: "code_interpreter", container: { type: "auto" } },
  { type: "image_generation", model: "images" }
] as const
const text = `Say something. ${"word ".repeat(1_000)}`
const said = [{ role: "user", content: text }] as const
const openai = () => new OpenAI({ apiKey: gateway.key, baseURL: `${gateway.url}/v1`, fetch: watched, maxRetries: 0 })
const anthropic = () => new Anthropic({ apiKey: gateway.key, baseURL: gateway.url, fetch: watched, maxRetries: 0 })
const vercel = () => createOpenAI({ apiKey: gateway.key, baseURL: `${gateway.url}/v1`, fetch: watched })
const claude = () => createAnthropic({ apiKey: gateway.key, baseURL: `${gateway.url}/v1`, fetch: watched })

const clients: Readonly<Record<string, readonly [keyof typeof costs, () => Promise<unknown>]>> = {
  "openai, responses": [
    "responses",
    async () =>
      (
        await openai().responses.create({
          model: "responses",
          input: text,
          service_tier: "priority",
          tools: [...tools]
        })
      ).output_text
  ],
  "openai, responses streamed": [
    "responses",
    async () => {
      const stream = openai().responses.stream({ model: "responses", input: text, tools: [...tools] })
      return (await stream.finalResponse()).output_text
    }
  ],
  "openai, chat": [
    "chat",
    async () =>
      (
        await openai().chat.completions.create({
          model: "chat",
          messages: [...said],
          service_tier: "flex",
          prediction: { type: "content", content: "Some" }
        })
      ).choices[0]?.message.content
  ],
  "openai, chat streamed": [
    "chat",
    async () => {
      const stream = openai().chat.completions.stream({
        model: "chat",
        messages: [...said],
        stream_options: { include_usage: true }
      })
      return (await stream.finalChatCompletion()).choices[0]?.message.content
    }
  ],
  "@anthropic-ai/sdk": [
    "messages",
    async () =>
      (
        await anthropic().beta.messages.create({
          model: "messages",
          max_tokens: 1_000,
          betas: ["fast-mode-2026-02-01", "compact-2026-01-12"],
          speed: "fast",
          inference_geo: "us",
          context_management: { edits: [{ type: "compact_20260112" }] },
          messages: [
            { role: "user", content: [{ type: "text", text, cache_control: { type: "ephemeral", ttl: "1h" } }] }
          ]
        })
      ).content.flatMap((block) => (block.type === "text" ? [block.text] : []))[0]
  ],
  "@anthropic-ai/sdk, streamed": [
    "messages",
    async () => {
      const stream = anthropic().messages.stream({ model: "messages", max_tokens: 1_000, messages: [...said] })
      return stream.finalText()
    }
  ],
  "Vercel AI, openai": [
    "responses",
    async () =>
      (
        await generateText({
          model: vercel()("responses"),
          prompt: text,
          providerOptions: { openai: { serviceTier: "priority" } }
        })
      ).text
  ],
  "Vercel AI, openai's chat streamed": [
    "chat",
    async () => streamText({ model: vercel().chat("chat"), prompt: text }).text
  ],
  "Vercel AI, anthropic": [
    "messages",
    async () => (await generateText({ model: claude()("messages"), prompt: text, maxOutputTokens: 1_000 })).text
  ],
  "Vercel AI, anthropic streamed": [
    "messages",
    async () => streamText({ model: claude()("messages"), prompt: text, maxOutputTokens: 1_000 }).text
  ],
  "LangChain, openai": [
    "chat",
    async () => {
      const configuration = { baseURL: `${gateway.url}/v1`, fetch: watched }
      return (await new ChatOpenAI({ model: "chat", apiKey: gateway.key, configuration }).invoke(text)).text
    }
  ]
}

it.each(Object.entries(clients))("%s accepts the answer, and it costs what served it", async (_, [wire, ask]) => {
  seen = []
  expect(await ask()).toBe("Some words.")
  const [response] = seen
  const row = database
    .query("SELECT cost_nano_usd AS cost FROM usage WHERE request_id = ?")
    .get(response?.headers.get("x-request-id") ?? "")
  expect(row).toEqual({ cost: costs[wire] })
  const header = response?.headers.get("x-gateway-cost-usd")
  if (typeof header === "string") expect(Math.round(Number(header) * 1e9)).toBe(costs[wire])
})
