import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Database } from "bun:sqlite"
import { afterAll, beforeAll, expect, it } from "vitest"
import { erased, staying } from "../../src/admin/store/Erasure.ts"
import { describeOnEach, gatewayEnv } from "../sql/engines.ts"
import { runCommand } from "../commandHere.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { request } from "../request.ts"

const config = "callbacks: { allow: [127.0.0.0/8] }\n"

describeOnEach("an account's end", ({ name: engine }) => {
  let gateway: GatewayHere
  let env: Record<string, string>
  const receiver = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() })
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), "gateway-ending-"))
    writeFileSync(join(folder, "gateway.yaml"), config)
    env = { ...(await gatewayEnv("ending")) }
    gateway = await startGateway({ folder, env })
  })
  afterAll(async () => {
    await gateway.dispose()
    await receiver.stop(true)
  })

  const run = (...args: ReadonlyArray<string>) => runCommand(gateway.folder, args, env)
  const ok = async (...args: ReadonlyArray<string>) => {
    const result = await run(...args)
    expect([result.code, result.err]).toEqual([0, ""])
    return result
  }
  const query = async (text: string): Promise<ReadonlyArray<Record<string, unknown>>> => {
    if (engine === "postgres") {
      const sql = new Bun.SQL({ url: env["GATEWAY_DATABASE_URL"] ?? "", max: 1 })
      const found = (await sql.unsafe(text)) as ReadonlyArray<Record<string, unknown>>
      await sql.end()
      return found
    }
    const database = new Database(join(gateway.folder, "data/gateway.db"), { readonly: true })
    const found = database.query<Record<string, unknown>, []>(text).all()
    database.close()
    return found
  }
  const rowsOf = async (table: string, account: string) => {
    const [row] = await query(`SELECT COUNT(*) AS n FROM ${table} WHERE account_id = '${account}'`)
    return Number(row?.["n"])
  }
  const tablesWithAccounts = async () => {
    const found = await query(
      engine === "postgres"
        ? "SELECT table_name AS name FROM information_schema.columns WHERE column_name = 'account_id' AND table_schema = current_schema()"
        : "SELECT m.name FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' AND c.name = 'account_id'"
    )
    return found.map((row) => String(row["name"])).sort()
  }

  const use = async (key: string) => {
    const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
      request(gateway, path, { body, key, headers })
    const say = { model: "sandbox-text", max_tokens: 20, messages: "Hello!" }
    expect((await post("/v1/messages", { ...say, thread: { type: "create" } })).status).toBe(200)
    expect((await post("/v1/messages", say, { "idempotency-key": "one" })).status).toBe(200)
    expect((await post("/v1/responses", { model: "sandbox-text", input: "Hello!" })).status).toBe(200)
    const made = await post("/api/v3/contents/generations/tasks", {
      model: "sandbox-video",
      content: [{ type: "text", text: "[[sandbox: queue=50ms fail=Broken]] a cat" }],
      callback_url: `http://127.0.0.1:${receiver.port}/hook`
    })
    expect(made.status).toBe(200)
  }
  const makeKey = async (account: string) => {
    await ok("accounts", "create", account)
    return (await ok("keys", "create", "k", "--account", account, "--json")).json<{ secret: string }>().secret
  }
  const ask = (key: string) => request(gateway, "/v1/models", { key })
  const status = async (key: string) => (await ask(key)).status

  it("knows every table that has something of an account", async () => {
    expect(await tablesWithAccounts()).toEqual(expect.arrayContaining(["responses", "tasks"]))
    const known: ReadonlyArray<string> = [...Object.keys(erased), ...staying]
    expect((await tablesWithAccounts()).filter((table) => !known.includes(table))).toEqual([])
  })

  it("is put off while it is suspended, and ends with all that it stored but its books", async () => {
    const [key, other] = [await makeKey("leaving"), await makeKey("staying")]
    await Promise.all([use(key), use(other)])
    for (const account of ["leaving", "staying"]) {
      await expect.poll(() => rowsOf("requests", account)).toBe(4)
      await expect.poll(() => rowsOf("deliveries", account)).toBe(3)
      for (const table of ["responses", "tasks", "kept_answers"])
        expect(await rowsOf(table, account)).toBeGreaterThan(0)
    }

    const early = await run("accounts", "delete", "leaving", "--yes")
    expect([early.code, early.err]).toEqual([4, expect.stringContaining("suspend leaving first")])
    expect((await ok("accounts", "suspend", "leaving")).out).toContain("gateway accounts resume leaving")
    await expect.poll(() => status(key)).toBe(401)
    expect(await (await ask(key)).text()).toContain("its account is suspended")
    expect((await ok("accounts", "list")).out).toMatch(/^leaving +suspended/m)
    await ok("accounts", "resume", "leaving")
    await expect.poll(() => status(key)).toBe(200)
    await ok("accounts", "suspend", "leaving")

    const careless = await run("accounts", "delete", "leaving")
    expect([careless.code, careless.err]).toEqual([2, expect.stringContaining("--yes: expected")])
    const deleted = (await ok("accounts", "delete", "leaving", "--yes", "--json")).json<{ removed: object }>()
    expect(deleted.removed).toMatchObject({ responses: 1, batches: 0, tasks: 1, requests: 4, kept_answers: 1 })
    for (const table of [...Object.keys(erased), "deliveries", "response_items"]) {
      expect([table, await rowsOf(table, "leaving")]).toEqual([table, 0])
    }
    expect(await rowsOf("usage", "leaving")).toBe(3)
    expect(await rowsOf("requests", "staying")).toBe(4)
    expect(await rowsOf("responses", "staying")).toBe(1)
    expect(await status(other)).toBe(200)
    await expect.poll(() => status(key)).toBe(401)
    expect((await run("accounts", "show", "leaving")).code).toBe(3)
    const again = await run("accounts", "create", "leaving")
    expect([again.code, again.err]).toEqual([4, expect.stringContaining("was deleted")])
    expect((await ok("audit", "list", "--target", "leaving")).out).toContain("account.delete")
  })

  it("waits for tasks that have not ended", async () => {
    const key = await makeKey("busy")
    const made = await request(gateway, "/api/v3/contents/generations/tasks", {
      body: {
        model: "sandbox-video",
        content: [{ type: "text", text: "a cat [[sandbox: queue=60s]]" }]
      },
      key
    })
    const { id } = (await made.json()) as { id: string }
    await ok("accounts", "suspend", "busy")
    const refused = await run("accounts", "delete", "busy", "--yes")
    expect([refused.code, refused.err]).toEqual([4, expect.stringContaining("1 unfinished task")])
    await ok("tasks", "cancel", id)
    await ok("accounts", "delete", "busy", "--yes")
    expect(await rowsOf("tasks", "busy")).toBe(0)
  })
})
