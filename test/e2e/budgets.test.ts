import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { request } from "../request.ts"
import { startGateway } from "../gatewayHere.ts"

const messages = [{ role: "user", content: "hi" }]
const families = [
  ["/v1/messages", { model: "sandbox-text", max_tokens: 20, messages }],
  ["/v1/messages", { model: "sandbox-text", max_tokens: 20, messages, stream: true }],
  ["/v1/messages", { model: "sandbox-text", max_tokens: 20, messages, async: true }],
  ["/v1/chat/completions", { model: "sandbox-text", max_tokens: 20, messages }],
  ["/v1/responses", { model: "sandbox-text", input: "hi", max_output_tokens: 20 }],
  ["/v1/responses", { model: "sandbox-text", input: "hi", max_output_tokens: 20, background: true }],
  ["/v1/embeddings", { model: "sandbox-embed", input: "hi" }],
  ["/api/v3/contents/generations/tasks", { model: "sandbox-video", content: [{ type: "text", text: "a cat" }] }]
] as const

const secret = "key-with-a-budget-0123456789"

const startWith = (budgets: ReadonlyArray<object>) => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-budgets-"))
  writeFileSync(
    join(folder, "gateway.yaml"),
    JSON.stringify({
      keys: [{ name: "k", secret, account: "acme", budgets: budgets.slice(0, 1) }],
      accounts: { acme: { budgets: budgets.slice(1) } }
    })
  )
  return startGateway({ folder, env: { GATEWAY_ADMIN_KEY: "admin-key-0123456789abcdef" } })
}

describe("budgets", () => {
  it("of tokens and requests, of a key and its account, admit every family while there is room", async () => {
    const gateway = await startWith([
      { tokens: 10_000_000, per: "day", zone: "Europe/Berlin" },
      { requests: families.length, rolling: "24h" },
      { tokens: 10_000_000, per: "month", each: "end_user" }
    ])
    try {
      const ask = async (path: string, body: object) => {
        const answer = await request(gateway, path, { key: secret, body })
        return { status: answer.status, headers: answer.headers, text: await answer.text() }
      }
      for (const [path, body] of families) {
        const { status, text } = await ask(path, body)
        expect([path, status < 300 ? "admitted" : text]).toEqual([path, "admitted"])
      }
      for (const [path, body] of families) {
        const { headers, status, text } = await ask(path, body)
        expect([path, status]).toEqual([path, 429])
        expect(text).toContain(`budget of this account (${families.length} requests in 24h) is used up`)
        expect(Number(headers.get("retry-after"))).toBeGreaterThan(0)
      }
      // The video counts as used once it is over.
      const used = async () => {
        const { account_budgets: of, budgets } = await (await request(gateway, "/v1/balance", { key: secret })).json()
        return { used: of[0].used, ratio: of[0].used_ratio, zone: budgets[0].zone }
      }
      const whole = { used: families.length, ratio: 1, zone: "Europe/Berlin" }
      await expect.poll(used).toEqual(whole)
    } finally {
      await gateway.dispose()
    }
  })

  it("of tokens refuse what may use more than is left", async () => {
    const gateway = await startWith([{ tokens: 100, per: "total" }])
    try {
      const body = { model: "sandbox-text", max_tokens: 500, messages }
      const answer = await request(gateway, "/v1/messages", { key: secret, body })
      expect([answer.status, await answer.text()]).toEqual([429, expect.stringContaining("100 tokens")])
      const small = await request(gateway, "/v1/messages", { key: secret, body: { ...body, max_tokens: 20 } })
      expect(small.status, await small.text()).toBe(200)
    } finally {
      await gateway.dispose()
    }
  })

  it("count from 0 again once an operator resets them, which the audit log tells", async () => {
    const gateway = await startWith([
      { requests: 1, per: "total" },
      { requests: 2, rolling: "24h" }
    ])
    try {
      const ask = async () => {
        const body = { model: "sandbox-text", max_tokens: 20, messages }
        const answer = await request(gateway, "/v1/messages", { key: secret, body })
        return [answer.status, ((await answer.json()) as { error?: { message: string } }).error?.message ?? ""]
      }
      const admin = async (path: string, method = "GET") => {
        const answer = await request(gateway, path, { key: "admin-key-0123456789abcdef", method })
        expect(answer.status).toBe(200)
        return answer.json()
      }
      expect(await ask()).toEqual([200, ""])
      expect(await ask()).toEqual([
        429,
        "The total budget of this API key (1 request) is used up; it does not begin again"
      ])
      const { data } = await admin("/admin/v1/keys")
      const { id } = data.find(({ name }: { name: string }) => name === "k")
      await admin(`/admin/v1/keys/${id}/reset-budgets`, "POST")
      await expect.poll(ask).toEqual([200, ""])
      await admin(`/admin/v1/keys/${id}/reset-budgets`, "POST")
      expect(await ask()).toEqual([
        429,
        expect.stringContaining("budget of this account (2 requests in 24h) is used up")
      ])
      await admin("/admin/v1/accounts/acme/reset-budgets", "POST")
      await expect.poll(ask).toEqual([200, ""])
      const { data: entries } = await admin("/admin/v1/audit")
      const resets = JSON.stringify(entries).match(/reset_budgets|reset-budgets|budgets_reset/g) ?? []
      expect(resets.length).toBeGreaterThanOrEqual(3)
    } finally {
      await gateway.dispose()
    }
  })
})
