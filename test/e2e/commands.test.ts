import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Database } from "bun:sqlite"
import { SqliteClient } from "@effect/sql-sqlite-bun"
import * as Migrator from "@effect/sql/Migrator"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { runCommand } from "./command.ts"
import { startGateway } from "./process.ts"
import type { GatewayProcess } from "./process.ts"
import type { BalanceRecord } from "../../src/account/BalanceRecord.ts"
import type { AccountRecord } from "../../src/admin/AccountRecord.ts"
import type { AuditRecord } from "../../src/admin/AuditRecord.ts"
import type { KeyRecord } from "../../src/admin/KeyRecord.ts"
import type { UsageRecord } from "../../src/ledger/UsageRecord.ts"
import { keys } from "../../src/sql/migrations/0001_keys.ts"

type Made = { readonly key: KeyRecord; readonly secret: string }
type Signing = { readonly secrets: ReadonlyArray<string> }
type Balance = typeof BalanceRecord.Type

/** The schema as the first gateway made it. */
const oldest = Migrator.make({})({ table: "migrations", loader: Effect.succeed([[1, "keys", Effect.succeed(keys)]]) })

const config = `models:
  priced: { routes: [{ upstream: sandbox, model: sandbox-text }], price: { input: 1000, output: 1000 } }
`

let folder: string
let gateway: GatewayProcess
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
  fetch(`${gateway.url}/v1/messages`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({ model, max_tokens: 20, messages: "Hello!" })
  })
const get = async <A>(path: string, key = gateway.key): Promise<A> =>
  (await (await fetch(gateway.url + path, { headers: { authorization: `Bearer ${key}` } })).json()) as A

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

/** Columns of a table by their header. */
const rows = (out: string): ReadonlyArray<ReadonlyArray<string>> =>
  out
    .trimEnd()
    .split("\n")
    .map((line) => line.split(/ {2,}/))

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
      "MODELS",
      "LIMITS",
      "BUDGET",
      "EXPIRES",
      "LAST USED"
    ])
    expect(
      rows(listed.out)
        .find((row) => row[0] === id)
        ?.slice(0, 6)
    ).toEqual([id, "default", "laptop", "active", `…${secret.slice(-10, -6)}……`, "*"])
    const shown = await ok("keys", "show", id)
    expect(rows(shown.out)).toContainEqual(["secret", `gw_…${secret.slice(-10, -6)}……`])
    for (const { out } of [listed, shown, await ok("keys", "show", id, "--json")]) expect(out).not.toContain(secret)
  })

  it("takes every setting, changes it, and takes it away", async () => {
    await ok("accounts", "create", "settings")
    const { id } = await makeKey(
      "settings",
      ..."--model priced,sandbox-* --model x --budget 1.25 --budget-period day --expires 30d".split(" "),
      ..."--requests-per-minute 60 --concurrent-tasks 3".split(" ")
    )
    const made = (await ok("keys", "show", id, "--json")).json<KeyRecord>()
    expect(made).toMatchObject({
      object: "key",
      account: "settings",
      status: "active",
      models: ["priced", "sandbox-*", "x"],
      limits: { requests_per_minute: 60, tokens_per_minute: null, concurrent_requests: null, concurrent_tasks: 3 },
      budget: { period: "day", limit: { nano_usd: 1_250_000_000, usd: "1.25" }, spent: { nano_usd: 0, usd: "0.00" } }
    })
    expect(Date.parse(made.expires_at ?? "") - Date.parse(made.created_at)).toBeGreaterThan(29 * 86_400_000)
    const update = ["--name", "new", "--no-budget", "--never-expires", "--concurrent-tasks", "none", "--model", "y"]
    expect((await ok("keys", "update", id, ...update, "--json")).json()).toMatchObject({
      name: "new",
      models: ["y"],
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
    expect(credited.out).toBe("Gave $2 to team: $2.0000005 are available.\n")
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

describe("gateway usage", () => {
  it("says what was used, as a table, CSV and JSON, the same as the account's own report", async () => {
    await ok("accounts", "create", "users", "--balance", "5")
    const { id, secret } = await makeKey("users")
    for (let i = 0; i < 3; i++) expect((await ask(secret)).status).toBe(200)
    const by = async (what: string) =>
      (await ok("usage", "--by", what, "--account", "users", "--since", "1d", "--json")).json<UsageRecord>()
    const report = await by("key")
    expect(report).toMatchObject({ by: "key", totals: { requests: 3 }, next: null, data: [{ group: id, name: "k" }] })
    const { available, settled } = await get<Balance>("/v1/balance", secret)
    expect(report.totals.cost).toEqual(settled)
    expect(available?.nano_usd).toBe(5_000_000_000 - settled.nano_usd)
    const own = await get<UsageRecord>("/v1/usage?by=key&since=1d", secret)
    const { upstream_cost, ...charged } = report.totals
    expect(upstream_cost).toEqual(settled)
    expect(own.totals).toEqual(charged)
    expect(report.data).toMatchObject(own.data)
    expect((await by("request")).data).toHaveLength(3)
    expect((await by("model")).data).toMatchObject([{ group: "priced" }])
    const day = new Date().toISOString().slice(0, 10)
    const counted = [
      3,
      report.totals.input_tokens,
      0,
      0,
      report.totals.output_tokens,
      0,
      0,
      0,
      settled.usd,
      settled.usd
    ]
    const { out } = await ok("usage", "--account", "users", "--csv")
    expect(out).toBe(
      "day,requests,input,cache_read,cache_write,output,reasoning,searches,video_seconds,usd,upstream_usd\r\n" +
        `${day},${counted.join(",")}\n`
    )
    expect(rows((await ok("usage", "--account", "users")).out)).toEqual([
      [
        "DAY",
        "REQUESTS",
        "INPUT",
        "CACHE READ",
        "CACHE WRITE",
        "OUTPUT",
        "REASONING",
        "SEARCHES",
        "VIDEO SECONDS",
        "USD",
        "UPSTREAM USD"
      ],
      [day, ...counted.map(String)],
      ["total", ...counted.map(String)]
    ])
  })
})

describe("gateway tasks", () => {
  const create = async (prompt: string): Promise<string> => {
    const response = await fetch(`${gateway.url}/api/v3/contents/generations/tasks`, {
      method: "POST",
      headers: { authorization: `Bearer ${gateway.key}` },
      body: JSON.stringify({ model: "sandbox-video", resolution: "480p", content: [{ type: "text", text: prompt }] })
    })
    return ((await response.json()) as { id: string }).id
  }

  it("lists them, shows where one stands, and cancels it through the server", async () => {
    const id = await create("a cat [[sandbox: queue=60s]]")
    const listed = await ok("tasks", "list", "--kind", "video")
    expect(rows(listed.out)[0]).toEqual([
      "ID",
      "KIND",
      "ACCOUNT",
      "MODEL",
      "STATE",
      "UPSTREAM",
      "CREATED",
      "ENDED",
      "CALLBACK",
      "ERROR"
    ])
    expect(rows(listed.out)[1]?.slice(0, 5)).toEqual([id, "video", "default", "sandbox-video", "queued"])
    expect((await ok("tasks", "show", id)).out).toContain("state        queued\n")
    const cancelled = await ok("tasks", "cancel", id)
    expect(cancelled.out).toBe(`Cancelled ${id}.\n`)
    expect((await get<{ status: string }>(`/api/v3/contents/generations/tasks/${id}`)).status).toBe("cancelled")
    const again = await run("tasks", "cancel", id)
    expect([again.code, again.err]).toEqual([4, `gateway: ${id} has ended already: cancelled\n`])
    const list = (...args: ReadonlyArray<string>) => ok("tasks", "list", "--json", ...args)
    expect((await list("--state", "cancelled", "--account", "default")).json()).toMatchObject([{ id }])
    expect((await list("--state", "queued", "--state", "running")).json()).toEqual([])
    expect((await list("--account", "nobody")).json()).toEqual([])
  })
})

describe("gateway webhooks", () => {
  it("shows the secret that signs, and rotates it with two valid meanwhile", async () => {
    const before = (await ok("webhooks", "secret", "default", "--json")).json<Signing>()
    expect(before.secrets).toEqual([expect.stringMatching(/^whsec_/)])
    const { out } = await ok("webhooks", "rotate", "default")
    const after = (await ok("webhooks", "secret", "default", "--json")).json<Signing>()
    expect(after.secrets).toEqual([expect.stringMatching(/^whsec_/), before.secrets[0]])
    expect(out).toContain(after.secrets[0])
  })
})

describe("gateway audit", () => {
  it("has every change, by whom, and no secret", async () => {
    await ok("accounts", "create", "watched")
    const { id, secret } = await makeKey("watched")
    await ok("keys", "update", id, "--name", "other")
    await ok("keys", "revoke", id)
    const entries = (await ok("audit", "list", "--target", id, "--json")).json<ReadonlyArray<AuditRecord>>()
    expect(entries.map(({ action, actor }) => [action, actor])).toEqual([
      ["key.revoke", "cli:operator"],
      ["key.update", "cli:operator"],
      ["key.create", "cli:operator"]
    ])
    expect(entries[1]).toMatchObject({ before: { name: "k" }, after: { name: "other" } })
    const { out } = await ok("audit", "list", "--limit", "1000", "--json")
    expect(out).not.toContain(secret)
    expect(out).not.toContain("whsec_")
    expect(rows((await ok("audit", "list", "--target", id)).out)[2]?.slice(1)).toEqual([
      "cli:operator",
      "key.update",
      id,
      "name"
    ])
  })
})

describe("the command line", () => {
  it.each([
    [["keys", "show", "key_none"], 3, 'gateway: no key "key_none"\n'],
    [["keys", "create", "k", "--account", "none"], 3, 'gateway: no account "none"; it must be created first\n'],
    [["accounts", "credit", "none", "1"], 3, 'gateway: no account "none"\n'],
    [["tasks", "cancel", "none"], 3, 'gateway: no task "none"\n'],
    [["webhooks", "secret", "none"], 3, 'gateway: no account "none"\n'],
    [["accounts", "create", "a b"], 2, "gateway: id: expected a name of letters"],
    [["accounts", "credit", "default", "1.0000000001"], 2, "gateway: usd: expected an amount in dollars"],
    [["accounts", "set", "default", "--search-allow", "https://x"], 2, "gateway: search_allowed: expected domains"],
    [["accounts", "set", "default", "--requests-per-minute", "0"], 2, "--requests-per-minute: expected a whole number"],
    [["keys", "create", "k", "--expires", "yesterday"], 2, "gateway: --expires: expected how long from now"],
    [["keys", "create", "k", "--expires", "2020-01-01"], 2, "gateway: expires_at: expected a time to come"],
    [["keys", "create", ""], 2, "gateway: name: expected 1 to 200 characters"],
    [["usage", "--since", "yesterday"], 2, "--since: expected how long ago"],
    [["usage", "--csv", "--json"], 2, "gateway: --csv, --json: expected one of them"],
    [["usage", "--by", "nothing"], 2, ""],
    [["keys", "revoke"], 2, ""],
    [["keys", "list", "--jsonn"], 2, ""],
    [["nonsense"], 2, ""]
  ])("%j ends with %i", async (args, code, message) => {
    const result = await run(...args)
    expect([result.code, result.out]).toEqual([code, ""])
    expect(result.err).toContain(message)
  })

  it.each([["keys"], ["accounts"], ["usage"], ["tasks"], ["webhooks"], ["audit"]])(
    "gateway %s --help has examples",
    async (name) => {
      const text = (await ok(name, "--help")).out
      const children = { keys: "create", accounts: "credit", tasks: "cancel", webhooks: "rotate", audit: "list" }[name]
      const help = children === undefined ? text : (await ok(name, children, "--help")).out
      expect(help).toContain(`gateway ${name} ${children ?? "--by"}`)
    }
  )

  it("tells its version, and helps where it stands", async () => {
    const { version } = (await Bun.file("package.json").json()) as { version: string }
    for (const word of ["version", "--version"]) expect((await ok(word)).out).toBe(`${version}\n`)
    const root = (await ok("help")).out
    expect((await ok("--help")).out).toBe(root)
    expect(root).toContain("\n  keys        Make, list, change and revoke API keys.\n")
    const keys = await run("keys", "nope")
    expect([keys.code, keys.out]).toEqual([2, ""])
    expect(keys.err).toMatch(/^gateway keys: there is no command "nope"\n/)
    expect(keys.err).toContain((await ok("help", "keys")).out)
    expect((await run("keys", "revok")).err).toContain("`gateway keys revoke`?")
    expect((await ok("help", "keys", "create")).out).toBe((await ok("keys", "create", "--help")).out)
    const option = await run("keys", "create", "--nmae", "x")
    expect([option.code, option.err]).toEqual([
      2,
      "gateway: there is no option --nmae\nUsage: gateway keys create NAME [OPTIONS]\n`gateway help keys create` explains it.\n"
    ])
  })

  it("is plain where it is piped", async () => {
    for (const args of [["help"], ["keys"], ["keys", "create", "--help"]]) {
      expect((await ok(...args)).out).not.toContain("\u001b")
    }
  })

  it("prepares a gateway before its first start, and cancels a task once it runs again", async () => {
    const empty = mkdtempSync(join(tmpdir(), "gateway-empty-"))
    try {
      const none = await runCommand(empty, ["keys", "list"])
      expect([none.code, none.err]).toEqual([1, expect.stringContaining("there is no database data/gateway.db")])
      expect(existsSync(join(empty, "data"))).toBe(false)
      const made = await runCommand(empty, ["keys", "create", "first", "--json"])
      expect([made.code, made.err]).toEqual([0, "gateway: created a new database: data/gateway.db\n"])
      const { secret } = made.json<Made>()
      const first = await startGateway({ folder: empty, env: { GATEWAY_BOOTSTRAP_KEY: "" } })
      const headers = { authorization: `Bearer ${secret}` }
      const tasks = "/api/v3/contents/generations/tasks"
      const body = JSON.stringify({
        model: "sandbox-video",
        content: [{ type: "text", text: "a dog [[sandbox: queue=60s]]" }]
      })
      const created = await fetch(first.url + tasks, { method: "POST", headers, body })
      expect(created.status).toBe(200)
      const { id } = (await created.json()) as { id: string }
      first.signal("SIGKILL")
      await first.exited
      const asked = await runCommand(empty, ["tasks", "cancel", id])
      expect([asked.code, asked.out]).toEqual([
        0,
        `No gateway runs on this database; ${id} is cancelled at its next start.\n`
      ])
      const second = await startGateway({ folder: empty, env: { GATEWAY_BOOTSTRAP_KEY: "" } })
      const task = async () => (await fetch(`${second.url}${tasks}/${id}`, { headers })).json()
      await expect.poll(task).toMatchObject({ status: "cancelled" })
      await second.dispose()
    } finally {
      rmSync(empty, { recursive: true, force: true })
    }
  })

  it("refuses a newer schema, and an older one while its server runs; brings an older one up to date and says so", async () => {
    const other = mkdtempSync(join(tmpdir(), "gateway-schema-"))
    try {
      await runCommand(other, ["keys", "create", "k"])
      const file = join(other, "data/gateway.db")
      const database = new Database(file)
      const [{ latest } = { latest: 0 }] = database
        .query<{ latest: number }, []>("SELECT MAX(migration_id) AS latest FROM migrations")
        .all()
      database.run(`INSERT INTO migrations (migration_id, name) VALUES (${latest + 1}, 'to come')`)
      const newer = await runCommand(other, ["keys", "list"])
      expect([newer.code, newer.err]).toEqual([
        1,
        `gateway: database data/gateway.db belongs to a newer gateway (schema ${latest + 1}); this one knows schema ${latest}\n`
      ])
      database.close()
      for (const end of ["-wal", "-shm"]) rmSync(file + end, { force: true })
      rmSync(file)
      await Effect.runPromise(oldest.pipe(Effect.provide(SqliteClient.layer({ filename: file }))))
      const holder = new Database(`${file}.lock`, { create: true })
      holder.run("BEGIN EXCLUSIVE")
      const older = await runCommand(other, ["keys", "list"])
      expect([older.code, older.err]).toEqual([1, expect.stringContaining("restart it with this version")])
      holder.close()
      const pending = await runCommand(other, ["migrate", "--check", "--json"])
      expect([pending.code, pending.err, pending.json()]).toEqual([
        1,
        `gateway: database data/gateway.db has schema 1; this version brings it to schema ${latest}\n`,
        { database: "data/gateway.db", schema: 1, latest }
      ])
      const migrated = await runCommand(other, ["migrate"])
      expect([migrated.code, migrated.err]).toEqual([
        0,
        `gateway: database data/gateway.db: brought from schema 1 to schema ${latest}\n`
      ])
      for (const again of [["migrate"], ["migrate", "--check"], ["migrate", "--check"]]) {
        const { code, out } = await runCommand(other, again)
        expect([code, out]).toEqual([0, `database data/gateway.db has schema ${latest}, which is this version's\n`])
      }
    } finally {
      rmSync(other, { recursive: true, force: true })
    }
  })
})
