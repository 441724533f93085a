import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "@effect/vitest"
import { describeOnEach, gatewayEnv } from "../sql/engines.ts"
import { fakeUpstream } from "../upstreams/fakes/fakeUpstream.ts"
import type { Asked } from "../upstreams/fakes/fakeUpstream.ts"
import { request } from "../request.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"

const tooLong = {
  error: { type: "invalid_request_error", code: "context_length_exceeded", param: "messages", message: "Too long." }
}
const nothing = {
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model: "void",
  choices: [{ index: 0, message: { role: "assistant", content: "" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 20, completion_tokens: 0, total_tokens: 20 }
}
const vectors = ({ body }: Asked) => ({
  object: "list",
  model: body.model,
  data: [{ object: "embedding", index: 0, embedding: [0.25, 0.5] }],
  usage: { prompt_tokens: 7, total_tokens: 7 }
})
const chat = fakeUpstream("openai-chat", {
  answer: (asked) => {
    if (asked.body.model === "void") return Response.json(nothing)
    if (asked.body.model.startsWith("full")) return Response.json(tooLong, { status: 400 })
    return asked.path.endsWith("/embeddings") ? Response.json(vectors(asked)) : undefined
  }
})
const anthropic = fakeUpstream("anthropic-messages")
afterAll(() => Promise.all([chat, anthropic].map((fake) => fake.stop())))

const secretOf = (name: string) => `${name}-secret-0123456789-0123456789`
const prices = { cheap: { input: 0.05, output: 0.4 }, dear: { input: 5, output: 25 }, middle: { input: 1, output: 5 } }
const at = (upstream: string, model: string, price: object) => ({ routes: [{ upstream, model }], price })
const once = (model: string) => ({ requests: 1, per: "total", models: [model] })
const config = {
  upstreams: {
    chat: { protocol: "openai-chat", base_url: `${chat.url}/v1` },
    void: { protocol: "openai-chat", base_url: `${chat.url}/v1` },
    claude: { protocol: "anthropic-messages", base_url: anthropic.url }
  },
  models: {
    small: { ...at("chat", "full", prices.cheap), fallbacks: { too_long: "big" } },
    tiny: { ...at("chat", "never", prices.cheap), context: 2, fallbacks: { too_long: ["small"] } },
    cut: { ...at("chat", "cut", prices.cheap), context: 30, fallbacks: { too_long: "big" } },
    big: at("claude", "big", prices.dear),
    "big-alias": { alias: "big" },
    "small-alias": { alias: "small" },
    "by-alias": { ...at("chat", "full-2", prices.cheap), fallbacks: { too_long: "big-alias" } },
    "small-embed": { ...at("chat", "full-embed", { input: 1 }), fallbacks: { too_long: "big-embed" } },
    "big-embed": at("chat", "big-embed", { input: 100 }),
    limited: { ...at("claude", "limited", prices.middle), limits: { requests_per_minute: 1 } },
    strict: { ...at("claude", "strict", prices.middle), strict: true },
    "to-limited": { ...at("chat", "full-3", prices.cheap), fallbacks: { too_long: ["limited", "big"] } },
    empty: {
      routes: [
        { upstream: "chat", model: "void" },
        { upstream: "chat", model: "fine" }
      ],
      price: prices.cheap
    },
    broken: { ...at("claude", "broken", prices.middle), routes: [{ upstream: "void", model: "void" }] },
    "to-broken": { ...at("chat", "full-5", prices.cheap), fallbacks: { too_long: "broken" } },
    "two-places": {
      routes: [
        { upstream: "chat", model: "full-6" },
        { upstream: "void", model: "full-7" },
        { upstream: "claude", model: "never" }
      ],
      price: prices.cheap,
      fallbacks: { too_long: "broken" }
    },
    "to-strict": { ...at("chat", "full-4", prices.cheap), fallbacks: { too_long: ["strict", "big"] } }
  },
  keys: [
    { name: "rich", account: "rich", secret: secretOf("rich"), balance_usd: 100 },
    { name: "poor", account: "poor", secret: secretOf("poor"), balance_usd: 0.001 },
    { name: "narrow", account: "narrow", secret: secretOf("narrow"), models: ["small", "by-alias"], balance_usd: 100 },
    { name: "chooser", account: "rich", secret: secretOf("chooser"), choose_route: true },
    { name: "alias", account: "narrow", secret: secretOf("alias"), models: ["by-alias", "big-alias"] },
    { name: "served", account: "rich", secret: secretOf("served"), budgets: [once("big")] },
    { name: "served-alias", account: "rich", secret: secretOf("served-alias"), budgets: [once("big")] },
    { name: "target", account: "rich", secret: secretOf("target"), budgets: [once("small")] }
  ]
}

// oxlint-disable-next-line typescript/no-explicit-any -- whatever came
type Json = any

describeOnEach("a request that another model answers", ({ name }) => {
  let gateway: GatewayHere
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), "gateway-fallbacks-"))
    writeFileSync(join(folder, "gateway.yaml"), JSON.stringify(config))
    gateway = await startGateway({ folder, env: await gatewayEnv(`fallbacks-${name}`) })
  })
  afterAll(() => gateway.dispose())

  const call = (path: string, body?: object, key = "rich", headers: Record<string, string> = {}) =>
    request(gateway, path, { method: body === undefined ? "GET" : "POST", body, key: secretOf(key), headers })
  const read = async (path: string, key?: string): Promise<Json> => (await call(path, undefined, key)).json()
  const rowOf = async (response: Response, key?: string): Promise<Json> => {
    const id = response.headers.get("x-request-id")
    const find = async () =>
      (await read("/v1/usage?by=request&since=1d", key)).data.find((row: Json) => row.request_id === id)
    await expect.poll(find).toBeDefined()
    return find()
  }
  const requestOf = async (response: Response): Promise<Json> => {
    const find = async () => read(`/v1/requests/${response.headers.get("x-request-id")}`)
    await expect.poll(async () => (await find()).object).toBe("request")
    return find()
  }
  const costAt = ({ input, output }: { input: number; output: number }, row: Json) =>
    Math.round(((row.input_tokens + row.cache_read_tokens) * input + row.output_tokens * output) * 1_000)

  const messages = [{ role: "user", content: "play:text" }]
  const message = (model: string, more: object = {}) => ({ model, max_tokens: 100, messages, ...more })

  it.each([
    ["a message", "/v1/messages", message("small")],
    ["a streamed message", "/v1/messages", message("small", { stream: true })],
    ["an async message", "/v1/messages", message("small", { async: true })],
    ["a response", "/v1/responses", { model: "small", input: "play:text" }],
    ["a streamed response", "/v1/responses", { model: "small", input: "play:text", stream: true }],
    ["a background response", "/v1/responses", { model: "small", input: "play:text", background: true }],
    ["a completion", "/v1/chat/completions", message("small")],
    ["two completions", "/v1/chat/completions", message("small", { n: 2 })],
    ["a streamed completion", "/v1/chat/completions", message("small", { stream: true })],
    ["one that is known to be too long, by way of another", "/v1/messages", message("tiny")],
    ["the same, async", "/v1/messages", message("tiny", { async: true })]
  ])("is paid for at the price of who answered: %s", async (_, path, body) => {
    const response = await call(path, body)
    expect([response.status, await response.text()]).toEqual([200, expect.any(String)])
    const row = await rowOf(response)
    expect(row).toMatchObject({ model: body.model, upstream: "claude", price: { rates: { output: 25e9 } } })
    expect(row.cost.nano_usd).toBe(costAt(prices.dear, row))
    expect(row.cost.nano_usd).toBeGreaterThan(0)
    await expect.poll(async () => (await read("/v1/balance")).held.nano_usd).toBe(0)
    const isTask = "async" in body || "background" in body
    if (isTask) return
    expect(response.headers.get("x-gateway-fallback")).toBe("too_long")
    expect(await requestOf(response)).toMatchObject({
      model: body.model,
      fallback: "too_long",
      served_model: "big",
      upstream: "claude"
    })
  })

  it("is paid for at the price of who answered: embeddings", async () => {
    const response = await call("/v1/embeddings", { model: "small-embed", input: "a" })
    expect(await response.json()).toMatchObject({ model: "small-embed" })
    expect(response.headers.get("x-gateway-fallback")).toBe("too_long")
    expect(await rowOf(response)).toMatchObject({ upstream: "chat", input_tokens: 7, cost: { nano_usd: 700_000 } })
  })

  it("is answered by the requested one, if its input is cut to fit", async () => {
    const items = Array.from({ length: 20 }, (_, index) => ({ role: "user", content: `the line number ${index}` }))
    const input = [...items, { role: "user", content: "play:text" }]
    const cut = await call("/v1/responses", { model: "cut", input, truncation: "auto" })
    expect([cut.status, cut.headers.get("x-gateway-fallback")]).toEqual([200, null])
    const whole = await call("/v1/responses", { model: "cut", input })
    expect([whole.status, whole.headers.get("x-gateway-fallback")]).toEqual([200, "too_long"])
  })

  it.each([
    ["that the key may not use", "narrow", message("small")],
    ["that the key may not use, by its alias", "narrow", message("by-alias")],
    ["that the balance does not cover", "poor", message("small")],
    ["that the balance does not cover, async", "poor", message("small", { async: true })]
  ])("is not one %s", async (_, key, body) => {
    const asked = anthropic.asked.length
    const response = await call("/v1/messages", body, key)
    const { id, ...error }: Json = await response.json()
    if ("async" in body) {
      const status = async () => (await read(`/v1/tasks/${id}`, key)).status
      await expect.poll(status).toBe("failed")
    } else {
      expect([response.status, error.error.message]).toEqual([400, "prompt is too long: Too long."])
      expect(response.headers.get("x-gateway-upstream")).toBe("chat")
    }
    expect(anthropic.asked.length).toBe(asked)
    expect((await read("/v1/balance", key)).held.nano_usd).toBe(0)
  })

  it.each([
    ["its own", "served", "small", 400],
    ["its own, by its alias", "served-alias", "by-alias", 400],
    ["the requested one's, by its alias", "target", "small-alias", 429]
  ])("counts for a budget of models: %s", async (_, key, model, refused) => {
    const statuses: Array<number> = []
    for (let n = 0; n < 2; n++) statuses.push((await call("/v1/messages", message(model), key)).status)
    expect(statuses).toEqual([200, refused])
  })

  it("is one that the key may use by an alias alone", async () => {
    const response = await call("/v1/messages", message("by-alias"), "alias")
    expect([response.status, response.headers.get("x-gateway-fallback")]).toEqual([200, "too_long"])
  })

  it("fails for the requested model's reason, if no other answers", async () => {
    const response = await call("/v1/messages", message("to-broken"))
    const { error }: Json = await response.json()
    expect([response.status, error.message, response.headers.get("x-gateway-upstream")]).toEqual([
      400,
      "prompt is too long: Too long.",
      "chat"
    ])
    expect((await requestOf(response)).attempts.map(({ upstream }: Json) => upstream)).toEqual(["chat", "void"])
  })

  it.each([
    ["no_fallback", 400],
    ["only=chat", 400],
    ["only=chat,claude", 400]
  ])("is none that chose its routes: %s", async (route, status) => {
    const headers = { "x-gateway-route": route }
    expect((await call("/v1/messages", message("small"), "chooser", headers)).status).toBe(status)
    const task: Json = await (await call("/v1/messages", message("small", { async: true }), "chooser", headers)).json()
    const end = async () => (await read(`/v1/tasks/${task.id}`, "chooser")).status
    if (task.id !== undefined) await expect.poll(end).toBe("failed")
  })

  it("is asked at the chosen upstreams that it has", async () => {
    const asked = (route: string) =>
      call("/v1/messages", message("two-places"), "chooser", { "x-gateway-route": route })
    const [elsewhere, there] = await Promise.all([asked("only=chat"), asked("only=chat,void")])
    const upstreams = async (response: Response) =>
      (await requestOf(response)).attempts.map(({ upstream }: Json) => upstream)
    expect([await upstreams(elsewhere), await upstreams(there)]).toEqual([["chat"], ["chat", "void", "void"]])
  })

  it("is told in its log line", async () => {
    const response = await call("/v1/messages", message("small"))
    const id = response.headers.get("x-request-id") ?? ""
    const line = () =>
      gateway
        .output()
        .split("\n")
        .find((one) => one.includes(id) && one.includes('"event":"request"'))
    await expect.poll(line).toContain('"fallback":"too_long","served_model":"big"')
  })

  it("may be continued, wherever its earlier turns were answered", async () => {
    const ask = async (body: object): Promise<Json> => (await call("/v1/responses", body)).json()
    const first = await ask({ model: "small", input: "play:text" })
    const second = await ask({ model: "small", input: "play:text", previous_response_id: first.id })
    expect([second.status, second.model, second.previous_response_id]).toEqual(["completed", "small", first.id])
    expect(anthropic.asked.at(-1)?.body.messages).toHaveLength(3)
    let thread: object = { type: "create" }
    for (const count of [1, 3]) {
      const response = await call("/v1/messages", message("small", { thread }))
      const answer: Json = await response.json()
      expect([response.status, response.headers.get("x-gateway-fallback")]).toEqual([200, "too_long"])
      expect(anthropic.asked.at(-1)?.body.messages).toHaveLength(count)
      thread = { type: "continue", previous_message_id: answer.id }
    }
  })

  it("costs others nothing: empty answers of one account leave the route to the next", async () => {
    const asked = () => chat.asked.filter(({ body }) => body.model === "void").length
    for (let count = 0; count < 12; count++) expect((await call("/v1/messages", message("empty"))).status).toBe(200)
    const before = asked()
    expect((await call("/v1/messages", message("empty"), "poor")).status).toBe(200)
    expect(asked()).toBe(before + 1)
  })

  it("is the next of the list, if the first is limited, or too strict", async () => {
    const served = async (model: string, more: object = {}) => {
      const response = await call("/v1/chat/completions", message(model, more))
      return (await requestOf(response)).served_model
    }
    expect([await served("to-limited"), await served("to-limited")]).toEqual(["limited", "big"])
    expect(await served("to-strict", { logit_bias: { 1: 2 } })).toBe("big")
  })
})
