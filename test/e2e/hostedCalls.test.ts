import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "@effect/vitest"
import { describeOnEach, gatewayEnv } from "../sql/engines.ts"
import { chat, messages, play, responses } from "./playedAnswers.ts"
import type { Json } from "./playedAnswers.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { request } from "../request.ts"

afterAll(() => Promise.all([responses, messages, chat].map((fake) => fake.stop())))

const decoder = new TextDecoder()
const key = "rich-secret-0123456789-0123456789"
const config = {
  upstreams: {
    responses: { protocol: "openai-responses", base_url: `${responses.url}/v1` },
    messages: { protocol: "anthropic-messages", base_url: messages.url },
    chat: { provider: "openai", protocol: "openai-chat", base_url: `${chat.url}/v1`, api_key: "k" }
  },
  models: {
    "gpt-5": {
      routes: [{ upstream: "responses" }],
      price: {
        input: 1.25,
        output: 10,
        per_search: 0.01,
        per_call: {
          image_generation: 0.1245,
          file_search: 0.0025,
          shell: 0.03,
          x_search: 0.005,
          code_interpreter: { usd: 0.03, once: true }
        }
      }
    },
    "claude-opus-5": {
      routes: [{ upstream: "messages" }],
      price: { input: 5, output: 25, per_search: 0.01, per_call: { code_execution: 0.05 } }
    },
    // Each call reads the input again, which costs nothing here.
    held: {
      routes: [{ upstream: "responses" }],
      price: { output: 10, per_call: { image_generation: 0.1245, file_search: 0.0025 } }
    },
    "gpt-5-search-api": { routes: [{ upstream: "chat" }], price: { input: 1, output: 1, per_search: 0.025 } }
  },
  keys: [{ name: "rich", account: "rich", secret: key, balance_usd: 1_000 }]
}

const items = (type: string, count: number, more: Json = {}): ReadonlyArray<Json> =>
  Array.from({ length: count }, (_, index) => ({ id: `${type}_${index}`, type, status: "completed", ...more }))
const text = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text: "Hi", annotations: [] }]
}
const response = (output: ReadonlyArray<Json>, more: Json = {}, usage: Json = {}): Json => ({
  id: "resp_1",
  object: "response",
  status: "completed",
  model: "gpt-5",
  output: [...output, text],
  usage: { input_tokens: 1_000, output_tokens: 100, total_tokens: 1_100, ...usage },
  ...more
})
/** 1,000 and 100 tokens of gpt-5. */
const tokens = 2_250_000
const ask = { model: "gpt-5", input: "Hello", max_output_tokens: 1_000, max_tool_calls: 40 }
const tools = (...types: ReadonlyArray<string>) => ({ tools: types.map((type) => ({ type })) })
const hosted = { environment: { type: "container_reference", container_id: "c" } }
const told = { tool_usage: { image_gen: { input_tokens: 0, output_tokens: 0 }, web_search: { num_requests: 2 } } }

interface Case {
  readonly path: string
  readonly body: Json
  readonly answer: Json
  readonly nanoUsd: number
}

const compaction = (compacted: Json): Json => ({
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude-opus-5",
  content: [{ type: "text", text: "Hello" }],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: {
    input_tokens: 3_000,
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: 0,
    output_tokens: 400,
    iterations: [
      { type: "compaction", input_tokens: 151_000, cache_read_input_tokens: 0, output_tokens: 2_500, ...compacted },
      { type: "message", model: "claude-opus-5", input_tokens: 3_000, output_tokens: 400 }
    ]
  }
})

const long = "All work and no play makes a dull model. ".repeat(17_000)
const compacting = {
  model: "claude-opus-5",
  max_tokens: 1_000,
  messages: [{ role: "user", content: long }],
  context_management: { edits: [{ type: "compact_20260112" }] }
}

const completion = (more: Json, usage: Json = {}): Json => ({
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model: "gpt-5-search-api",
  choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "Hi", ...more } }],
  usage: { prompt_tokens: 1_000, completion_tokens: 100, total_tokens: 1_100, ...usage }
})
const cited = {
  annotations: [
    { type: "url_citation", url_citation: { url: "https://a.dev", title: "A", start_index: 0, end_index: 2 } }
  ]
}
const searching = { model: "gpt-5-search-api", messages: [{ role: "user", content: "Hello" }], web_search_options: {} }

const cases: Readonly<Record<string, Case>> = {
  images: {
    path: "/v1/responses",
    body: { ...ask, ...tools("image_generation") },
    answer: response([
      ...items("image_generation_call", 36),
      ...items("image_generation_call", 1, { status: "failed" })
    ]),
    nanoUsd: tokens + 36 * 124_500_000
  },
  "several tools, one of them by the answer": {
    path: "/v1/responses",
    body: {
      ...ask,
      tools: [
        ...tools("code_interpreter", "file_search").tools,
        { type: "shell", environment: { type: "container_auto" } }
      ]
    },
    answer: response([
      ...items("code_interpreter_call", 3),
      ...items("file_search_call", 2),
      ...items("shell_call", 1, hosted),
      ...items("shell_call", 1, { environment: { type: "local" } })
    ]),
    nanoUsd: tokens + 30_000_000 + 2 * 2_500_000 + 30_000_000
  },
  "searches that are billed": {
    path: "/v1/responses",
    body: { ...ask, ...tools("web_search") },
    answer: response(items("web_search_call", 1, { action: { type: "search", query: "a" } }), told),
    nanoUsd: tokens + 2 * 10_000_000
  },
  "searches by their items, where nothing else tells them": {
    path: "/v1/responses",
    body: { ...ask, ...tools("web_search") },
    answer: response([
      ...items("web_search_call", 2, { action: { type: "search", query: "a" } }),
      ...items("web_search_call", 1, { action: { type: "open_page", url: "https://a.dev" } })
    ]),
    nanoUsd: tokens + 2 * 10_000_000
  },
  "what xAI says that it billed": {
    path: "/v1/responses",
    body: { ...ask, ...tools("x_search", "web_search") },
    answer: response([], {}, { server_side_tool_usage_details: { x_search_calls: 3, web_search_calls: 1 } }),
    nanoUsd: tokens + 3 * 5_000_000 + 10_000_000
  },
  "translated searches": {
    path: "/v1/messages",
    body: {
      model: "gpt-5",
      max_tokens: 1_000,
      messages: [{ role: "user", content: "Hello" }],
      tools: [{ type: "web_search_20250305", name: "web_search" }]
    },
    answer: response(items("web_search_call", 1, { action: { type: "search", query: "a" } }), told),
    nanoUsd: tokens + 2 * 10_000_000
  },
  "a compaction": { path: "/v1/messages", body: compacting, answer: compaction({}), nanoUsd: 842_500_000 },
  "searches of chat, by the answer that cites": {
    path: "/v1/chat/completions",
    body: searching,
    answer: completion(cited),
    nanoUsd: 1_100_000 + 25_000_000
  },
  "searches of chat that are told": {
    path: "/v1/chat/completions",
    body: searching,
    answer: completion({}, { server_tool_use: { web_search_requests: 3 } }),
    nanoUsd: 1_100_000 + 3 * 25_000_000
  },
  "an answer of chat without a search": {
    path: "/v1/chat/completions",
    body: searching,
    answer: completion({}),
    nanoUsd: 1_100_000
  }
}

describeOnEach("calls of hosted tools", ({ name }) => {
  let gateway: GatewayHere
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), "gateway-calls-"))
    writeFileSync(join(folder, "gateway.yaml"), JSON.stringify(config))
    gateway = await startGateway({ folder, env: await gatewayEnv(`calls-${name}`) })
  })
  afterAll(() => gateway.dispose())

  const settled = async () => {
    const balance = (await (await request(gateway, "/v1/balance", { key })).json()) as { settled: { nano_usd: number } }
    return balance.settled.nano_usd
  }

  const forms = ["whole", "streamed", "streamed without items at its end"]
  it.each(forms.flatMap((form) => Object.keys(cases).map((one) => [one, form] as const)))(
    "cost what the answer tells: %s, %s",
    async (one, form) => {
      const { answer: next, body, nanoUsd, path } = cases[one]!
      play.answer = next
      play.isBare = form.includes("without")
      const before = await settled()
      const response = await request(gateway, path, { body: { ...body, stream: form !== "whole" }, key })
      expect([response.status, await response.text()]).toEqual([200, expect.any(String)])
      await expect.poll(settled).toBe(before + nanoUsd)
    }
  )

  it("cost what came until the client left", async () => {
    play.answer = response([
      ...items("image_generation_call", 3),
      ...items("web_search_call", 2, { action: { type: "search", query: "a" } })
    ])
    play.isOpen = true
    const before = await settled()
    const leaving = new AbortController()
    const body = { ...ask, ...tools("image_generation", "web_search"), stream: true }
    const left = await request(gateway, "/v1/responses", { body, key, signal: leaving.signal })
    const reader = left.body?.getReader()
    for (let text = ""; !text.includes("web_search_call_1");) text += decoder.decode((await reader?.read())?.value)
    leaving.abort()
    play.isOpen = false
    const calls = 3 * 124_500_000 + 2 * 10_000_000
    await expect.poll(settled).toBeGreaterThan(before + calls)
    // And some tokens, as the gateway counts them.
    expect((await settled()) - before - calls).toBeLessThan(1_000_000)
  })

  it("are held, as many as may be", async () => {
    const most = async (body: Json) => {
      const quoted = (await (
        await request(gateway, "/v1/quote", { body: { endpoint: "/v1/responses", body }, key })
      ).json()) as {
        maximum: { cost: { nano_usd: number } }
      }
      return quoted.maximum.cost.nano_usd
    }
    const { max_tool_calls: _, ...unbounded } = { ...ask, model: "held" }
    const plain = await most(unbounded)
    expect((await most({ ...unbounded, ...tools("image_generation") })) - plain).toBe(4 * 124_500_000)
    expect((await most({ ...unbounded, ...tools("file_search") })) - plain).toBe(5 * 2_500_000)
    expect((await most({ ...ask, model: "held", ...tools("image_generation", "file_search") })) - plain).toBe(
      40 * (124_500_000 + 2_500_000)
    )
  })

  it("are refused where the balance does not cover them", async () => {
    const body = { ...ask, ...tools("image_generation"), max_tool_calls: 10_000 }
    expect((await request(gateway, "/v1/responses", { body, key })).status).toBe(402)
  })
})
