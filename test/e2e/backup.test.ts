import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Database } from "bun:sqlite"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { backUp, putBack } from "../../src/sql/sqlite/backup.ts"
import { runCommand } from "./command.ts"
import { startGateway } from "./process.ts"
import type { GatewayProcess } from "./process.ts"

const folderOf = () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-restored-"))
  mkdirSync(join(folder, "data"))
  return folder
}

describe("a backup made while the gateway runs", () => {
  let gateway: GatewayProcess
  let id: string
  let file: string
  const headers = () => ({ authorization: `Bearer ${gateway.key}`, "content-type": "application/json" })
  const remembered = async (url: string) =>
    (await (await fetch(`${url}/v1/responses/${id}`, { headers: headers() })).json()) as unknown

  beforeAll(async () => {
    gateway = await startGateway()
    const body = JSON.stringify({ model: "sandbox-text", input: "remember me" })
    const made = await fetch(`${gateway.url}/v1/responses`, { method: "POST", headers: headers(), body })
    id = ((await made.json()) as { id: string }).id
    file = join(gateway.folder, "monday.db")
    const { code, err, out } = await runCommand(gateway.folder, ["backup", "monday.db"])
    expect([code, err]).toEqual([0, expect.stringContaining("copying")])
    expect(out).toContain("The gateway's secret is in it")
  })
  afterAll(() => gateway.dispose())

  it("is private, is whole, and no other file is overwritten", async () => {
    expect(statSync(file).mode & 0o077).toBe(0)
    expect(readdirSync(gateway.folder).filter((name) => name.endsWith(".part"))).toEqual([])
    const again = await runCommand(gateway.folder, ["backup", "monday.db"])
    expect([again.code, again.err]).toEqual([4, "gateway: monday.db already exists\n"])
  })

  it("leaves alone what another one at work on the same file has written", async () => {
    const twice = join(gateway.folder, "twice.db")
    writeFileSync(`${twice}.part`, "another's")
    await Effect.runPromise(backUp(join(gateway.folder, "data/gateway.db"), twice, { version: "1", secret: undefined }))
    expect(readFileSync(`${twice}.part`, "utf8")).toBe("another's")
    expect(readdirSync(gateway.folder).filter((name) => name.startsWith("twice.db"))).toEqual([
      "twice.db",
      "twice.db.part"
    ])
  })

  it("is not put back under a running gateway", async () => {
    const refused = await runCommand(gateway.folder, ["restore", "monday.db"])
    expect([refused.code, refused.err]).toEqual([4, expect.stringContaining("a gateway serves from")])
    expect(await remembered(gateway.url)).toMatchObject({ id, status: "completed" })
  })

  it("starts elsewhere with all it had, secret included", async () => {
    const folder = folderOf()
    const { code, err, json } = await runCommand(folder, ["restore", file, "--json"])
    expect([code, err]).toEqual([0, ""])
    expect(json()).toMatchObject({ has_secret: true, former: null })
    expect(readFileSync(join(folder, "data/secret"), "utf8")).toBe(
      readFileSync(join(gateway.folder, "data/secret"), "utf8")
    )
    expect(statSync(join(folder, "data/secret")).mode & 0o077).toBe(0)
    const restored = await startGateway({ folder, env: { GATEWAY_BOOTSTRAP_KEY: "another-key-0123456789abcdef" } })
    expect(await remembered(restored.url)).toMatchObject({ id, status: "completed" })
    const tables = new Database(join(folder, "data/gateway.db"), { readonly: true })
      .query("SELECT name FROM sqlite_master WHERE name = 'gateway_backup'")
      .all()
    expect(tables).toEqual([])
    await restored.dispose()
  })

  it("keeps the database and the secret that were there before", async () => {
    const folder = folderOf()
    expect((await runCommand(folder, ["restore", file])).code).toBe(0)
    const secret = "another secret of at least thirty-two characters\n"
    writeFileSync(join(folder, "data/secret"), secret)
    // A process that died left its log.
    writeFileSync(join(folder, "data/gateway.db-wal"), "")
    const { code, json } = await runCommand(folder, ["restore", file, "--json"])
    expect(code).toBe(0)
    const kept = json<{ former: string; former_secret: string }>()
    expect(readFileSync(join(folder, kept.former_secret), "utf8")).toBe(secret)
    expect(existsSync(join(folder, `${kept.former}-wal`))).toBe(true)
    const former = new Database(join(folder, kept.former))
    expect(former.query("SELECT COUNT(*) AS keys FROM keys").get()).toEqual({ keys: 1 })
    expect(existsSync(join(folder, "data/gateway.db-wal"))).toBe(false)
  })

  it("keeps a database whose process was killed as one file, what its log held in it", async () => {
    const folder = folderOf()
    const database = join(folder, "data/gateway.db")
    const program = `const { Database } = require("bun:sqlite"); const file = new Database(${JSON.stringify(database)})
      file.run("PRAGMA journal_mode = WAL"); file.run("CREATE TABLE written (n)"); file.run("INSERT INTO written VALUES (1)")
      process.kill(process.pid, "SIGKILL")`
    await Bun.spawn([process.execPath, "-e", program]).exited
    expect(statSync(`${database}-wal`).size).toBeGreaterThan(0)
    const former = (await Effect.runPromise(putBack(file, database, new Date()))) ?? ""
    expect(readdirSync(join(folder, "data")).filter((name) => /-(wal|shm)$/.test(name))).toEqual([])
    expect(new Database(former).query("SELECT n FROM written").all()).toEqual([{ n: 1 }])
    expect(new Database(database).query("SELECT COUNT(*) AS keys FROM keys").get()).toEqual({ keys: 1 })
  })

  it("is put back where there is no folder yet, and overwrites nothing that was kept in the same second", async () => {
    const folder = mkdtempSync(join(tmpdir(), "gateway-restored-"))
    const { code, err } = await runCommand(folder, ["restore", file])
    expect([code, err]).toEqual([0, ""])
    expect(statSync(join(folder, "data")).mode & 0o077).toBe(0)

    const database = join(folder, "data/gateway.db")
    const now = new Date("2026-01-31T12:00:00.500Z")
    writeFileSync(database, "first")
    const kept = [await Effect.runPromise(putBack(file, database, now))]
    writeFileSync(database, "second")
    kept.push(await Effect.runPromise(putBack(file, database, now)))
    expect(kept.map((path) => readFileSync(path ?? "", "utf8"))).toEqual(["first", "second"])
  })

  it("is refused where it is none, damaged, a newer gateway's, or from before 1.0.0, and changes nothing", async () => {
    const folder = folderOf()
    const database = join(folder, "data/gateway.db")
    writeFileSync(database, "what was there")
    const whole = readFileSync(file)
    const damaged = Buffer.from(whole)
    damaged.fill(0xff, 4_096 * 3, 4_096 * 6)
    writeFileSync(join(folder, "damaged.db"), damaged)
    writeFileSync(join(folder, "text.db"), "no database")
    writeFileSync(join(folder, "newer.db"), whole)
    const newer = new Database(join(folder, "newer.db"))
    newer.run(
      "UPDATE migrations SET migration_id = 9999 WHERE migration_id = (SELECT MAX(migration_id) FROM migrations)"
    )
    newer.close()
    writeFileSync(join(folder, "ancient.db"), whole)
    const ancient = new Database(join(folder, "ancient.db"))
    ancient.run("DELETE FROM migrations WHERE migration_id > 36")
    ancient.run("UPDATE migrations SET migration_id = 10")
    ancient.close()
    new Database(join(folder, "other.db")).run("CREATE TABLE things (id)")
    for (const [name, message] of [
      ["damaged.db", "damaged.db"],
      ["text.db", "can't be read"],
      ["other.db", "is not a backup"],
      ["newer.db", "newer gateway"],
      ["ancient.db", "is from before version 1.0.0 (schema 10): upgrade by 1.0.0 first"],
      ["missing.db", "there is no file"]
    ] as const) {
      const { code, err } = await runCommand(folder, ["restore", name])
      expect([name, code, err]).toEqual([name, 1, expect.stringContaining(message)])
      expect(readFileSync(database, "utf8")).toBe("what was there")
    }
  })
})
