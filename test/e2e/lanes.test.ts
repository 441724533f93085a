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
import { answer, refusals } from "./laneRefusals.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"

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
    { upstream: "anthropic-messages", model: "flex" }
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
let nodes: ReadonlyArray<GatewayHere>
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
      plain: { routes: [{ upstream: "anthropic-messages", model: "plain" }] },
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
      expect(callsOf("anthropic-messages", text)).toBe(0)
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
    expect(callsOf("anthropic-messages", "hostile:498 and plain")).toBe(0)
    const other = await ask(0, "a", "openai-chat", "flex-then-flex", "hostile:498 again", flex)
    expect(other).toMatchObject({ status: 200, upstream: "other" })
  })
})
