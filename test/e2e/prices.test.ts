import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { ownModels } from "../../src/commands/ownModels.ts"
import { fakeUpstream } from "../upstreams/fakes/fakeUpstream.ts"
import { runCommand } from "./command.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { request } from "../request.ts"

const folder = mkdtempSync(join(tmpdir(), "gateway-prices-"))
const fake = fakeUpstream("openai-chat")
const secretOf = (name: string) => `${name}-secret-0123456789-0123456789`

const write = (more: object = {}) =>
  writeFileSync(
    join(folder, "gateway.yaml"),
    JSON.stringify({
      prices_file: "prices.json",
      upstreams: {
        up: { protocol: "openai-chat", base_url: `${fake.url}/v1` },
        videos: { protocol: "ark-video", base_url: `${fake.url}/api/v3` }
      },
      models: { house: "up", "gpt-5-2025-08-07": "up", free: "sandbox", clip: "videos" },
      keys: [
        { name: "metered", secret: secretOf("metered"), balance_usd: 5 },
        { name: "allowed", secret: secretOf("allowed"), balance_usd: 5, unpriced: "allow" },
        { name: "team", secret: secretOf("team"), balance_usd: 5 }
      ],
      accounts: { team: { unpriced: "allow" } },
      ...more
    })
  )

let gateway: GatewayHere
beforeAll(async () => {
  writeFileSync(join(folder, "prices.json"), JSON.stringify({ other: { input: 1 } }))
  write()
  gateway = await startGateway({ folder, env: { GATEWAY_ADMIN_KEY: secretOf("admin") } })
})
afterAll(async () => {
  await gateway.dispose()
  await fake.stop()
})

const ask = async (key: string, path: string, body: object) => {
  const response = await request(gateway, path, { body, key: secretOf(key) })
  const json: unknown = await response.json()
  return { status: response.status, json }
}
const message = (model: string, more: object = {}) => ({ model, max_tokens: 10, messages: "play:text", ...more })
const noPrice = 'model "house" has no price'

describe("models without a price", () => {
  it("are refused where money is counted, in every family's shape", async () => {
    const video = { model: "clip", content: [{ type: "text", text: "A cat" }] }
    expect(await ask("metered", "/v1/messages", message("house"))).toMatchObject({
      status: 403,
      json: { type: "error", error: { message: noPrice } }
    })
    expect(await ask("metered", "/v1/messages", message("house", { async: true }))).toMatchObject({
      status: 403,
      json: { type: "error", error: { message: noPrice } }
    })
    expect(await ask("metered", "/v1/responses", { model: "house", input: "Hello" })).toMatchObject({
      status: 403,
      json: { error: { message: noPrice } }
    })
    expect(await ask("metered", "/api/v3/contents/generations/tasks", video)).toMatchObject({
      status: 403,
      json: { error: { message: 'model "clip" has no price' } }
    })
    expect((await ask("metered", "/v1/quote", message("house"))).json).toMatchObject({ error: { message: noPrice } })
  })

  it("are answered where the key or its account allows it, and the sandbox costs nothing", async () => {
    for (const [key, model] of [
      ["allowed", "house"],
      ["team", "house"],
      ["metered", "free"],
      ["metered", "gpt-5-2025-08-07"]
    ] as const) {
      expect([key, model, (await ask(key, "/v1/messages", message(model))).status]).toEqual([key, model, 200])
    }
  })

  it("are priced by the prices_file, which is read again when it changes", async () => {
    expect((await runCommand(folder, ["prices", "check", "--json"])).json<ReadonlyArray<object>>()).toMatchObject([
      ...ownModels.map(({ id }) => ({ model: id, from: "sandbox" })),
      { model: "house", from: "nowhere", price: null },
      { model: "gpt-5-2025-08-07", from: "built-in list" },
      { model: "free", from: "sandbox" },
      { model: "clip", from: "nowhere" }
    ])
    const reloads = () => gateway.output().split("gateway.yaml reloaded").length
    const before = reloads()
    writeFileSync(join(folder, "prices.json"), JSON.stringify({ house: { input: 1, output: 2 } }))
    while (reloads() === before) await Bun.sleep(20)
    expect((await ask("metered", "/v1/messages", message("house"))).status).toBe(200)
    const { out } = await runCommand(folder, ["prices", "check"])
    expect(out).toMatch(/house +\$1\.00 in, \$2\.00 out +prices_file +house/)
    expect(out).toContain("1 without a price: refused")
    // A file that is not in order changes nothing.
    writeFileSync(join(folder, "prices.json"), JSON.stringify({ house: { input: -1 } }))
    while (!gateway.output().includes("not reloaded")) await Bun.sleep(20)
    expect((await ask("metered", "/v1/messages", message("house"))).status).toBe(200)
  })

  it("are allowed to accounts and keys by the command line and the admin API", async () => {
    const made = await runCommand(folder, ["accounts", "create", "open"])
    expect(made.out).toContain("Made the account open. It is unmetered: spending is unlimited")
    expect((await runCommand(folder, ["accounts", "create", "paid", "--balance", "5"])).out).not.toContain("unmetered")
    const shown = await runCommand(folder, ["accounts", "set", "paid", "--unpriced", "allow", "--json"])
    expect(shown.json()).toMatchObject({ unpriced: "allow" })
    const inherited = await runCommand(folder, ["accounts", "set", "paid", "--unpriced", "inherit", "--json"])
    expect(inherited.json()).toMatchObject({ unpriced: null })
    const key = await runCommand(folder, ["keys", "create", "k", "--account", "paid", "--unpriced", "allow", "--json"])
    expect(key.json()).toMatchObject({ key: { unpriced: "allow" } })
    const admin = async (method: string, path: string, body: object) => {
      const headers = { authorization: `Bearer ${secretOf("admin")}`, "content-type": "application/json" }
      const response = await fetch(`${gateway.url}/admin/v1/${path}`, { method, headers, body: JSON.stringify(body) })
      return response.json()
    }
    expect(await admin("PATCH", "accounts/paid", { unpriced: "refuse" })).toMatchObject({ unpriced: "refuse" })
    expect(await admin("PATCH", "accounts/paid", { unpriced: null })).toMatchObject({ unpriced: null })
    const holding = await runCommand(folder, ["accounts", "set", "paid", "--hold-output-tokens", "4000", "--json"])
    expect(holding.json()).toMatchObject({ hold_output_tokens: 4_000 })
    expect(await admin("PATCH", "accounts/paid", { hold_output_tokens: null })).toMatchObject({
      hold_output_tokens: null
    })
    expect(await admin("POST", "keys", { account: "paid", name: "other", unpriced: "refuse" })).toMatchObject({
      key: { unpriced: "refuse" }
    })
  })
})
