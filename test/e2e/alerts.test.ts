import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Webhook } from "standardwebhooks"
import { afterAll, beforeAll, expect, it } from "vitest"
import { describeOnEach, gatewayEnv } from "../sql/engines.ts"
import { request } from "../request.ts"
import { startGateway } from "./process.ts"
import type { GatewayProcess } from "./process.ts"

const adminKey = "admin-key-0123456789abcdefghijklmnop"
const secret = `whsec_${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64")}`

interface Told {
  readonly type: string
  readonly data: { readonly id: string; readonly what: string; readonly target: string; readonly message: string }
}
let told: Array<Told> = []
let posts = 0
const receiver = Bun.serve({
  port: 0,
  // The first delivery fails, and comes again.
  fetch: async (asked) => {
    const body = await asked.text()
    const headers = Object.fromEntries(asked.headers)
    if (++posts === 1) return new Response(null, { status: 503 })
    told.push(new Webhook(secret).verify(body, headers) as Told)
    return new Response(null, { status: 204 })
  }
})
afterAll(() => receiver.stop(true))

describeOnEach("alerts", ({ name }) => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-alerts-"))
  let gateway: GatewayProcess
  let env: Record<string, string> = {}
  beforeAll(async () => {
    told = []
    posts = 0
    writeFileSync(
      join(folder, "gateway.yaml"),
      JSON.stringify({
        alerts: { url: `http://127.0.0.1:${receiver.port}/alerts`, secret, budget_at: [0.5, 1] },
        models: { priced: { routes: [{ upstream: "sandbox", model: "sandbox-text" }], price: { output: 1_000 } } }
      })
    )
    env = { ...(await gatewayEnv(`alerts-${name}`)), GATEWAY_ADMIN_KEY: adminKey }
    gateway = await startGateway({ folder, env })
  })
  afterAll(() => gateway.dispose())

  const admin = async (path: string, body?: object) =>
    (await request(gateway, path, { key: adminKey, ...(body === undefined ? {} : { body }) })).json()
  const restart = async () => {
    gateway.signal("SIGKILL")
    await gateway.exited
    gateway = await startGateway({ folder, env })
  }

  it("tell a nearly spent balance and a key that expires, once over restarts, signed and retried", async () => {
    await admin("/admin/v1/accounts", { id: "team", balance_usd: 0.1 })
    await admin("/admin/v1/accounts", { id: "rich", balance_usd: 50 })
    const expires_at = new Date(Date.now() + 5 * 3_600_000).toISOString()
    const { key, secret: own } = await admin("/admin/v1/keys", { account: "team", name: "soon", expires_at })
    const message = { model: "priced", max_tokens: 30, messages: "Hello!" }
    let left = Infinity
    for (let n = 0; n < 30 && left > 0.05; n++) {
      expect((await request(gateway, "/v1/messages", { body: message, key: own })).status).toBe(200)
      const { available } = await (await request(gateway, "/v1/balance", { key: own })).json()
      left = Number(available.usd)
    }
    expect(left).toBeGreaterThan(0)
    const budget = { usd: 0.1, period: "day" }
    const capped = await admin("/admin/v1/keys", { account: "rich", name: "capped", budget })
    const asCapped = () => request(gateway, "/v1/messages", { body: message, key: capped.secret })
    for (let n = 0; n < 30 && (await asCapped()).status === 200; n++);
    const { attention } = await admin("/admin/v1/overview")
    const sentences = attention.map((one: { message: string }) => one.message)
    expect(sentences).toContainEqual(
      expect.stringMatching(/^team has \$0\.0\d+ left of its last credit of \$0\.10?: .* at today's rate$/)
    )
    expect(sentences).toContainEqual(
      expect.stringMatching(
        /^key capped of rich has used \d\d % of its budget of \$0\.10? per day: .*at its rate so far/
      )
    )
    await restart()
    await expect.poll(() => told.length).toBe(3)
    expect(new Set(told.map(({ data, type }) => `${type} ${data.what} ${data.target}`))).toEqual(
      new Set(["account team", `key ${key.id}`, `key ${capped.key.id}`].map((one) => `alert.raised ${one}`))
    )
    expect(posts).toBe(4)
    expect(gateway.output()).toMatch(/alert\.raised/)
    expect(told.every(({ data }) => gateway.output().includes(data.message))).toBe(true)
    const metrics = await (await request(gateway, "/metrics", { key: adminKey })).text()
    const share = /gateway_budget_used_ratio\{account="team",budget="balance"\} (\S+)/.exec(metrics)?.[1]
    expect(Number(share)).toBeCloseTo(1 - left / 0.1, 2)
    const counted = await admin(`/admin/v1/keys/${capped.key.id}`)
    const series = `gateway_budget_used_ratio{account="rich",key="${counted.id}",budget="usd a day"}`
    const ratio = metrics.split("\n").find((line) => line.startsWith(series))
    expect(Number(ratio?.slice(series.length))).toBeCloseTo(counted.budgets[0].used / 0.1, 9)
    await restart()
    await expect.poll(() => /listens on/.test(gateway.output())).toBe(true)
    // A first look has passed once the restarted gateway has an alert of its own to tell: that of another account.
    await admin("/admin/v1/accounts", { id: "empty", balance_usd: 0.000001 })
    await admin("/admin/v1/accounts/empty/credit", { usd: -0.000001 })
    await restart()
    await expect.poll(() => told.length).toBe(4)
    expect(told[3]?.data).toMatchObject({ target: "empty", message: expect.stringContaining("has spent its balance") })
  })
})
