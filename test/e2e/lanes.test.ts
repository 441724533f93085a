import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Struct } from "effect"
import { startRedis, withoutRedis } from "../limits/redisServer.ts"
import type { RedisServer } from "../limits/redisServer.ts"
import { request } from "../request.ts"
import { converseAnswer } from "../upstreams/fakes/converse.ts"
import { fakeUpstream } from "../upstreams/fakes/fakeUpstream.ts"
import type { Asked } from "../upstreams/fakes/fakeUpstream.ts"
import { startGateway } from "./process.ts"
import type { GatewayProcess } from "./process.ts"

const error =
  (status: number, message: string, headers: Record<string, string> = {}, more: object = {}) =>
  () =>
    Response.json({ error: { message, type: "x", code: null, ...more } }, { status, headers })

const later = { "retry-after": "60" }
const tokens =
  "Rate limit reached for m in organization o on tokens per min (TPM): Limit 30000, Used 12000, Requested 29000."
const violations = [{ quotaId: "GenerateContentInputTokensPerModelPerMinute-FreeTier", quotaMetric: "input" }]
const details = [
  { "@type": "type.googleapis.com/google.rpc.QuotaFailure", violations },
  { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34s" }
]

/** What an upstream answers to requests that every account has to know of. */
const ofAll: Readonly<Record<string, () => Response>> = {
  "all-requests": error(429, "slow down", { ...later, "x-ratelimit-remaining-requests": "0" }),
  "all-anthropic": error(429, "slow down", { ...later, "anthropic-ratelimit-requests-remaining": "0" }),
  "all-overloaded": error(529, "Overloaded", later, { type: "overloaded_error" })
}

/** What an upstream answers to one account's request that says nothing of other accounts' requests. */
const refusals: Readonly<Record<string, () => Response>> = {
  "429": error(429, "slow down"),
  "429-later": error(429, "slow down", later),
  "429-tokens": error(429, tokens, later, { code: "rate_limit_exceeded" }),
  "429-too-large": error(429, tokens.replace("29000", "52000"), later, { code: "rate_limit_exceeded" }),
  "429-organization": error(
    429,
    "This request would exceed your organization's rate limit of 40,000 input tokens.",
    later
  ),
  "429-google": error(429, "quota", {}, { status: "RESOURCE_EXHAUSTED", details }),
  "429-long": error(429, "Extra usage is required for long context requests."),
  "429-flex": error(429, "Resource unavailable", {}, { code: "resource_unavailable" }),
  "498": error(498, "full", {}, { code: "capacity_exceeded" }),
  "429-fast": error(429, "fast", { ...later, "anthropic-fast-input-tokens-remaining": "0" }),
  ...Object.fromEntries([400, 401, 403, 404, 408, 409, 413, 422].map((status) => [`${status}`, error(status, "no")])),
  "403-key": error(403, "no", later, { type: "permission_error" }),
  ...Object.fromEntries([500, 502, 503].map((status) => [`${status}`, error(status, "oh", later)])),
  empty: () => new Response(""),
  page: () => new Response("<html>", { headers: { "content-type": "text/html" } }),
  cut: () =>
    new Response(
      new ReadableStream({
        start: (controller) => {
          controller.enqueue(new TextEncoder().encode("data: {"))
          controller.close()
        }
      }),
      { headers: { "content-type": "text/event-stream" } }
    )
}

/** Begins, and is refused then. */
const overloadedStream = () => {
  const response = { id: "resp_1", object: "response", status: "in_progress", model: "m", output: [] }
  const error = { code: "server_is_overloaded", message: "Our servers are currently overloaded." }
  const frames = [
    { type: "response.created", sequence_number: 0, response },
    { type: "response.in_progress", sequence_number: 1, response },
    { type: "response.failed", sequence_number: 2, response: { ...response, status: "failed", error } }
  ]
  const text = frames.map((frame) => `event: ${frame.type}\ndata: ${JSON.stringify(frame)}\n\n`).join("")
  return new Response(text, { headers: { "content-type": "text/event-stream" } })
}

const answer = ({ text }: Asked) => {
  const named = /hostile:([\w-]+)/.exec(text)?.[1] ?? ""
  if (named === "overloaded-stream") return overloadedStream()
  return (refusals[named] ?? ofAll[named])?.()
}

/** Bedrock's Converse, whole answers alone. */
const converse = (() => {
  const asked: Array<Asked> = []
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    development: false,
    fetch: async (incoming) => {
      const text = await incoming.text()
      const one = {
        path: new URL(incoming.url).pathname,
        headers: Object.fromEntries(incoming.headers),
        text,
        body: {}
      }
      asked.push(one)
      return answer(one) ?? Response.json(converseAnswer("text"))
    }
  })
  return { url: `http://127.0.0.1:${server.port}`, asked, stop: () => server.stop(true) }
})()

const fakes = {
  "openai-chat": { fake: fakeUpstream("openai-chat", { answer }), path: "/v1", family: "chat" },
  "openai-responses": { fake: fakeUpstream("openai-responses", { answer }), path: "/v1", family: "responses" },
  "anthropic-messages": { fake: fakeUpstream("anthropic-messages", { answer }), path: "", family: "messages" },
  gemini: { fake: fakeUpstream("gemini", { answer }), path: "/v1beta", family: "chat" },
  "bedrock-converse": { fake: converse, path: "", family: "messages" }
} as const
type Protocol = keyof typeof fakes
const protocols = ["openai-chat", "openai-responses", "anthropic-messages", "gemini", "bedrock-converse"] as const
const other = fakeUpstream("openai-chat")

const accounts = ["a", "b", "c"]
const secretOf = (account: string) => `lanes-secret-of-${account}-0123456789-0123456789`

const upstreams = Object.fromEntries(
  protocols.flatMap((protocol) => {
    const { fake, path } = fakes[protocol]
    const at = { protocol, base_url: `${fake.url}${path}` }
    return [
      [protocol, { ...at, api_key: `sk-${protocol}-0123456789` }],
      [`${protocol}-pool`, { ...at, keys: [`sk-one-${protocol}-0123456789`, `sk-two-${protocol}-0123456789`] }]
    ]
  })
)
const dear = { upstream: "other", price: { input: 500, output: 500 } }
/** The models of a protocol, each refusal's apart from the others'. */
const ways = {
  alone: (protocol: Protocol) => [{ upstream: protocol }],
  confirmed: (protocol: Protocol) => [{ upstream: protocol, model: "confirmed" }],
  said: (protocol: Protocol) => [{ upstream: protocol, model: "said" }],
  large: (protocol: Protocol) => [{ upstream: `${protocol}-pool`, model: "large" }],
  overloaded: (protocol: Protocol) => [{ upstream: protocol, model: "overloaded" }, dear],
  flex: (protocol: Protocol) => [
    { upstream: protocol, model: "flex" },
    { upstream: "gemini", model: "flex" }
  ],
  pool: (protocol: Protocol) => [{ upstream: `${protocol}-pool` }, dear],
  two: (protocol: Protocol) => [{ upstream: protocol }, dear],
  weights: (protocol: Protocol) => [
    { upstream: protocol, weight: 1 },
    { upstream: `${protocol}-pool`, weight: 1 },
    dear
  ]
}
/** Those that nothing but one account's requests concern. */
const wayNames = ["alone", "pool", "two", "weights"] as const

let redis: RedisServer | undefined
let nodes: ReadonlyArray<GatewayProcess>
beforeAll(async () => {
  redis = withoutRedis("the shared part of test/e2e/lanes.test.ts") ? undefined : await startRedis()
  const models = Object.fromEntries(
    protocols.flatMap((protocol) =>
      Struct.keys(ways).map((way) => [`${protocol}-${way}`, { routes: ways[way](protocol) }])
    )
  )
  const config = {
    upstreams: { ...upstreams, other: { protocol: "openai-chat", base_url: `${other.url}/v1` } },
    models: {
      ...models,
      plain: { routes: [{ upstream: "gemini", model: "plain" }] },
      cheap: { routes: [{ upstream: "other", model: "cheap" }] },
      "flex-then-plain": { routes: [{ upstream: "openai-chat", model: "full" }], fallbacks: { failed: "plain" } },
      "flex-then-flex": { routes: [{ upstream: "openai-chat", model: "full" }], fallbacks: { failed: "cheap" } }
    },
    keys: accounts.map((account) => ({ name: account, account, secret: secretOf(account) })),
    unpriced: "allow"
  }
  const start = () => {
    const folder = mkdtempSync(join(tmpdir(), "gateway-lanes-"))
    writeFileSync(join(folder, "gateway.yaml"), JSON.stringify(config))
    // A conversation keeps its key on every node.
    const secret = { GATEWAY_SECRET: "one-secret-for-all-0123456789abcdef" }
    return startGateway({ folder, env: { ...secret, ...(redis && { GATEWAY_REDIS_URL: redis.url }) } })
  }
  nodes = await Promise.all([start(), start()])
}, 60_000)
afterAll(async () => {
  await Promise.all(nodes.map((node) => node.dispose()))
  await Promise.all([...protocols.map((protocol) => fakes[protocol].fake.stop()), other.stop()])
  await redis?.dispose()
})

/** The request of an account in the protocol's family, where it has one. */
const ask = async (
  node: number,
  account: string,
  protocol: Protocol,
  model: string,
  text: string,
  more: object = {}
) => {
  const { family } = fakes[protocol]
  const gateway = nodes[node]
  if (gateway === undefined) throw new Error("no such node")
  const messages = [{ role: "user", content: text }]
  const [path, body] =
    family === "chat"
      ? ["/v1/chat/completions", { model, messages }]
      : family === "messages"
        ? ["/v1/messages", { model, messages, max_tokens: 50 }]
        : ["/v1/responses", { model, input: text, store: false }]
  const response = await request(gateway, path, { key: secretOf(account), body: { ...body, ...more } })
  await response.text()
  const { headers, status } = response
  return { status, upstream: headers.get("x-gateway-upstream"), retryAfter: headers.get("retry-after") }
}

/** The key with which the upstream was asked last. */
const lastKey = ({ asked }: { readonly asked: ReadonlyArray<Asked> }, text: string) => {
  const headers = asked.findLast((one) => one.text.includes(text))?.headers
  return headers?.["authorization"] ?? headers?.["x-api-key"] ?? headers?.["x-goog-api-key"]
}

const extras: Readonly<Record<string, object>> = {
  "429-flex": { service_tier: "flex" },
  "498": { service_tier: "flex" },
  "429-fast": { speed: "fast" }
}

describe("whatever an upstream answers to one account", () => {
  it.each(protocols)(
    "another one is answered as if it had not happened (%s)",
    async (protocol) => {
      const { fake } = fakes[protocol]
      const ordinary = async (node: number, way: (typeof wayNames)[number]) => {
        const text = `play:text an ordinary ${way}`
        const { status, upstream } = await ask(node, "b", protocol, `${protocol}-${way}`, text)
        return { status, upstream, key: lastKey(fake, text) }
      }
      for (const way of wayNames) {
        const before = await ordinary(0, way)
        expect(before.status).toBe(200)
        for (const name of Object.keys(refusals)) {
          const hostile = ask(0, "a", protocol, `${protocol}-${way}`, `hostile:${name}`, extras[name])
          const during = await ordinary(0, way)
          await hostile
          expect([name, way, during, await ordinary(0, way), await ordinary(1, way)]).toEqual([
            name,
            way,
            before,
            before,
            before
          ])
        }
      }
    },
    120_000
  )
})

describe("a lane that an upstream refuses", () => {
  /** The calls of an upstream that hold a text. */
  const callsOf = (protocol: Protocol, text: string) =>
    fakes[protocol].fake.asked.filter((one) => one.text.includes(text)).length

  it.each(protocols)("rests for all once a second account is refused, on its node alone (%s)", async (protocol) => {
    const model = `${protocol}-confirmed`
    const refused = await ask(0, "a", protocol, model, "hostile:429-later")
    expect([refused.status, refused.retryAfter]).toEqual([429, "60"])
    expect((await ask(0, "b", protocol, model, "hostile:429-later")).status).toBe(429)
    const { retryAfter, status } = await ask(0, "c", protocol, model, "the third hostile:429-later")
    expect([status, Number(retryAfter) > 50, callsOf(protocol, "the third")]).toEqual([429, true, 0])
    expect((await ask(1, "c", protocol, model, "on the second node")).status).toBe(200)
  })

  it.each(protocols)("rests for all at once where the upstream says so (%s)", async (protocol) => {
    const model = `${protocol}-said`
    expect((await ask(0, "a", protocol, model, "hostile:all-requests")).status).toBe(429)
    expect((await ask(0, "b", protocol, model, "after that of all")).status).toBe(429)
    expect(callsOf(protocol, "after that of all")).toBe(0)
  })

  it.each(protocols)(
    "is none where the request is too large: no other key is asked, and no wait named (%s)",
    async (protocol) => {
      const model = `${protocol}-large`
      const text = "hostile:429-too-large for any"
      const { retryAfter, status } = await ask(0, "a", protocol, model, text)
      expect([status, retryAfter, callsOf(protocol, text)]).toEqual([429, null, 1])
      expect((await ask(0, "a", protocol, model, "play:text a small one")).status).toBe(200)
    }
  )

  it.each(["openai-chat", "openai-responses"] as const)(
    "of Groq's flex tier is a 429, leaves the standard one alone, and goes to no dearer tier (%s)",
    async (protocol) => {
      const model = `${protocol}-flex`
      const flex = { service_tier: "flex" }
      const text = `hostile:498 of ${protocol}`
      expect(await ask(0, "a", protocol, model, text, flex)).toMatchObject({ status: 429, upstream: protocol })
      expect(callsOf("gemini", text)).toBe(0)
      expect(await ask(0, "a", protocol, model, "play:text")).toMatchObject({ status: 200, upstream: protocol })
    }
  )

  it("of a model that is overloaded, as a 200 says after it began, rests for all", async () => {
    const model = "openai-responses-overloaded"
    const stream = { stream: true }
    const refused = await ask(0, "a", "openai-responses", model, "hostile:overloaded-stream", stream)
    expect(refused).toMatchObject({ status: 200, upstream: "other" })
    expect(await ask(0, "b", "openai-responses", model, "play:text")).toMatchObject({ status: 200, upstream: "other" })
  })

  it("of a full flex tier goes to another model's flex, and to none at a dearer tier", async () => {
    const flex = { service_tier: "flex" }
    const full = await ask(0, "a", "openai-chat", "flex-then-plain", "hostile:498 and plain", flex)
    expect(full).toMatchObject({ status: 429, upstream: "openai-chat" })
    expect(callsOf("gemini", "hostile:498 and plain")).toBe(0)
    const other = await ask(0, "a", "openai-chat", "flex-then-flex", "hostile:498 again", flex)
    expect(other).toMatchObject({ status: 200, upstream: "other" })
  })
})
