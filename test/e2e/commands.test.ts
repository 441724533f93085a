import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { runCommand } from "../commandHere.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import type { AccountRecord } from "../../src/admin/AccountRecord.ts"
import type { KeyRecord } from "../../src/admin/KeyRecord.ts"
import { request } from "../request.ts"
import type { Made } from "./commandTypes.ts"
import { rows } from "./commandOutput.ts"
import type { Balance } from "./commandOutput.ts"

const config = `models:
  priced: { routes: [{ upstream: sandbox, model: sandbox-text }], price: { input: 1000, output: 1000 } }
`

let folder: string
let gateway: GatewayHere

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "gateway-commands-"))
  writeFileSync(join(folder, "gateway.yaml"), config)
  gateway = await startGateway({ folder })
})

afterAll(() => gateway.dispose())

const run = (...args: ReadonlyArray<string>) => runCommand(folder, args)

/** A command that must work; its output. */
const ok = async (...args: ReadonlyArray<string>) => {
  const result = await run(...args)
  expect([result.code, result.err]).toEqual([0, ""])
  return result
}

const ask = (key: string, model = "priced") =>
  request(gateway, "/v1/messages", { body: { model, max_tokens: 20, messages: "Hello!" }, key })

const get = async <A>(path: string, key = gateway.key): Promise<A> =>
  (await (await request(gateway, path, { key })).json()) as A

/** Asks until the answer has the status; how soon that must be is a promise by the clock. */
const becomes = async (status: number, again: () => Promise<Response>) => {
  for (;;) {
    const response = await again()
    await response.text()
    if (response.status === status) return
    await Bun.sleep(20)
  }
}

const makeKey = async (account: string, ...options: ReadonlyArray<string>): Promise<{ id: string; secret: string }> => {
  const { key, secret } = (await ok("keys", "create", "k", "--account", account, "--json", ...options)).json<Made>()
  return { id: key.id, secret }
}

describe("gateway keys", () => {
  it("makes a key, shows its secret once, and the running server takes it", async () => {
    const { out } = await ok("keys", "create", "laptop")
    const [, id = "", secret = ""] =
      /^Made (key_\w+) "laptop" of the account default\. Its secret, shown this once:\n\n {2}(gw_\w+)\n\n$/.exec(out) ??
      []
    expect((await ask(secret)).status).toBe(200)
    const listed = await ok("keys", "list")
    expect(rows(listed.out)[0]).toEqual([
      "ID",
      "ACCOUNT",
      "NAME",
      "STATUS",
      "SECRET",
      "TODAY",
      "30 DAYS",
      "REQUESTS",
      "MODELS",
      "LIMITS",
      "BUDGET",
      "EXPIRES",
      "LAST USED"
    ])
    expect(
      rows(listed.out)
        .find((row) => row[0] === id)
        ?.slice(0, 5)
    ).toEqual([id, "default", "laptop", "active", `…${secret.slice(-4)}`])
    const shown = await ok("keys", "show", id)
    expect(rows(shown.out)).toContainEqual(["secret", `gw_…${secret.slice(-4)}`])
    for (const { out } of [listed, shown, await ok("keys", "show", id, "--json")]) expect(out).not.toContain(secret)
  })

  it("takes every setting, changes it, and takes it away", async () => {
    await ok("accounts", "create", "settings")
    const { id } = await makeKey(
      "settings",
      ..."--model priced,sandbox-* --model sandbox-text --budget 1.25 --budget-period day --expires 30d".split(" "),
      ..."--requests-per-minute 60 --concurrent-tasks 3".split(" ")
    )
    const made = (await ok("keys", "show", id, "--json")).json<KeyRecord>()
    expect(made).toMatchObject({
      object: "key",
      account: "settings",
      status: "active",
      models: ["priced", "sandbox-*", "sandbox-text"],
      limits: { requests_per_minute: 60, tokens_per_minute: null, concurrent_requests: null, concurrent_tasks: 3 },
      budget: { period: "day", limit: { nano_usd: 1_250_000_000, usd: "1.25" }, spent: { nano_usd: 0, usd: "0.00" } }
    })
    expect(Date.parse(made.expires_at ?? "") - Date.parse(made.created_at)).toBeGreaterThan(29 * 86_400_000)
    const update = [
      "--name",
      "new",
      "--no-budget",
      "--never-expires",
      "--concurrent-tasks",
      "none",
      "--model",
      "sandbox-video"
    ]
    expect((await ok("keys", "update", id, ...update, "--json")).json()).toMatchObject({
      name: "new",
      models: ["sandbox-video"],
      limits: { requests_per_minute: 60, concurrent_tasks: null },
      budget: null,
      expires_at: null
    })
  })

  it("revokes a key: the running server refuses it soon", async () => {
    const { id, secret } = await makeKey("default")
    expect((await ask(secret)).status).toBe(200)
    const { out } = await ok("keys", "revoke", id)
    expect(out).toBe(`Revoked ${id} "k" of the account default: it stops working within a second.\n`)
    await becomes(401, () => ask(secret))
    expect((await ok("keys", "revoke", id)).out).toContain("was revoked already")
    expect((await ok("keys", "list")).out).not.toContain(id)
    expect((await ok("keys", "list", "--all")).out).toContain(id)
    const late = await run("keys", "update", id, "--name", "x")
    expect([late.code, late.err]).toEqual([4, `gateway: ${id} was revoked and can't be changed; make another key\n`])
  })

  it("gives a key another secret", async () => {
    const { id, secret } = await makeKey("default")
    expect((await ask(secret)).status).toBe(200)
    const rotated = (await ok("keys", "rotate-secret", id, "--json")).json<Made>()
    expect(rotated.key.id).toBe(id)
    expect((await ask(rotated.secret)).status).toBe(200)
    await becomes(401, () => ask(secret))
  })
})

describe("gateway accounts", () => {
  it("makes an account that spends what it has, and credits it while the server runs", async () => {
    const made = await ok("accounts", "create", "team", "--balance", "0.0000005", "--tokens-per-minute", "100000")
    expect(made.out).toMatch(/^Made the account team\.\n\naccount {4}team\navailable {2}\$0\.0000005\n/)
    const { secret } = await makeKey("team")
    const refused = await ask(secret)
    expect(refused.status).toBe(402)
    expect((await run("accounts", "create", "team")).code).toBe(4)
    const credited = await ok("accounts", "credit", "team", "2", "--note", "invoice 17")
    expect(credited.out).toBe("Gave $2 to team: $2.00 are available.\n")
    await becomes(200, () => ask(secret))
    const balance = await get<Balance>("/v1/balance", secret)
    const shown = await ok("accounts", "show", "team", "--json")
    expect(shown.json()).toMatchObject({
      id: "team",
      granted: { nano_usd: 2_000_000_500 },
      settled: balance.settled,
      available: balance.available,
      keys: 1,
      grants: [{ amount: { usd: "2.00" }, note: "invoice 17" }, { amount: { usd: "0.0000005" } }]
    })
    expect((await ok("accounts", "show", "team")).out).toContain("invoice 17")
    await ok("accounts", "credit", "team", "-2")
    await becomes(402, () => ask(secret))
    await ok("accounts", "set", "team", "--unmetered")
    await becomes(200, () => ask(secret))
    expect((await get<Balance>("/v1/balance", secret)).available).toBeNull()
    await ok("accounts", "credit", "team", "1")
    await becomes(200, async () =>
      Response.json({}, { status: (await get<Balance>("/v1/balance", secret)).metered ? 200 : 400 })
    )
    expect((await get<Balance>("/v1/balance", secret)).available?.nano_usd).toBe(1_000_000_000)
  })

  it("lists them, and sets limits that hold soon", async () => {
    await ok("accounts", "create", "busy")
    const { secret } = await makeKey("busy")
    expect((await ask(secret)).status).toBe(200)
    await ok("accounts", "set", "busy", "--requests-per-minute", "1", "--search-block", "example.com, example.org/a")
    await becomes(429, () => ask(secret))
    const { out } = await ok("accounts", "list")
    const [header, ...all] = rows(out)
    expect(header).toEqual(["ACCOUNT", "STATUS", "AVAILABLE", "GRANTED", "USED", "HELD", "KEYS", "LIMITS", "CREATED"])
    expect(all.find(([id]) => id === "busy")?.slice(1, 3)).toEqual(["active", "unmetered"])
    expect(out).toContain("1 requests/min")
    expect((await ok("accounts", "show", "busy", "--json")).json<AccountRecord>().search_domains).toEqual({
      allowed: null,
      blocked: ["example.com", "example.org/a"]
    })
    const lifted = await ok(
      "accounts",
      "set",
      "busy",
      "--search-block",
      "none",
      "--requests-per-minute",
      "none",
      "--json"
    )
    expect(lifted.json()).toMatchObject({ search_domains: { blocked: null }, limits: { requests_per_minute: null } })
  })
})
