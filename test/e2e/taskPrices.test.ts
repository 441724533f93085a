import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "@effect/vitest"
import type { RequestDetail, RequestView } from "../../src/requests/RequestView.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { request } from "../request.ts"
import { describeOnEach, gatewayEnv } from "../sql/engines.ts"
import { messages, play, responses } from "./playedAnswers.ts"
import type { Json } from "./playedAnswers.ts"
import { until } from "./videoTask.ts"

/* Other models that work for the answer of a task cost at their own prices, as in the answer of a plain request. */

afterAll(() => Promise.all([responses, messages].map((fake) => fake.stop())))

const rich = "rich-secret-0123456789-0123456789"
const free = "free-secret-0123456789-0123456789"
const config = {
  upstreams: {
    responses: { protocol: "openai-responses", base_url: `${responses.url}/v1` },
    messages: { protocol: "anthropic-messages", base_url: messages.url }
  },
  models: {
    "gpt-5": { routes: [{ upstream: "responses" }], price: { input: 1.25, output: 10 } },
    "claude-sonnet-5": { routes: [{ upstream: "messages" }], price: { input: 2, output: 10 } }
  },
  prices_file: "prices.json",
  keys: [
    { name: "rich", account: "rich", secret: rich, balance_usd: 1_000 },
    { name: "free", account: "free", secret: free }
  ]
}
const prices = {
  "gpt-image-2": { input: 5, cached_input: 1.25, image: { input: 8, cached_input: 2, output: 30 } },
  "claude-opus-5": { input: 5, output: 25 }
}

const imageTool = { type: "image_generation", model: "gpt-image-2" }
const advisor = { type: "advisor_20260301", name: "advisor", model: "claude-opus-5" }
const text = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text: "Done.", annotations: [] }]
}
const drawn = {
  id: "resp_1",
  object: "response",
  status: "completed",
  model: "gpt-5",
  tools: [imageTool],
  output: [{ id: "ig_1", type: "image_generation_call", status: "completed", result: "" }, text],
  usage: { input_tokens: 100, output_tokens: 100, total_tokens: 200 },
  tool_usage: {
    image_gen: {
      input_tokens: 50,
      input_tokens_details: { image_tokens: 0, text_tokens: 50 },
      output_tokens: 4_160,
      output_tokens_details: { image_tokens: 4_160, text_tokens: 0 }
    }
  }
}
const advised = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude-sonnet-5",
  content: [{ type: "text", text: "Done." }],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: {
    input_tokens: 2_000,
    output_tokens: 900,
    iterations: [
      { type: "message", model: "claude-sonnet-5", input_tokens: 2_000, output_tokens: 900 },
      { type: "advisor_message", model: "claude-opus-5", input_tokens: 2_600, output_tokens: 700 }
    ]
  }
}
const draw = { model: "gpt-5", input: "Draw a cat.", tools: [imageTool], max_output_tokens: 1_000, max_tool_calls: 1 }
const advise = {
  model: "claude-sonnet-5",
  max_tokens: 2_000,
  messages: [{ role: "user", content: "What now?" }],
  tools: [advisor]
}
/** 100 and 100 tokens of gpt-5, 50 and 4,160 of gpt-image-2. */
const ofDrawing = 125_000 + 1_000_000 + 250_000 + 124_800_000
/** 2,000 and 900 tokens of Sonnet, 2,600 and 700 of Opus. */
const ofAdvice = 4_000_000 + 9_000_000 + 13_000_000 + 17_500_000

const cases: ReadonlyArray<readonly [name: string, path: string, body: Json, answer: Json, nanoUsd: number]> = [
  ["a plain response", "/v1/responses", draw, drawn, ofDrawing],
  ["a background response", "/v1/responses", { ...draw, background: true, store: true }, drawn, ofDrawing],
  [
    "a streamed background response",
    "/v1/responses",
    { ...draw, background: true, store: true, stream: true },
    drawn,
    ofDrawing
  ],
  ["a plain message", "/v1/messages", advise, advised, ofAdvice],
  ["an async message", "/v1/messages", { ...advise, async: true }, advised, ofAdvice]
]

describeOnEach("models that work for a task's answer", ({ name }) => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-task-prices-"))
  let gateway: GatewayHere
  beforeAll(async () => {
    writeFileSync(join(folder, "gateway.yaml"), JSON.stringify(config))
    writeFileSync(join(folder, "prices.json"), JSON.stringify(prices))
    gateway = await startGateway({ folder, env: await gatewayEnv(`task-prices-${name}`) })
  }, 60_000)
  afterAll(() => gateway.dispose())

  const costOf = async (id: string, key: string) => {
    const rows = await until(
      async (): Promise<ReadonlyArray<RequestView>> =>
        (await (await request(gateway, "/v1/requests", { key })).json()).data,
      (found) => found.some(({ cost_usd, request_id }) => request_id === id && cost_usd !== null)
    )
    return Math.round((rows.find(({ request_id }) => request_id === id)?.cost_usd ?? 0) * 1e9)
  }

  for (const [what, path, body, answer, nanoUsd] of cases) {
    for (const [whose, key] of [
      ["with a balance", rich],
      ["without one", free]
    ] as const) {
      it(`cost at their own prices: ${what}, ${whose}`, async () => {
        play.answer = answer
        const answered = await request(gateway, path, { body, key })
        const said = await answered.text()
        expect(answered.status, said).toBe(200)
        const id = answered.headers.get("x-request-id") ?? ""
        expect(await costOf(id, key)).toBe(nanoUsd)
        const { calls, cost }: RequestDetail = await (await request(gateway, `/v1/requests/${id}`, { key })).json()
        expect([cost?.sum.nano_usd, cost?.charged.nano_usd]).toEqual([nanoUsd, nanoUsd])
        const others = cost?.lines.map((line) => line.model).filter((model) => model !== null)
        expect(new Set(others)).toEqual(new Set([answer === drawn ? "gpt-image-2" : "claude-opus-5"]))
        expect(calls).toEqual(answer === drawn ? { image_generation: 1 } : {})
      }, 30_000)
    }
  }
})
