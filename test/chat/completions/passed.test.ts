import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import OpenAI from "openai"
import { countText } from "../../../src/tokens/tokens.ts"
import { startGateway } from "../../gatewayHere.ts"
import type { GatewayHere } from "../../gatewayHere.ts"

const asked: Array<{ readonly path: string; readonly body: Record<string, unknown> }> = []
const paths = () => asked.map(({ path }) => path)
const usage = { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 }
const head = { id: "cmpl-1", object: "text_completion", created: 1, model: "theirs" }
const choice = (text: string, finish_reason: string | null, index = 0) => ({
  index,
  text,
  logprobs: null,
  finish_reason
})
const frames = (...chunks: ReadonlyArray<object | string>) =>
  chunks.map((chunk) => `data: ${typeof chunk === "string" ? chunk : JSON.stringify(chunk)}\n\n`).join("")
const streamed = frames(
  { ...head, choices: [choice("a red", null)], usage: null },
  { ...head, choices: [choice(" fox", null)], usage: null },
  { ...head, choices: [choice("", "stop")], usage: null },
  { ...head, choices: [], usage },
  "[DONE]"
)

/** Answers at `/completions`, by the prompt. */
const complete = ({ prompt, stream }: Record<string, unknown>): Response => {
  const untold = prompt === "untold" || Array.isArray(prompt)
  if (prompt === "broken") return Response.json({ ...head, choices: [{ index: 0 }] })
  if (prompt === "refused") return Response.json({ error: { message: "too long", param: "prompt" } }, { status: 400 })
  if (prompt === "cut") {
    const cut = frames({ ...head, choices: [choice("a red", null)] })
    return new Response(cut, { headers: { "content-type": "text/event-stream" } })
  }
  if (stream === true || prompt === "streams") {
    return new Response(streamed, { headers: { "content-type": "text/event-stream" } })
  }
  const choices = [choice("a red fox", "stop")]
  return Response.json({ ...head, choices, ...(untold ? {} : { usage }), system_fingerprint: "fp" })
}

const chats = (text: string) => ({
  id: "chatcmpl-1",
  object: "chat.completion",
  model: "theirs",
  choices: [{ index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" }]
})

const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: async (request) => {
    const body = (await request.json()) as Record<string, unknown>
    const path = new URL(request.url).pathname
    asked.push({ path, body })
    if (path === "/v1/completions") return complete(body)
    return path.endsWith("/chat/completions")
      ? Response.json(chats("from chat"))
      : Response.json({ error: { message: "no such path" } }, { status: 404 })
  }
})

const secret = "completions-secret-0123456789-0123456789"
const poor = "completions-poor-secret-0123456789-01234"
let gateway: GatewayHere
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-completions-"))
  const at = `http://127.0.0.1:${upstream.port}`
  const protocol = "openai-chat"
  const routes = (name: string, model = "theirs") => [{ upstream: name, model }]
  const price = { input: 1, output: 10 }
  writeFileSync(
    join(folder, "gateway.yaml"),
    JSON.stringify({
      upstreams: {
        server: { protocol, base_url: `${at}/v1` },
        lacking: { protocol, base_url: `${at}/v2` },
        openai: { protocol, base_url: `${at}/v1`, provider: "openai" },
        groq: { protocol, base_url: `${at}/v1`, provider: "groq" }
      },
      models: {
        served: { routes: routes("server"), price },
        bounded: { routes: routes("server"), price, context: 1_000 },
        lacking: { routes: routes("lacking"), price },
        instruct: { routes: routes("openai", "gpt-3.5-turbo-instruct"), price },
        chat: { routes: routes("openai", "gpt-5"), price },
        groq: { routes: routes("groq"), price }
      },
      keys: [
        { name: "rich", secret, balance_usd: 10 },
        { name: "poor", secret: poor, balance_usd: 0.000_1 }
      ]
    })
  )
  gateway = await startGateway({ folder })
})
afterAll(async () => {
  await gateway.dispose()
  await upstream.stop(true)
})

const client = () => new OpenAI({ apiKey: secret, baseURL: `${gateway.url}/v1`, maxRetries: 0 })
const post = async (body: object, { key = secret, path = "/v1/completions" } = {}) => {
  const response = await fetch(gateway.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body)
  })
  return { status: response.status, headers: response.headers, body: await response.json() }
}
const costOf = ({ headers }: Awaited<ReturnType<typeof post>>) =>
  Math.round(Number(headers.get("x-gateway-cost-usd")) * 1e9)

describe("a text completion that is passed through", () => {
  it("reaches the upstream as it came, and so does the answer", async () => {
    const body = { prompt: "Hi", max_tokens: 9, echo: true, logprobs: 3, suffix: ".", best_of: 2, n: 1, tomorrow: 1 }
    const answer = await post({ model: "served", ...body })
    expect(asked.at(-1)).toEqual({ path: "/v1/completions", body: { model: "theirs", stream: false, ...body } })
    expect(answer.body).toEqual({
      ...head,
      model: "served",
      choices: [choice("a red fox", "stop")],
      usage,
      system_fingerprint: "fp"
    })
    expect(answer.headers.get("x-gateway-adapted")).toBeNull()
    expect(costOf(answer)).toBe(5 * 1_000 + 3 * 10_000)
  })

  it.each([[[1, 2, 3]], [[[1], [2]]], [["a", "b"]]])("takes tokens and several prompts: %j", async (prompt) => {
    await post({ model: "served", prompt, max_tokens: 9 })
    expect(asked.at(-1)?.body).toMatchObject({ prompt })
  })

  it.each([false, true])("is streamed, with the usage if it is asked for: %s", async (include_usage) => {
    const stream = await client().completions.create({
      model: "served",
      prompt: "Hi",
      stream: true,
      ...(include_usage && { stream_options: { include_usage } })
    })
    const chunks = await Array.fromAsync(stream)
    expect(asked.at(-1)?.body).toMatchObject({ stream: true, stream_options: { include_usage: true } })
    expect(chunks.map(({ choices }) => choices[0]?.text ?? "").join("")).toBe("a red fox")
    expect(new Set(chunks.map(({ model }) => model))).toEqual(new Set(["served"]))
    expect(chunks).toHaveLength(include_usage ? 4 : 3)
    expect(chunks.at(-1)?.usage ?? undefined).toEqual(include_usage ? usage : undefined)
  })

  it("is whole where the server streams regardless", async () => {
    const { body } = await post({ model: "served", prompt: "streams" })
    expect(body).toMatchObject({ model: "served", usage, choices: [choice("a red fox", "stop")] })
  })

  it.each([
    ["cut", true],
    ["broken", false]
  ])("fails where its answer is none: %s", async (prompt, stream) => {
    const response = await fetch(`${gateway.url}/v1/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "served", prompt, stream })
    })
    expect(await response.text()).toContain('"error"')
  })

  it("is refused as the upstream says", async () => {
    const { body, status } = await post({ model: "served", prompt: "refused" })
    expect([status, body.error.message, body.error.param]).toEqual([400, "too long", "prompt"])
  })

  it("is counted with all its prompts where the upstream tells no usage", async () => {
    const prompt = ["one", "two and three"]
    const answer = await post({ model: "served", prompt, max_tokens: 99 })
    const input = prompt.reduce((sum, text) => sum + countText(text), 0)
    expect(costOf(answer)).toBe(input * 1_000 + countText("a red fox") * 10_000)
  })

  it("holds each answer, and checks each prompt's length", async () => {
    const before = asked.length
    const broke = await post({ model: "served", prompt: ["a", "b"], max_tokens: 9 }, { key: poor })
    expect([broke.status, broke.body.error.code]).toEqual([402, "insufficient_quota"])
    expect((await post({ model: "bounded", prompt: "word ".repeat(1_100), max_tokens: 9 })).status).toBe(400)
    expect(asked.length).toBe(before)
    const six = Array.from({ length: 6 }, () => "word ".repeat(200))
    expect((await post({ model: "bounded", prompt: six, max_tokens: 9 })).status).toBe(200)
    expect((await post({ model: "served", prompt: "a", max_tokens: 9 }, { key: poor })).status).toBe(200)
  })

  it("is quoted", async () => {
    const body = { model: "served", prompt: "a", max_tokens: 9, n: 2 }
    const { body: quote } = await post({ endpoint: "/v1/completions", body }, { path: "/v1/quote" })
    expect(quote.maximum.cost.nano_usd).toBeGreaterThanOrEqual(2 * 9 * 10_000)
    // An upstream reads the suffix, after each prompt.
    const suffix = "word ".repeat(1_000)
    for (const prompt of ["a", ["a", "b"]]) {
      const longer = await post(
        { endpoint: "/v1/completions", body: { ...body, prompt, suffix } },
        { path: "/v1/quote" }
      )
      const most = quote.maximum.cost.nano_usd + countText(suffix) * 1_000 * (prompt === "a" ? 1 : 2)
      expect(longer.body.maximum.cost.nano_usd).toBeGreaterThanOrEqual(most - 1_000)
    }
  })
})

describe("a model without completions", () => {
  const ask = async (model: string, body: object = {}) => {
    const from = asked.length
    const answer = await post({ model, prompt: "Hi", max_tokens: 9, ...body })
    return { ...answer, paths: paths().slice(from) }
  }

  it("is asked by chat, and its server is asked no second time", async () => {
    const first = await ask("lacking")
    expect([first.status, first.paths]).toEqual([200, ["/v2/completions", "/v2/chat/completions"]])
    expect(first.body).toMatchObject({ object: "text_completion", choices: [{ text: "from chat" }] })
    const next = await ask("lacking", { prompt: ["a", "b"] })
    expect(next.paths).toEqual(["/v2/chat/completions", "/v2/chat/completions"])
    expect(next.body.choices).toHaveLength(2)
    const { body, status } = await ask("lacking", { echo: true })
    expect([status, body.error.param]).toEqual([400, "echo"])
  })

  it("is counted with all its prompts where the upstream tells no usage", async () => {
    const prompt = ["one", "two and three and four"]
    const answer = await ask("lacking", { prompt })
    const { body } = await post({ model: "lacking", prompt: prompt[0], max_tokens: 9 })
    const { body: other } = await post({ model: "lacking", prompt: prompt[1], max_tokens: 9 })
    const told = answer.body.usage.prompt_tokens
    expect(Math.abs(told - body.usage.prompt_tokens - other.usage.prompt_tokens)).toBeLessThanOrEqual(12)
    expect(costOf(answer)).toBe(told * 1_000 + answer.body.usage.completion_tokens * 10_000)
  })

  it.each([
    ["instruct", "/v1/completions"],
    ["chat", "/v1/chat/completions"],
    ["groq", "/v1/chat/completions"]
  ])("is known by its provider: %s at %s", async (model, path) => {
    expect((await ask(model)).paths).toEqual([path])
  })
})
