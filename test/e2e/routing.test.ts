import { writeFileSync, mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import Anthropic from "@anthropic-ai/sdk"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import OpenAI from "openai"
import { fakeUpstream } from "../upstreams/fakes/fakeUpstream.ts"
import { spoken } from "../upstreams/fakes/scenarios.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { request } from "../request.ts"

const refusing = fakeUpstream("openai-chat", { answer: () => Response.json({ error: {} }, { status: 503 }) })
const chat = fakeUpstream("openai-chat")
const anthropic = fakeUpstream("anthropic-messages")
const openai = fakeUpstream("openai-responses")

let gateway: GatewayHere
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-routing-"))
  writeFileSync(
    join(folder, "gateway.yaml"),
    `upstreams:
  down: { protocol: openai-chat, base_url: "${refusing.url}/v1" }
  nobody: { protocol: openai-chat, base_url: "http://127.0.0.1:9/v1" }
  chat: { protocol: openai-chat, base_url: "${chat.url}/v1", api_key: sk-planted }
  anthropic: { protocol: anthropic-messages, base_url: "${anthropic.url}", api_key: sk-planted }
  openai: { protocol: openai-responses, base_url: "${openai.url}/v1", api_key: sk-planted }
models:
  claude: { routes: [{ upstream: anthropic, model: claude-haiku-4-5 }] }
  gpt-5.1: openai
  house: { routes: [{ upstream: nobody }, { upstream: down }, { upstream: chat, model: qwen }] }
  only-down: down
  strict: { routes: [{ upstream: chat }], strict: true }
  chat: chat
  claude-opus-5-5: anthropic
  claude-on-gpt: { routes: [{ upstream: chat, model: gpt-4o }], max_output_tokens: 128000 }
  mixed: { routes: [{ upstream: chat, model: qwen }, { upstream: anthropic, model: claude-opus-5-5 }] }
`
  )
  gateway = await startGateway({ folder })
})
afterAll(async () => {
  await gateway.dispose()
  await Promise.all([refusing, chat, anthropic, openai].map((fake) => fake.stop()))
})

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  request(gateway, path, { body, headers })
const hello = (model: string, more: object = {}) => ({
  model,
  max_tokens: 100,
  messages: [{ role: "user", content: "play:text" }],
  ...more
})
// oxlint-disable-next-line typescript/no-explicit-any -- whatever came
const json = async (response: Response): Promise<any> => response.json()

describe("a model with several routes", () => {
  it.each([false, true])("is answered by the first that works, which the reply names (stream: %s)", async (stream) => {
    const calls = refusing.asked.length
    const response = await post("/v1/messages", hello("house", { stream }))
    expect(response.status).toBe(200)
    expect(response.headers.get("x-gateway-upstream")).toBe("chat")
    expect(await response.text()).toContain("🦊")
    expect(refusing.asked.length - calls).toBeLessThanOrEqual(1)
    expect(chat.asked.at(-1)?.body.model).toBe("qwen")
  })

  it("fails in the family's words when none works", async () => {
    const response = await post("/v1/messages", hello("only-down"))
    expect(response.status).toBe(500)
    expect((await json(response)).error.type).toBe("internal_server_error")
    expect(response.headers.get("x-gateway-upstream")).toBe("down")
  })
})

describe("what an upstream can't carry", () => {
  it.each([false, true])("is named in the reply (stream: %s)", async (stream) => {
    const response = await post("/v1/messages", hello("chat", { stream, top_k: 3 }))
    expect(response.headers.get("x-gateway-adapted")).toBe("top_k")
    await response.text()
  })

  it("is refused where the model or the request says so", async () => {
    for (const response of [
      await post("/v1/messages", hello("strict", { top_k: 3 })),
      await post("/v1/messages", hello("chat", { top_k: 3 }), { "x-gateway-strict": "true" })
    ]) {
      expect(response.status).toBe(400)
      expect((await json(response)).error.message).toContain("top_k")
    }
  })
})

describe("more output than the specification's bound", () => {
  it("is left to an upstream that the request passes through to", async () => {
    expect((await post("/v1/messages", hello("claude-opus-5-5", { max_tokens: 128_000 }))).status).toBe(200)
    expect(anthropic.asked.at(-1)?.body.max_tokens).toBe(128_000)
    expect((await post("/v1/messages", hello("claude", { max_tokens: 999_999 }))).status).toBe(200)
    expect(anthropic.asked.at(-1)?.body.max_tokens).toBe(999_999)
  })

  it("is cut to what the upstream's model writes, which the reply names", async () => {
    const response = await post("/v1/messages", hello("claude-on-gpt", { max_tokens: 128_000 }))
    expect(response.status).toBe(200)
    expect(response.headers.get("x-gateway-adapted")).toBe("max_tokens")
    expect(chat.asked.at(-1)?.body).toMatchObject({ model: "gpt-4o", max_tokens: 16_384 })
    const refused = await post("/v1/messages", hello("claude-on-gpt", { max_tokens: 128_000 }), {
      "x-gateway-strict": "true"
    })
    expect(refused.status).toBe(400)
    expect((await json(refused)).error.message).toContain("max_tokens")
  })

  it("is cut in a responses request too", async () => {
    const body = { model: "claude-on-gpt", input: "play:text", max_output_tokens: 64_000 }
    const response = await post("/v1/responses", body)
    expect(response.headers.get("x-gateway-adapted")).toBe("max_output_tokens")
    expect((await json(response)).max_output_tokens).toBe(64_000)
  })

  it.each([
    ["/v1/messages", "max_tokens", hello("sandbox-text")],
    ["/v1/responses", "max_output_tokens", { model: "sandbox-text", input: "Hi" }],
    ["/v1/chat/completions", "max_completion_tokens", hello("sandbox-text", { max_tokens: undefined })],
    ["/v1/chat/completions", "max_tokens", hello("sandbox-text")]
  ])("is cut at the sandbox: %s with %s", async (path, param, body) => {
    const ask = (most: unknown, headers?: Record<string, string>) => post(path, { ...body, [param]: most }, headers)
    const [cut, allowed] = [await ask(32_001), await ask(32_000)]
    expect([cut.status, cut.headers.get("x-gateway-adapted")]).toEqual([200, param])
    expect([allowed.status, allowed.headers.get("x-gateway-adapted")]).toEqual([200, null])
    expect((await ask(32_001, { "x-gateway-strict": "true" })).status).toBe(400)
    for (const none of [0, -1, 1.5, "many"]) expect((await ask(none)).status).toBe(400)
  })

  it("is cut at the sandbox in a task too", async () => {
    const task = await post("/v1/messages", hello("sandbox-text", { max_tokens: 32_001, async: true }))
    expect(task.status).toBe(200)
  })

  it("reaches an upstream of which nothing is known", async () => {
    expect((await post("/v1/messages", hello("mixed", { max_tokens: 200_000 }))).status).toBe(200)
    expect(chat.asked.at(-1)?.body).toMatchObject({ model: "qwen", max_tokens: 200_000 })
  })
})

describe("messages to an upstream of that dialect", () => {
  it("pass through with unknown fields, and the gateway's names", async () => {
    const response = await post(
      "/v1/messages?beta=true",
      hello("claude", { novelty: { deep: 1 }, system: null, messages: "play:text" }),
      { "anthropic-beta": "novel-2030-01-01", "x-api-key": "sk-callers", cookie: "a=b" }
    )
    const asked = anthropic.asked.findLast(({ body }) => "novelty" in body)
    expect(asked?.body).toMatchObject({ model: "claude-haiku-4-5", novelty: { deep: 1 } })
    expect("system" in (asked?.body ?? {})).toBe(false)
    expect(asked?.headers).toMatchObject({ "anthropic-beta": "novel-2030-01-01", "x-api-key": "sk-planted" })
    expect(asked?.headers["cookie"]).toBeUndefined()
    expect(await json(response)).toMatchObject({ model: "claude", id: expect.stringMatching(/^msg_[0-9a-f]{32}$/) })
    expect(response.headers.get("x-gateway-upstream")).toBe("anthropic")
  })

  it("are read by the official client, streamed and not", async () => {
    const client = new Anthropic({ baseURL: gateway.url, apiKey: gateway.key, maxRetries: 0 })
    const params = { model: "claude", max_tokens: 100, messages: [{ role: "user" as const, content: "play:text" }] }
    const whole = await client.messages.create(params)
    const streamed = await client.messages.stream(params).finalMessage()
    for (const message of [whole, streamed]) {
      expect(message.content).toMatchObject([{ type: "text", text: spoken.text }])
      expect(message.model).toBe("claude")
    }
  })

  it("are run as async tasks too", async () => {
    const { id } = await json(await post("/v1/messages", hello("claude", { async: true })))
    for (;;) {
      const task = await json(await request(gateway, `/v1/tasks/${id}`))
      if (task.status === "pending" || task.status === "processing") continue
      expect(task.result.content).toMatchObject([{ type: "text", text: spoken.text }])
      break
    }
  })
})

describe("responses to an upstream of that dialect", () => {
  const client = () => new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key, maxRetries: 0 })

  it("pass through with the gateway's names, streamed and not", async () => {
    const whole = await client().responses.create({ model: "gpt-5.1", input: "play:text" })
    const stream = client().responses.stream({ model: "gpt-5.1", input: "play:text" })
    for (const response of [whole, await stream.finalResponse()]) {
      expect(response.output_text).toBe(spoken.text)
      expect(response.model).toBe("gpt-5.1")
      expect(response.id).toMatch(/^resp_[0-9a-f]{40}$/)
      expect(response).toMatchObject({ store: true })
    }
    expect(openai.asked.at(-1)?.body).toMatchObject({ store: false, include: ["reasoning.encrypted_content"] })
  })

  it.each([false, true])("are continued from what the gateway keeps (stream: %s)", async (stream) => {
    const first = stream
      ? await client().responses.stream({ model: "gpt-5.1", input: "play:reasoning" }).finalResponse()
      : await client().responses.create({ model: "gpt-5.1", input: "play:reasoning" })
    const second = await client().responses.create({
      model: "gpt-5.1",
      input: "play:text",
      previous_response_id: first.id
    })
    expect(second.previous_response_id).toBe(first.id)
    const asked = openai.asked.at(-1)?.body
    expect(asked.previous_response_id).toBeUndefined()
    expect(asked.input.map((item: { type: string }) => item.type)).toEqual([
      "message",
      "reasoning",
      "message",
      "message"
    ])
    expect(asked.input[1].encrypted_content).toBe(spoken.encrypted)
    expect((await client().responses.retrieve(first.id)).output_text).toBe(spoken.text)
  })

  it("are continued by references to their items", async () => {
    const first = await client().responses.create({ model: "gpt-5.1", input: "play:text" })
    const id = first.output.at(-1)?.id ?? ""
    await client().responses.create({
      model: "gpt-5.1",
      input: [
        { type: "item_reference", id },
        { role: "user", content: "play:text" }
      ]
    })
    expect(openai.asked.at(-1)?.body.input[0]).toMatchObject({ type: "message", id })
  })

  it("are continued on an upstream of another dialect", async () => {
    const first = await client().responses.create({ model: "gpt-5.1", input: "play:reasoning" })
    const second = await client().responses.create({
      model: "chat",
      input: "play:text",
      previous_response_id: first.id
    })
    expect(second.output_text).toBe(spoken.text)
    expect(chat.asked.at(-1)?.body.messages.map((message: { role: string }) => message.role)).toEqual([
      "user",
      "assistant",
      "user"
    ])
  })

  it("accept both spellings of search filters", async () => {
    const tools = [{ type: "web_search", filter: { allowed_domains: ["example.com"] } }]
    await post("/v1/responses", { model: "gpt-5.1", input: "play:text", tools })
    expect(openai.asked.at(-1)?.body.tools).toEqual([
      { type: "web_search", filters: { allowed_domains: ["example.com"] } }
    ])
  })
})
