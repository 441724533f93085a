import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import type { Attention } from "../../src/admin/OverviewRecord.ts"
import type { QuoteRecord } from "../../src/account/QuoteRecord.ts"
import type { RequestView } from "../../src/requests/RequestView.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { answerOf } from "../prices/provider.ts"
import type { Case } from "../prices/cases.ts"
import { request } from "../request.ts"
import { adminKey } from "./adminClient.ts"

/** Where a request names no tier, its upstream's default is sent and held; a tier that is seen unasked is held too. */

const sent: Array<{ readonly path: string; readonly headers: Headers; readonly body: Record<string, unknown> }> = []
/** The tier that the provider says it served. */
let served = "default"
const usage = {
  responses: { usage: { input_tokens: 1_000, output_tokens: 100, total_tokens: 1_100 } },
  chat: { usage: { prompt_tokens: 1_000, completion_tokens: 100, total_tokens: 1_100 } },
  messages: { usage: { input_tokens: 1_000, output_tokens: 100 } },
  gemini: {
    usageMetadata: { promptTokenCount: 1_000, candidatesTokenCount: 100, totalTokenCount: 1_100 },
    candidates: [{}]
  },
  "bedrock-converse": { usage: { inputTokens: 1_000, outputTokens: 100, totalTokens: 1_100 } }
} as const
const paths = [
  ["/responses", "responses"],
  ["/chat/completions", "chat"],
  ["/messages", "messages"],
  ["ontent", "gemini"],
  ["/converse", "bedrock-converse"],
  ["/invoke", "messages"]
] as const
const provider = Bun.serve({
  port: 0,
  fetch: async (asked) => {
    const { pathname: path } = new URL(asked.url)
    const body = JSON.parse(await asked.text())
    sent.push({ path, headers: asked.headers, body })
    const [, wire] = paths.find(([part]) => path.includes(part)) ?? ["", "responses" as const]
    const isOpenAi = wire === "responses" || wire === "chat"
    const answer = {
      ...(wire === "responses" && { id: "a_1", object: "response", status: "completed", output: [] }),
      ...(isOpenAi && { service_tier: served }),
      ...usage[wire]
    }
    const played: Case = {
      id: "",
      provider: "",
      wire,
      model: "m",
      request: {},
      answer,
      price: {},
      terms: [],
      nano_usd: 0,
      how: ""
    }
    return answerOf(played, body.stream === true || /[sS]tream/.test(path))
  }
})

const at = (path: string) => `http://127.0.0.1:${provider.port}${path}`
const price = {
  input: 1,
  cache_write_1h: 4,
  output: 10,
  service_tier: { priority: 2, flex: 0.5, standard: 1 },
  speed: { fast: 3 },
  inference_geo: { us: 1.1 }
}
const upstreams = {
  responses: { protocol: "openai-responses", base_url: at("/v1"), default_service_tier: "priority" },
  chat: { protocol: "openai-chat", provider: "openai", base_url: at("/v1"), default_service_tier: "flex" },
  messages: {
    protocol: "anthropic-messages",
    base_url: at("/a"),
    default_service_tier: "standard_only",
    default_inference_geo: "us"
  },
  gemini: { protocol: "gemini", base_url: at("/v1beta"), default_service_tier: "default" },
  converse: { protocol: "bedrock-converse", base_url: at("/b"), default_service_tier: "flex" },
  bedrock: {
    provider: "bedrock",
    region: "us-east-1",
    base_url: at("/b"),
    api_key: "k",
    default_service_tier: "priority"
  },
  "plain-responses": { protocol: "openai-responses", base_url: at("/v1") },
  "plain-messages": { protocol: "anthropic-messages", base_url: at("/a") },
  unknown: { protocol: "openai-chat", base_url: at("/v1") },
  project: { protocol: "openai-responses", base_url: at("/v1"), keys: ["key-one-0123456789", "key-two-0123456789"] }
}
const secret = "holder-secret-0123456789-01234567"
const config = {
  upstreams,
  models: {
    ...Object.fromEntries(
      Object.keys(upstreams).map((upstream) => [
        upstream,
        { routes: [{ upstream, model: "anthropic.claude-opus-5" }], price }
      ])
    ),
    other: { routes: [{ upstream: "project", model: "other" }], price }
  },
  keys: [{ name: "holder", secret, account: "holder", balance_usd: 100 }]
}

let gateway: GatewayHere
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-tiers-"))
  writeFileSync(join(folder, "gateway.yaml"), JSON.stringify(config))
  gateway = await startGateway({ folder, env: { GATEWAY_ADMIN_KEY: adminKey } })
})
afterAll(async () => {
  await gateway.dispose()
  await provider.stop(true)
})

const user = [{ role: "user", content: "Hello" }]
const families = {
  responses: ["/v1/responses", { input: "Hello", max_output_tokens: 100 }],
  chat: ["/v1/chat/completions", { messages: user, max_completion_tokens: 100 }],
  messages: ["/v1/messages", { messages: user, max_tokens: 100 }]
} as const
type Family = keyof typeof families

const ask = async (family: Family, model: string, more: object = {}) => {
  const [path, body] = families[family]
  const response = await request(gateway, path, { body: { model, ...body, ...more }, key: secret })
  const text = await response.text()
  expect(response.status, text).toBe(200)
  return { headers: response.headers, sent: sent.at(-1) }
}

const quote = async (family: Family, model: string, more: object = {}): Promise<typeof QuoteRecord.Type> => {
  const [endpoint, body] = families[family]
  const asked = { endpoint, body: { model, ...body, ...more } }
  return (await request(gateway, "/v1/quote", { body: asked, key: secret })).json() as Promise<typeof QuoteRecord.Type>
}

describe("the upstream's default", () => {
  const all = Object.keys(families) as ReadonlyArray<Family>
  const cases: ReadonlyArray<readonly [upstream: string, named: object]> = [
    ["responses", { service_tier: "priority" }],
    ["chat", { service_tier: "flex" }],
    ["messages", { service_tier: "standard_only", inference_geo: "us" }],
    ["gemini", { serviceTier: "standard" }],
    ["converse", { serviceTier: { type: "flex" } }]
  ]
  it.each(cases.flatMap(([upstream, named]) => all.map((family) => [upstream, family, named] as const)))(
    "is sent to %s by %s, where the request names none or auto",
    async (upstream, family, named) => {
      for (const more of [{}, { stream: true }, { service_tier: "auto" }]) {
        expect((await ask(family, upstream, more)).sent?.body).toMatchObject(named)
      }
    }
  )

  it("gives way to what the request names", async () => {
    expect((await ask("responses", "responses", { service_tier: "default" })).sent?.body["service_tier"]).toBe(
      "default"
    )
    expect((await ask("chat", "responses", { service_tier: "default" })).sent?.body["service_tier"]).toBe("default")
    expect((await ask("responses", "chat", { service_tier: "priority" })).sent?.body["service_tier"]).toBe("priority")
    expect((await ask("messages", "responses", { service_tier: "standard_only" })).sent?.body["service_tier"]).toBe(
      "default"
    )
    const message = await ask("messages", "messages", { inference_geo: "global" })
    expect(message.sent?.body).toMatchObject({ inference_geo: "global", service_tier: "standard_only" })
    expect((await ask("chat", "converse", { service_tier: "default" })).sent?.body).not.toHaveProperty("serviceTier")
  })

  it("is a header of InvokeModel", async () => {
    const { sent } = await ask("messages", "bedrock")
    expect(sent?.path).toContain("/invoke")
    expect(sent?.headers.get("x-amzn-bedrock-service-tier")).toBe("priority")
    expect(sent?.body).not.toHaveProperty("service_tier")
  })

  it("is nothing where none is set", async () => {
    for (const family of all) {
      expect((await ask(family, "plain-responses")).sent?.body).not.toHaveProperty("service_tier")
    }
    expect((await ask("messages", "plain-messages")).sent?.body).not.toHaveProperty("inference_geo")
  })
})

describe("a hold", () => {
  const plain = async (family: Family, model: string, more: object = {}) =>
    (await quote(family, model, more)).maximum.cost.nano_usd

  it.each([
    ["responses", "plain-responses", {}, 1, "default"],
    ["responses", "plain-responses", { service_tier: "flex" }, 0.5, "flex"],
    ["responses", "plain-responses", { service_tier: "fast" }, 2, "fast"],
    ["responses", "responses", {}, 2, "priority"],
    ["responses", "responses", { service_tier: "default" }, 1, "default"],
    ["chat", "responses", {}, 2, "priority"],
    ["responses", "chat", {}, 0.5, "flex"]
  ] as const)("of %s at %s with %j is that of its tier", async (family, model, more, factor, tier) => {
    const base = await plain("responses", "plain-responses", { service_tier: "default" })
    const quoted = await quote(family, model, more)
    // The geographies of the price, which OpenAI does not have.
    expect([quoted.maximum.cost.nano_usd / base, quoted.service_tier]).toEqual([expect.closeTo(factor, 6), tier])
  })

  it("is the full price where a cheap tier may go unheeded", async () => {
    const base = await plain("chat", "unknown")
    expect(await plain("chat", "unknown", { service_tier: "flex" })).toBe(base)
    expect(await plain("chat", "unknown", { service_tier: "priority" })).toBe(2 * base)
    expect(await plain("responses", "plain-messages", { service_tier: "flex" })).toBe(
      await plain("responses", "plain-messages")
    )
  })

  it("is that of the dearest place unless one is named", async () => {
    const global = await plain("messages", "plain-messages", { inference_geo: "global" })
    const us = await plain("messages", "plain-messages", { inference_geo: "us" })
    expect([us / global, await plain("messages", "plain-messages")]).toEqual([expect.closeTo(1.1, 6), us])
    expect(await plain("messages", "messages")).toBe(us)
    expect(await plain("messages", "plain-messages", { inference_geo: "global", speed: "fast" })).toBe(3 * global)
  })

  it("has the rate of caches for an hour only where a ttl asks for one", async () => {
    const marked = (ttl?: string) => ({
      system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral", ...(ttl && { ttl }) } }]
    })
    const minutes = await quote("messages", "plain-messages", marked())
    const hour = await quote("messages", "plain-messages", marked("1h"))
    const inputs = hour.maximum.input_tokens
    // Four times the rate of input, at the dearest place.
    expect(hour.maximum.cost.nano_usd - minutes.maximum.cost.nano_usd).toBe(inputs * 3 * 1_100)
  })

  it("covers the charge", async () => {
    served = "priority"
    for (const family of ["responses", "chat"] as const) {
      const { maximum } = await quote(family, "responses", {
        max_output_tokens: undefined,
        max_completion_tokens: undefined
      })
      const { headers } = await ask(family, "responses", {
        max_output_tokens: undefined,
        max_completion_tokens: undefined
      })
      const cost = Number(headers.get("x-gateway-cost-usd"))
      expect([cost, cost * 1e9 <= maximum.cost.nano_usd]).toEqual([0.004, true])
    }
    served = "default"
  })
})

describe("a project with another tier", () => {
  const admin = async (path: string) => (await request(gateway, `/admin/v1${path}`, { key: adminKey })).json()
  const attention = async () =>
    ((await admin("/attention")).data as ReadonlyArray<Attention>).filter(({ message }) => message.includes("tier"))
  const maximum = async (model: string) => (await quote("responses", model)).maximum.cost.nano_usd

  it("raises the holds of its key and model from its first answer on, and is told", async () => {
    const before = await maximum("project")
    await ask("responses", "project")
    expect([await maximum("project"), await attention()]).toEqual([before, []])

    served = "priority"
    // A tier that is named says nothing of the project's.
    await ask("responses", "project", { service_tier: "priority" })
    await ask("responses", "responses")
    expect([await maximum("project"), await attention()]).toEqual([before, []])

    const { headers } = await ask("responses", "project", { stream: true })
    served = "default"
    await expect.poll(() => maximum("project")).toBe(2 * before)
    expect((await quote("responses", "project")).service_tier).toBe("priority")
    expect(await maximum("other")).toBe(before)
    // What the first answer cost beyond its hold is the operator's.
    const id = headers.get("x-request-id") ?? ""
    const row = async (): Promise<RequestView> => admin(`/requests/${id}`)
    await expect.poll(async () => (await row()).upstream_cost_usd).toBe(0.004)
    expect(((await row()).cost_usd ?? 0) * 1e9).toBeLessThanOrEqual(before)
    expect(await attention()).toMatchObject([
      {
        level: "warning",
        what: "upstream",
        id: "project",
        message: expect.stringContaining('at the tier "priority", which no request named'),
        action: expect.stringContaining("`upstreams.project.default_service_tier: priority`")
      }
    ])
    // A request that names the standard tier gets it.
    expect((await quote("responses", "project", { service_tier: "default" })).maximum.cost.nano_usd).toBe(before)
  })
})
