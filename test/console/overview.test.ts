import { afterAll, beforeAll, expect, it } from "vitest"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { describeOnEach, gatewayEnv } from "../sql/engines.ts"
import { fakeUpstream } from "../upstreams/fakes/fakeUpstream.ts"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Browser } from "./browser.ts"
import { request } from "../request.ts"

const adminKey = "admin-key-0123456789abcdefghijklmnop"

describeOnEach("what happened", () => {
  const chat = fakeUpstream("openai-chat")
  let gateway: GatewayHere
  let operator: Browser
  let holder: { readonly id: string; readonly secret: string }

  const ask = async (key: string, model: string, tag: string) => {
    const answer = await request(gateway, "/v1/messages", {
      body: { model, max_tokens: 9, messages: "Hi" },
      key,
      headers: { "x-gateway-tags": tag }
    })
    await answer.text()
    return answer.headers.get("x-request-id") ?? ""
  }
  const overview = async (query: string) => (await operator.send(`/admin/v1/overview?${query}`)).json

  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), "gateway-overview-"))
    writeFileSync(
      join(folder, "gateway.yaml"),
      `upstreams: { chat: { protocol: openai-chat, base_url: "${chat.url}/v1" }, gone: { protocol: openai-chat, base_url: "http://127.0.0.1:1/v1" } }
models: { own: { routes: [{ upstream: chat }] } }
`
    )
    gateway = await startGateway({ folder, env: { GATEWAY_ADMIN_KEY: adminKey, ...(await gatewayEnv("overview")) } })
    operator = new Browser(gateway.url)
    await operator.signIn({ key: adminKey })
    await operator.send("/admin/v1/accounts", { body: { id: "other" } })
    const made = await operator.send("/admin/v1/keys", { body: { account: "other", name: "holder" } })
    holder = { id: made.json.key.id, secret: made.json.secret }
    for (let n = 0; n < 5; n++) await ask(gateway.key, "sandbox-text", "feature=chat")
    for (let n = 0; n < 3; n++) await ask(holder.secret, "sandbox-text", "feature=search")
    await ask(holder.secret, "own", "none")
    await ask(holder.secret, "unknown-model", "none")
    while ((await overview("from=1h")).total.requests < 10) await Bun.sleep(20)
  })
  afterAll(async () => {
    await gateway.dispose()
    await chat.stop()
  })

  it("is summed up step by step, from rows and from the hours' sums alike", async () => {
    const [short, long] = [await overview("from=1h&step=60"), await overview("from=24h&step=3600")]
    for (const one of [short, long]) {
      expect(one.total).toMatchObject({ requests: 10, errors: 1 })
      expect(one.sampled).toBe(false)
      const sum = one.total.points.reduce((all: number, { requests }: { requests: number }) => all + requests, 0)
      expect(sum).toBe(10)
      expect(one.total.duration_ms.p95).toBeGreaterThanOrEqual(one.total.duration_ms.p50)
      const groups = Object.fromEntries(
        one.groups.map(({ name, requests }: { name: string; requests: number }) => [name, requests])
      )
      expect(groups).toEqual({ "sandbox-text": 8, own: 1, "": 1 })
      expect(one.groups[0].points).toHaveLength(one.total.points.length)
    }
    expect(short.total.input_tokens).toBe(long.total.input_tokens)
    expect(short.step_seconds).toBe(60)
    const names = async (by: string) =>
      new Map(
        (await overview(`from=1h&by=${by}`)).groups.map(({ name, requests }: { name: string; requests: number }) => [
          name,
          requests
        ])
      )
    expect((await names("tag")).get("feature=search")).toBe(3)
    expect((await names("account")).get("other")).toBe(5)
    expect((await names("key")).get(holder.id)).toBe(5)
    expect((await names("upstream")).get("chat")).toBe(1)
    expect((await operator.send("/admin/v1/overview?from=2999-01-01")).status).toBe(400)
    expect((await operator.send("/admin/v1/overview?from=30d&step=1")).status).toBe(400)
  })

  it("says what needs attention, in sentences", async () => {
    const soon = new Date(Date.now() + 3_600_000 * 5).toISOString()
    const body = { account: "default", name: "ends soon", expires_at: soon }
    const { id } = (await operator.send("/admin/v1/keys", { body })).json.key
    await operator.send("/admin/v1/accounts", { body: { id: "spent", balance_usd: 1 } })
    await operator.send("/admin/v1/accounts/spent/credit", { body: { usd: -1 } })
    const { attention, queue } = await overview("from=1h")
    expect(attention).toContainEqual(
      expect.objectContaining({
        level: "warning",
        what: "key",
        id,
        message: expect.stringContaining("ends soon expires in 5 h"),
        due_at: soon,
        page: `keys/${id}`
      })
    )
    expect(attention).toContainEqual(expect.objectContaining({ what: "account", id: "spent" }))
    expect(queue).toMatchObject({ deliveries: 0, waiting: 0 })
  })

  it("of an account is shown to its holder, and nothing of others", async () => {
    const own = new Browser(gateway.url)
    await own.signIn({ key: holder.secret })
    const account = (await own.send("/v1/account")).json
    expect(account).toMatchObject({ object: "account", account: "other", metered: false, key: { id: holder.id } })
    const { data, next } = (await own.send("/v1/requests?limit=3")).json
    expect(data).toHaveLength(3)
    const rest = (await own.send(`/v1/requests?after=${next}`)).json.data
    expect([...data, ...rest].map(({ account: whose }: { account: string }) => whose)).toEqual(
      Array.from({ length: 5 }, () => "other")
    )
    expect((await own.send("/v1/requests?status=4xx")).json.data).toHaveLength(1)
    for (const [query, step] of [
      ["from=1h&step=60", 60],
      ["from=24h", 3_600],
      ["from=30d&by=model&step=21600", 21_600]
    ] as const) {
      const told = (await own.send(`/v1/overview?${query}`)).json
      expect(told).toMatchObject({ object: "overview", step_seconds: step, sampled: false })
      expect(told.total).toMatchObject({ requests: 5, errors: 1, refused: 1, failed: 0 })
      const sum = told.total.points.reduce((all: number, { requests }: { requests: number }) => all + requests, 0)
      expect(sum).toBe(5)
      expect(told.total.duration_ms.p95).toBeGreaterThanOrEqual(told.total.duration_ms.p50)
      expect(
        Object.fromEntries(
          told.groups.map(({ name, requests }: { name: string; requests: number }) => [name, requests])
        )
      ).toEqual({ "sandbox-text": 3, own: 1, "": 1 })
      expect(told).not.toHaveProperty("attention")
      expect(told).not.toHaveProperty("queue")
    }
    const byKey = (await own.send("/v1/overview?from=24h&by=key")).json
    expect(byKey.groups.map(({ name, requests }: { name: string; requests: number }) => [name, requests])).toEqual([
      [holder.id, 5]
    ])
    for (const wrong of ["by=account", "from=24h&step=900", "from=2999-01-01"]) {
      expect((await own.send(`/v1/overview?${wrong}`)).status).toBe(400)
    }
    expect((await own.send("/v1/overview?account=default&owner=default")).json.total.requests).toBe(5)
    expect((await own.send("/admin/v1/overview")).status).not.toBe(200)
    const task = await own.send("/v1/messages", {
      body: { model: "sandbox-text", max_tokens: 9, messages: "Hi", async: true }
    })
    const others = await request(gateway, "/v1/messages", {
      body: { model: "sandbox-text", max_tokens: 9, messages: "Hi", async: true }
    })
    expect(others.status).toBe(200)
    const tasks = (await own.send("/v1/tasks")).json.data
    expect(tasks.map(({ id }: { id: string }) => id)).toEqual([task.json.id])
    expect((await operator.send("/admin/v1/tasks")).json.data).toHaveLength(2)
  })

  it("tells whether an upstream answers", async () => {
    const test = async (name: string) =>
      (await operator.send(`/admin/v1/upstreams/${name}/test`, { method: "POST" })).json
    expect(await test("gone")).toMatchObject({ ok: false, models: null })
    expect(await test("nobody")).toHaveProperty("error.message", 'no upstream "nobody" is configured')
    expect(await test("chat")).toMatchObject({ object: "upstream_test", name: "chat" })
  })
})
