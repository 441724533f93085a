import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { request } from "../request.ts"
import { adminKey } from "./adminClient.ts"
import { runCommand } from "../commandHere.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"

let gateway: GatewayHere
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-account-rules-"))
  const accounts = {
    declared: {
      not_models: ["house"],
      budgets: [{ usd: 1, per: "day" }],
      unpriced: "allow",
      hold_output_tokens: 100,
      trusts_end_user: true
    }
  }
  writeFileSync(
    join(folder, "gateway.yaml"),
    JSON.stringify({ models: { house: { alias: "sandbox-text" } }, accounts })
  )
  gateway = await startGateway({ folder, env: { GATEWAY_ADMIN_KEY: adminKey } })
})
afterAll(() => gateway.dispose())

const admin = async (method: string, path: string, body?: object) =>
  (await request(gateway, `/admin/v1${path}`, { key: adminKey, method, ...(body && { body }) })).json()
const keyOf = async (account: string) => {
  await admin("POST", "/accounts", { id: account })
  const { key, secret } = await admin("POST", "/keys", { account, name: `key of ${account}` })
  return { id: String(key.id), secret: String(secret) }
}
const statusOf = async (key: string, model: string) => {
  const body = { model, max_tokens: 5, messages: [{ role: "user", content: "Hello!" }] }
  return (await request(gateway, "/v1/messages", { key, body })).status
}
const listed = async (key: string): Promise<ReadonlyArray<string>> => {
  const { data } = await (await request(gateway, "/v1/models", { key })).json()
  return (data as ReadonlyArray<{ id: string }>).map(({ id }) => id)
}

describe("models of an account", () => {
  it("are blocked for all its keys and for no other account, by the admin API", async () => {
    const [own, stranger] = [await keyOf("one"), await keyOf("two")]
    expect(await statusOf(own.secret, "sandbox-text")).toBe(200)
    expect(await admin("PATCH", "/accounts/one", { not_models: ["sandbox-text"] })).toMatchObject({
      models: ["*"],
      not_models: ["sandbox-text"],
      declared: []
    })
    await expect.poll(() => statusOf(own.secret, "sandbox-text")).toBe(403)
    expect(await listed(own.secret)).not.toContain("sandbox-text")
    expect(await statusOf(stranger.secret, "sandbox-text")).toBe(200)
    expect(await listed(stranger.secret)).toContain("sandbox-text")
    expect(await admin("PATCH", "/accounts/one", { not_models: null, models: ["sandbox-video"] })).toMatchObject({
      not_models: [],
      models: ["sandbox-video"]
    })
    await expect.poll(() => listed(own.secret)).toEqual(["sandbox-video"])
    expect(await admin("PATCH", "/accounts/one", { models: null })).toMatchObject({ models: ["*"] })
    await expect.poll(() => statusOf(own.secret, "sandbox-text")).toBe(200)
  })

  it("are refused where they could mean nothing, and told where they match nothing", async () => {
    await admin("POST", "/accounts", { id: "three" })
    const wrong = await admin("PATCH", "/accounts/three", { not_models: ["!house"] })
    expect(wrong.error.message).toContain("not_models: expected patterns")
    expect((await admin("PATCH", "/accounts/three", { models: [] })).error.message).toContain(
      "models: expected at least"
    )
    expect(await admin("PATCH", "/accounts/three", { not_models: ["hosue"] })).toMatchObject({
      unmatched_models: ["hosue"]
    })
  })

  it("that stand in the configuration file are changed there", async () => {
    expect(await admin("GET", "/accounts/declared")).toMatchObject({
      not_models: ["house"],
      declared: ["not_models", "budgets", "unpriced", "hold_output_tokens", "trusts_end_user"]
    })
    for (const change of [
      { not_models: null },
      { budgets: null },
      { unpriced: "refuse" },
      { hold_output_tokens: null },
      { trusts_end_user: false }
    ]) {
      expect((await admin("PATCH", "/accounts/declared", change)).error.message).toContain(
        "of the account declared stand in the configuration file: change them there"
      )
    }
    expect(await admin("PATCH", "/accounts/declared", { models: ["sandbox-*"] })).toMatchObject({
      models: ["sandbox-*"],
      not_models: ["house"]
    })
  })
})

describe("one command", () => {
  const run = async (...args: ReadonlyArray<string>) => {
    const done = await runCommand(gateway.folder, [...args, "--url", gateway.url], { GATEWAY_ADMIN_KEY: adminKey })
    expect([done.code, done.err]).toEqual([0, ""])
    return done
  }

  it("gives a team a monthly budget, and requests a day beside it", async () => {
    const { secret } = await keyOf("team")
    await run("accounts", "set", "team", "--budget", "500")
    const both = await run("accounts", "set", "team", "--requests-per-day", "1", "--json")
    expect(both.json()).toMatchObject({
      budgets: [
        { usd: 500, per: "month", used: 0 },
        { requests: 1, per: "day" }
      ]
    })
    const more = await run("accounts", "set", "team", "--budget", "600")
    expect(more.out).toMatch(
      /^budgets +0 of 1 requests a day, until \S+ 00:00\n +\$0\.00 of \$600\.00 a month, until \S+ 00:00$/m
    )
    expect(await statusOf(secret, "sandbox-text")).toBe(200)
    expect(await statusOf(secret, "sandbox-text")).toBe(429)
    const none = await run("accounts", "set", "team", "--requests-per-day", "none", "--json")
    expect(none.json()).toMatchObject({ budgets: [{ usd: 600 }] })
  })

  it("blocks a model for an account", async () => {
    const { secret } = await keyOf("blocked")
    const done = await run("accounts", "set", "blocked", "--not-model", "sandbox-text")
    expect(done.out).toMatch(/^not models +sandbox-text$/m)
    await expect.poll(() => statusOf(secret, "sandbox-text")).toBe(403)
  })
})
