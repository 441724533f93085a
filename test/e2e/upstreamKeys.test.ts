import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { fakeUpstream } from "../upstreams/fakes/fakeUpstream.ts"
import { request } from "../request.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"

const keyOf = (name: string) => `sk-${name}-0123456789-0123456789-${name}`
const names = ["alfa", "beta", "gama", "dela"]
/** Answers of the upstream to single keys; the others are served. */
const refusals = new Map<string, () => Response>()
const error = (status: number, code: string, headers: Record<string, string> = {}) =>
  Response.json({ error: { message: `the key is ${code}`, type: code, code } }, { status, headers })

const nameIn = (headers: Record<string, string>) =>
  names.find((name) => headers["authorization"] === `Bearer ${keyOf(name)}`) ?? "none"
const chat = fakeUpstream("openai-chat", { answer: ({ headers }) => refusals.get(nameIn(headers))?.() })
const other = fakeUpstream("openai-chat")

const adminKey = "admin-key-0123456789abcdefgh"
let gateway: GatewayHere
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-keys-"))
  writeFileSync(join(folder, "dela"), `${keyOf("dela")}\n`)
  const models = Object.fromEntries(
    ["limited", "refused", "poor", "broken", "all", "spread", "rows"].map((id) => [
      id,
      { routes: [{ upstream: "pool" }, { upstream: "other" }] }
    ])
  )
  const keys = ["${ALFA}", { key: "${BETA}" }, { key: keyOf("gama"), weight: 1 }, { file: "dela" }]
  writeFileSync(
    join(folder, "gateway.yaml"),
    JSON.stringify({
      upstreams: {
        pool: { protocol: "openai-chat", base_url: `${chat.url}/v1`, keys },
        other: { protocol: "openai-chat", base_url: `${other.url}/v1`, api_key: "sk-other-0123456789-0123456789" }
      },
      models
    })
  )
  gateway = await startGateway({
    folder,
    env: { GATEWAY_ADMIN_KEY: adminKey, ALFA: keyOf("alfa"), BETA: keyOf("beta") }
  })
})
afterAll(async () => {
  await gateway.dispose()
  await Promise.all([chat.stop(), other.stop()])
})

/** The keys that a request was sent with, in order, and the upstream that answered. */
const ask = async (model: string, conversation: string, url = gateway) => {
  const before = chat.asked.length
  const messages = [{ role: "user", content: `play:text ${conversation}` }]
  const response = await request(url, "/v1/chat/completions", { body: { model, messages } })
  const text = await response.text()
  const keys = chat.asked.slice(before).map(({ headers }) => nameIn(headers))
  return { status: response.status, text, keys, upstream: response.headers.get("x-gateway-upstream") }
}
const conversations = Array.from({ length: 40 }, (_, index) => `conversation ${index}`)

describe("an upstream with several keys", () => {
  it("shares the conversations among them, each of which stays with its key", async () => {
    const first = new Map<string, string>()
    for (const conversation of conversations) first.set(conversation, (await ask("spread", conversation)).keys.join())
    expect(new Set(first.values())).toEqual(new Set(names))
    for (const conversation of conversations.slice(0, 10)) {
      expect((await ask("spread", conversation)).keys).toEqual([first.get(conversation)])
    }
  })

  it.each([
    ["limited", () => error(429, "rate_limit_exceeded", { "retry-after": "60" })],
    ["refused", () => error(401, "invalid_api_key")],
    ["poor", () => error(429, "insufficient_quota")]
  ] as const)("leaves one that is %s alone, and the others go on", async (model, answer) => {
    refusals.set("beta", answer)
    const used: Array<string> = []
    for (const conversation of conversations) {
      const { keys, status, upstream } = await ask(model, conversation)
      expect(status).toBe(200)
      expect(upstream).toBe("pool")
      used.push(...keys)
    }
    refusals.clear()
    // Its back-off may end meanwhile, after which it is asked again.
    const asked = used.filter((name) => name === "beta").length
    expect(asked).toBeGreaterThan(0)
    expect(asked).toBeLessThan(model === "limited" ? 2 : 5)
    expect(new Set(used)).toEqual(new Set(names))
  })

  it("tries no other key, but the next route, where the upstream fails", async () => {
    for (const name of names) refusals.set(name, () => error(500, "server_error"))
    const { keys, status, upstream } = await ask("broken", "one")
    refusals.clear()
    expect(status).toBe(200)
    expect(upstream).toBe("other")
    expect(keys).toHaveLength(1)
  })

  it("is left for the next route once all its keys rest", async () => {
    for (const name of names) refusals.set(name, () => error(429, "rate_limit_exceeded", { "retry-after": "60" }))
    const first = await ask("all", "one")
    expect(first.keys.toSorted()).toEqual(names.toSorted())
    expect(first.upstream).toBe("other")
    expect(await ask("all", "two")).toMatchObject({ status: 200, upstream: "other", keys: [] })
    refusals.clear()
  })

  it("is named with its key in the rows of requests, for operators alone", async () => {
    refusals.set("beta", () => error(429, "rate_limit_exceeded", { "retry-after": "60" }))
    const rows = conversations.map(async (conversation) => {
      const messages = [{ role: "user", content: `play:text ${conversation}` }]
      const response = await request(gateway, "/v1/chat/completions", { body: { model: "rows", messages } })
      await response.text()
      const path = `requests/${response.headers.get("x-request-id")}`
      const read = async (path: string, key?: string) => {
        for (;;) {
          const row = await request(gateway, path, { key })
          if (row.status === 200) return row.json()
          await Bun.sleep(20)
        }
      }
      return { own: await read(`/v1/${path}`), operators: await read(`/admin/v1/${path}`, adminKey) }
    })
    const all = await Promise.all(rows)
    refusals.clear()
    expect(JSON.stringify(all.map(({ own }) => own))).not.toContain("upstream_key")
    const moved = all.find(({ operators }) => operators.attempts.length === 2)?.operators
    const [first, second] = moved.attempts
    expect(first).toMatchObject({ status: 429, upstream_key: expect.stringMatching(/^[0-9a-f]{12}…beta$/) })
    expect(second).toMatchObject({ status: 200, upstream_key: moved.upstream_key })
    expect(moved.upstream_key).not.toBe(first.upstream_key)
  })

  it("has none of its keys in the log, but their fingerprints", () => {
    const output = gateway.output()
    for (const name of names) expect(output).not.toContain(keyOf(name))
    const named = new Set(Array.from(output.matchAll(/"upstream_key":"([0-9a-f]{12}…\w{4})"/g), ([, key]) => key))
    expect([...named].map((key) => String(key).slice(-4)).toSorted()).toEqual(names.toSorted())
    expect(output).toMatch(/the upstream does not accept [0-9a-f]{12}…beta of upstreams\.pool\.keys/)
  })
})
