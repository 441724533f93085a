import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { GatewayHere } from "../gatewayHere.ts"
import { request } from "../request.ts"
import { adminKey, allow, blockWord, guardedGateway, hideNames, secret, startHook } from "./startGuarded.ts"

const hook = startHook()
const bounds = { url: hook.url, secret, timeout_seconds: 5, hold_ms: 2_000 }
const route = { upstream: "sandbox", model: "sandbox-text" }
let gateway: GatewayHere
beforeAll(async () => {
  gateway = await guardedGateway({
    guardrails: {
      block: { ...bounds, mode: "block" },
      redact: { ...bounds, mode: "redact" },
      observe: { ...bounds, mode: "observe" },
      audited: { ...bounds, mode: "block" }
    },
    keys: [
      {
        name: "poor",
        secret: "poor-secret-0123456789-0123456789",
        account: "default",
        budgets: [{ usd: 0.000001, per: "day" }]
      },
      {
        name: "slow",
        secret: "slow-secret-0123456789-0123456789",
        account: "default",
        limits: { tokens_per_minute: 10 }
      },
      {
        name: "near",
        secret: "near-secret-0123456789-0123456789",
        account: "default",
        limits: { concurrent_requests: 1, tokens_per_minute: 100_000 },
        budgets: [{ usd: 0.001, per: "day" }]
      }
    ],
    models: {
      priced: { routes: [route], price: { input: 1, output: 1 }, guardrails: ["block"] },
      observe: { routes: [route], guardrails: ["observe"] },
      "vectors-audited": {
        routes: [{ upstream: "sandbox", model: "sandbox-embedding" }],
        kind: "embedding",
        guardrails: ["audited"]
      },
      "vectors-redacted": {
        routes: [{ upstream: "sandbox", model: "sandbox-embedding" }],
        kind: "embedding",
        guardrails: ["redact"]
      }
    }
  })
})
afterAll(async () => {
  await gateway.dispose()
  await hook.stop()
})

const row = async (id: string | null) => {
  const read = async () => (await request(gateway, `/v1/requests/${id}`)).json()
  await expect.poll(async () => (await read()).guardrails?.length).toBeGreaterThan(0)
  return read()
}

describe("what operators see of a guardrail", () => {
  it("is the reason of another failure, if one that observes would have blocked the request", async () => {
    hook.answers(blockWord("hunter2"))
    const messages = [{ role: "user", content: "[[sandbox: error=500]] hunter2" }]
    const answer = await request(gateway, "/v1/chat/completions", { body: { model: "observe", messages } })
    expect(answer.status).toBeGreaterThanOrEqual(500)
    const kept = await row(answer.headers.get("x-request-id"))
    expect(kept.guardrails).toMatchObject([{ verdict: "blocked" }])
    expect(kept.reason).not.toContain("guardrail")
  })

  it("is an entry of the audit log for what it blocks, without its texts, and its calls in the metrics", async () => {
    hook.answers(({ texts }) =>
      texts.some(({ text }) => text.includes("hunter3"))
        ? Response.json({ verdict: "block", message: "Not hunter3", reason: "password" })
        : allow()
    )
    const body = { model: "vectors-audited", input: "The password is hunter3" }
    const answer = await request(gateway, "/v1/embeddings", { body })
    expect(answer.status).toBe(400)
    const ask = async (path: string) => {
      const headers = { authorization: `Bearer ${adminKey}` }
      return (await fetch(`${gateway.url}${path}`, { headers })).text()
    }
    const id = answer.headers.get("x-request-id") ?? ""
    const entries = "/admin/v1/audit?actor=guardrail:audited&action=guardrail&account=default"
    await expect.poll(() => ask(entries)).toContain(id)
    const told = await ask(entries)
    expect(told).toContain('"reasons":["password"]')
    expect(told).not.toContain("hunter")
    const counted = await ask("/metrics")
    expect(counted).toMatch(/gateway_guardrail_calls_total\{guardrail="audited",outcome="blocked"\} [1-9]/)
    expect(counted).toMatch(/gateway_guardrail_call_seconds_count\{guardrail="audited"\} [1-9]/)
  })

  it("says that it blocks what it would replace, where texts can't be replaced", async () => {
    hook.answers(hideNames)
    const body = { model: "vectors-redacted", input: "Greet Ann Lee" }
    const answer = await request(gateway, "/v1/embeddings", { body })
    expect([answer.status, (await answer.json()).error.code]).toEqual([400, "content_filter"])
    const { guardrails } = await row(answer.headers.get("x-request-id"))
    expect(guardrails).toMatchObject([{ name: "redact", verdict: "blocked" }])
  })
})

describe("a guardrail is not asked about a request that is refused anyway", () => {
  const ask = (key: string, stream: boolean) => {
    const body = { model: "priced", stream, messages: [{ role: "user", content: "Hello there" }], max_tokens: 50 }
    return request(gateway, "/v1/chat/completions", { body, key })
  }

  it.each([
    ["without money for it", "poor-secret-0123456789-0123456789", [402, 403, 429]],
    ["beyond its tokens a minute", "slow-secret-0123456789-0123456789", [429]]
  ])("of a caller %s", async (_, key, statuses) => {
    hook.answers(allow)
    for (const stream of [false, true]) {
      const answer = await ask(key, stream)
      expect(statuses).toContain(answer.status)
      await answer.text()
    }
    expect(hook.seen).toEqual([])
  })

  it("and what it took to find out is given back", async () => {
    hook.answers(allow)
    // Each holds almost all of the budget, and runs alone.
    for (let n = 0; n < 3; n++) expect((await ask("near-secret-0123456789-0123456789", false)).status).toBe(200)
    hook.answers(blockWord("Hello"))
    for (let n = 0; n < 3; n++) expect((await ask("near-secret-0123456789-0123456789", false)).status).toBe(400)
    hook.answers(allow)
    expect((await ask("near-secret-0123456789-0123456789", false)).status).toBe(200)
  })
})
