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
import { baseline } from "../../src/sql/baseline/baseline.ts"
import { baselineVersion } from "../../src/sql/migrations.ts"
import type { Made } from "./commandTypes.ts"

/** The schema as version 1.0.0 made it. */
const oldest = Migrator.make({})({
  table: "migrations",
  loader: Effect.succeed([[baselineVersion, "baseline", Effect.succeed(baseline)]])
})

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
    [["keys", "create", "k", "--expires", "someday"], 2, "gateway: --expires: expected how long from now"],
    [["keys", "create", "k", "--expires", "2020-01-01"], 2, "gateway: expires_at: expected a time to come"],
    [["keys", "create", ""], 2, "gateway: name: expected 1 to 200 characters"],
    [["usage", "--since", "someday"], 2, "--since: expected how long ago"],
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
    expect(keys.err).toMatch(/\n\ngateway keys: there is no command "nope"\n$/)
    expect(keys.err).toContain((await ok("help", "keys")).out)
    expect((await run("keys", "revok")).err).toContain("`gateway keys revoke`?")
    expect((await ok("help", "keys", "create")).out).toBe((await ok("keys", "create", "--help")).out)
    expect((await ok("database", "compact", "--help")).out).toBe((await ok("help", "db", "compact")).out)
    const option = await run("keys", "create", "--acount", "x")
    expect([option.code, option.err]).toEqual([
      2,
      "gateway: there is no option --acount; `--account`?\nUsage: gateway keys create NAME [OPTIONS]\n`gateway help keys create` explains it.\n"
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
        `gateway: database data/gateway.db has schema ${baselineVersion}; this version brings it to schema ${latest}\n`,
        { database: "data/gateway.db", schema: baselineVersion, latest }
      ])
      const migrated = await runCommand(other, ["migrate"])
      expect([migrated.code, migrated.err]).toEqual([
        0,
        `gateway: database data/gateway.db: migrated from schema ${baselineVersion} to schema ${latest}\n`
      ])
      for (const again of [["migrate"], ["migrate", "--check"], ["migrate", "--check"]]) {
        const { code, out } = await runCommand(other, again)
        expect([code, out]).toEqual([0, `database data/gateway.db has schema ${latest}, which is this version's\n`])
      }
      const ancient = new Database(file)
      ancient.run(`UPDATE migrations SET migration_id = 10 WHERE migration_id = ${baselineVersion}`)
      ancient.run("DELETE FROM migrations WHERE migration_id > 10")
      ancient.close()
      for (const refused of [["migrate"], ["migrate", "--check"], ["keys", "list"]]) {
        const { code, err } = await runCommand(other, refused)
        expect([code, err]).toEqual([
          1,
          "gateway: database data/gateway.db is from before version 1.0.0 (schema 10): upgrade by 1.0.0 first\n"
        ])
      }
    } finally {
      rmSync(other, { recursive: true, force: true })
    }
  })
})
