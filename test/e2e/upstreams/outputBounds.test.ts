import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { fakeUpstream } from "../../upstreams/fakes/fakeUpstream.ts"
import type { DialectName } from "../../upstreams/fakes/fakeUpstream.ts"
import { request } from "../../request.ts"
import type { GatewayHere } from "../../gatewayHere.ts"
import { startGateway } from "../../gatewayHere.ts"

const inputTokens = 12

const vllm = (most: number) =>
  `'max_tokens' or 'max_completion_tokens' is too large: ${most}. This model's maximum context length is 40960 tokens and your request has ${inputTokens} input tokens (${most} > 40960 - ${inputTokens}).`
const anthropic = (most: number, model: string) =>
  `max_tokens: ${most} > 8192, which is the maximum allowed number of output tokens for ${model}`
const openai = (most: number) =>
  `Invalid 'max_output_tokens': integer above maximum value. Expected a value <= 8192, but got ${most} instead.`

const refusing = (name: DialectName, most: number, message: (most: number, model: string) => string) =>
  fakeUpstream(name, {
    answer: ({ body }) => {
      const bound = body.max_tokens ?? body.max_output_tokens
      if (bound <= most || body.model === "open") return undefined
      return Response.json(
        { error: { type: "invalid_request_error", message: message(bound, body.model) } },
        { status: 400 }
      )
    }
  })
const fakes = {
  "openai-chat": refusing("openai-chat", 40_960 - inputTokens, vllm),
  "anthropic-messages": refusing("anthropic-messages", 8_192, anthropic),
  "openai-responses": refusing("openai-responses", 8_192, openai)
}

let gateway: GatewayHere
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-output-"))
  const ids = Array.from({ length: 4 }, (_, at) => `qwen-${at}`)
  const models = (upstream: string) => ids.map((id) => [`${upstream}-${id}`, { routes: [{ upstream, model: id }] }])
  const upstreams = Object.entries(fakes).map(([protocol, { url }]) => [
    protocol,
    { protocol, base_url: protocol === "anthropic-messages" ? url : `${url}/v1`, api_key: "sk-planted-key" }
  ])
  const routes = [{ upstream: "openai-chat", model: "open" }]
  writeFileSync(
    join(folder, "gateway.yaml"),
    JSON.stringify({
      upstreams: Object.fromEntries(upstreams),
      models: {
        window: { routes, context: 40_960 },
        bounded: { routes, max_output_tokens: 8_192 },
        both: { routes, context: 40_960, max_output_tokens: 8_192 },
        ...Object.fromEntries(Object.keys(fakes).flatMap(models))
      }
    })
  )
  gateway = await startGateway({ folder })
})
afterAll(async () => {
  await gateway.dispose()
  await Promise.all(Object.values(fakes).map((fake) => fake.stop()))
})

const text = "Fix it. play:text"
const families = {
  messages: {
    param: "max_tokens",
    body: (model: string) => ({ model, max_tokens: 64_000, messages: [{ role: "user", content: text }] })
  },
  responses: {
    param: "max_output_tokens",
    body: (model: string) => ({ model, max_output_tokens: 64_000, input: text })
  },
  "chat/completions": {
    param: "max_completion_tokens",
    body: (model: string) => ({ model, max_completion_tokens: 64_000, messages: [{ role: "user", content: text }] })
  }
} as const

const ask = async (family: keyof typeof families, model: string, more: object = {}, headers = {}) => {
  const body = { ...families[family].body(model), ...more }
  const response = await request(gateway, `/v1/${family}`, { body, headers })
  return {
    status: response.status,
    adapted: response.headers.get("x-gateway-adapted")?.split(", ") ?? [],
    text: await response.text()
  }
}
const bound = (protocol: DialectName) => {
  const { max_output_tokens, max_tokens } = fakes[protocol].asked.at(-1)!.body
  return max_tokens ?? max_output_tokens
}

describe.each(["messages", "responses"] as const)("more output than a model writes, from %s", (family) => {
  const { param } = families[family]

  it.each([
    ["what its entry says", "bounded", 8_192],
    ["what its entry says, if the context has more room", "both", 8_192]
  ])("is cut to %s", async (_, model, most) => {
    const answer = await ask(family, model)
    expect([answer.status, answer.adapted]).toEqual([200, [param]])
    expect(bound("openai-chat")).toBe(most)
  })

  it("is cut to the room that the input leaves in the context", async () => {
    expect((await ask(family, "window")).adapted).toEqual([param])
    const short = bound("openai-chat")
    expect(short).toBeGreaterThan(40_000)
    expect(short).toBeLessThan(40_960)
    const long = "A long story of a fox and a dog. ".repeat(2_000)
    const input = family === "messages" ? { messages: [{ role: "user", content: long }] } : { input: long }
    expect((await ask(family, "window", input)).status).toBe(200)
    expect(bound("openai-chat")).toBeLessThan(40_960 - 16_000)
  })

  it("is refused in strict mode, with the largest value", async () => {
    const { status, text } = await ask(family, "bounded", {}, { "x-gateway-strict": "true" })
    expect(status).toBe(400)
    expect(text).toContain(`${param}: expected an integer between 1 and 8192; got 64000`)
  })
})

describe.each([
  ["messages", "openai-chat", 0, 40_948],
  ["responses", "openai-chat", 1, 40_948],
  ["messages", "openai-responses", 0, 8_192],
  ["chat/completions", "openai-responses", 1, 8_192],
  ["responses", "anthropic-messages", 0, 8_192],
  ["chat/completions", "anthropic-messages", 1, 8_192]
] as const)("more output than %s may ask of a model of which nothing is known, at %s", (family, protocol, at, most) => {
  const model = `${protocol}-qwen-${at}`
  const { asked } = fakes[protocol]
  const { param } = families[family]

  it("is refused in strict mode, in the upstream's words", async () => {
    const calls = asked.length
    const { status, text } = await ask(family, `${protocol}-qwen-${at + 2}`, {}, { "x-gateway-strict": "true" })
    expect([status, asked.length]).toEqual([400, calls + 1])
    expect(text).toContain("64000")
  })

  it("is cut as the upstream's refusal says, and the next time before it refuses", async () => {
    const calls = asked.length
    const first = await ask(family, model, { stream: true })
    expect([first.status, first.adapted]).toEqual([200, [param]])
    expect([asked.length, bound(protocol)]).toEqual([calls + 2, most])
    const second = await ask(family, model)
    expect([second.status, second.adapted]).toEqual([200, [param]])
    expect(asked.length).toBe(calls + 3)
    expect(bound(protocol)).toBeLessThanOrEqual(most + inputTokens)
    const strict = await ask(family, model, {}, { "x-gateway-strict": "true" })
    expect([strict.status, asked.length]).toEqual([400, calls + 3])
    expect(strict.text).toContain(`${param}: expected an integer between 1 and`)
  })
})
