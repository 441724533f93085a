import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Browser } from "../console/browser.ts"
import { runCommand } from "../e2e/command.ts"
import { startGateway } from "../e2e/process.ts"
import type { GatewayProcess } from "../e2e/process.ts"
import { describeOnEach, gatewayEnv, isElsewhere } from "../sql/engines.ts"
import { watch } from "./watch.ts"
import { request } from "../request.ts"

const adminKey = "admin-key-0123456789abcdefghijklmnop"
const asAdmin = { authorization: `Bearer ${adminKey}` }

const ask = async (gateway: GatewayProcess, key: string, tag = "none") => {
  const answer = await request(gateway, "/v1/messages", {
    body: { model: "sandbox-text", max_tokens: 9, messages: "Hi" },
    key,
    headers: { "x-gateway-tags": tag }
  })
  expect(answer.status).toBe(200)
  return answer.headers.get("x-request-id") ?? ""
}

describeOnEach("event streams", () => {
  let env: Record<string, string>
  let gateway: GatewayProcess
  /** The watchers' gateway: on Postgres, another node. */
  let watched: GatewayProcess
  let operator: Browser
  let holder: { readonly id: string; readonly secret: string }

  beforeAll(async () => {
    env = { GATEWAY_ADMIN_KEY: adminKey, GATEWAY_SECRET: "s".repeat(40), ...(await gatewayEnv("events")) }
    gateway = await startGateway({ env })
    watched = isElsewhere() ? await startGateway({ env }) : gateway
    operator = new Browser(gateway.url)
    await operator.signIn({ key: adminKey })
    await operator.send("/admin/v1/accounts", { body: { id: "other" } })
    const made = await operator.send("/admin/v1/keys", { body: { account: "other", name: "holder" } })
    holder = { id: made.json.key.id, secret: made.json.secret }
  })
  afterAll(() => Promise.all([gateway.dispose(), watched.dispose()]))

  it("send each request once: to operators all, to account holders their own", async () => {
    const all = await watch(watched.url, "/admin/v1/events", asAdmin)
    const own = await watch(watched.url, "/v1/events", { authorization: `Bearer ${holder.secret}` })
    try {
      const others = [await ask(gateway, gateway.key), await ask(gateway, gateway.key)]
      const mine = await ask(gateway, holder.secret, "feature=chat")
      const ids = (stream: typeof all) => stream.requests().map((one) => one.request_id)
      await expect.poll(() => ids(all)).toEqual(expect.arrayContaining([...others, mine]))
      await expect.poll(() => ids(own)).toEqual([mine])
      expect(own.requests()[0]).toMatchObject({
        object: "request",
        account: "other",
        tags: ["feature=chat"],
        status: 200
      })
      const last = await ask(gateway, gateway.key)
      await expect.poll(() => ids(all)).toContain(last)
      expect(ids(all).length).toBe(new Set(ids(all)).size)
      expect(ids(own)).toEqual([mine])
    } finally {
      all.stop()
      own.stop()
    }
  })

  it("send changes of keys, accounts and tasks, made by the console or by a command", async () => {
    const all = await watch(watched.url, "/admin/v1/events", asAdmin)
    const own = await watch(watched.url, "/v1/events", { authorization: `Bearer ${holder.secret}` })
    try {
      const key = (await operator.send("/admin/v1/keys", { body: { account: "default", name: "new" } })).json.key.id
      await expect.poll(() => all.changed("key")).toContain(key)
      await operator.send("/admin/v1/accounts/other/credit", { body: { usd: 5 } })
      await expect.poll(() => all.changed("account")).toContain("other")
      await expect.poll(() => own.changed("account")).toEqual(["other"])
      expect(await runCommand(gateway.folder, ["accounts", "credit", "default", "7"], env)).toHaveProperty("code", 0)
      await expect.poll(() => all.changed("account")).toContain("default")
      const task = async (secret: string) => {
        const answer = await request(gateway, "/v1/messages", {
          body: { model: "sandbox-text", max_tokens: 9, messages: "Hi", async: true },
          key: secret
        })
        return ((await answer.json()) as { id: string }).id
      }
      const [one, mine] = [await task(gateway.key), await task(holder.secret)]
      await expect.poll(() => all.changed("task")).toEqual(expect.arrayContaining([one, mine]))
      await expect.poll(() => own.changed("task")).toContain(mine)
      expect(own.changed("task")).not.toContain(one)
      expect(own.changed("account")).toEqual(["other"])
      expect(own.changed("key")).toEqual([])
    } finally {
      all.stop()
      own.stop()
    }
  })

  it("end with the session or key that opened them, and refuse other credentials", async () => {
    const signedIn = new Browser(watched.url)
    await signedIn.signIn({ key: adminKey })
    const bySession = await watch(watched.url, "/admin/v1/events", { cookie: signedIn.cookie })
    const made = await operator.send("/admin/v1/keys", { body: { account: "other", name: "short-lived" } })
    const byKey = await watch(watched.url, "/v1/events", { authorization: `Bearer ${made.json.secret}` })
    const stays = await watch(watched.url, "/v1/events", { authorization: `Bearer ${holder.secret}` })
    await signedIn.send("/console/session", { method: "DELETE" })
    await operator.send(`/admin/v1/keys/${made.json.key.id}/revoke`, { method: "POST" })
    await bySession.ended
    await byKey.ended
    await ask(gateway, holder.secret)
    await expect.poll(() => stays.requests().length).toBe(1)
    stays.stop()
    const status = async (path: string, headers: Record<string, string>) =>
      (await fetch(watched.url + path, { headers })).status
    expect(await status("/admin/v1/events", {})).toBe(401)
    expect(await status("/admin/v1/events", { authorization: `Bearer ${holder.secret}` })).toBe(401)
    expect(await status("/v1/events", {})).toBe(401)
  })
})

describe("an open event stream", () => {
  it("does not delay the gateway's shutdown", async () => {
    const gateway = await startGateway({ env: { GATEWAY_ADMIN_KEY: adminKey, GATEWAY_DRAIN_SECONDS: "600" } })
    try {
      const stream = await watch(gateway.url, "/admin/v1/events", asAdmin)
      gateway.signal("SIGTERM")
      await stream.ended
      expect(await gateway.exited).toBe(0)
    } finally {
      await gateway.dispose()
    }
  })
})
