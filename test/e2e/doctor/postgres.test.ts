import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { pgBouncerProgram, startPgBouncer } from "../../sql/pgBouncer.ts"
import { postgresPrograms, startPostgres } from "../../sql/postgresServer.ts"
import type { PostgresServer } from "../../sql/postgresServer.ts"
import { doctorIn, problemsOf } from "./report.ts"
import type { Report } from "./report.ts"

const programs = postgresPrograms()
if (programs === undefined) console.log("SKIPPED: test/e2e/doctor/postgres.test.ts, there is no Postgres here")

describe.skipIf(programs === undefined)("gateway doctor, of Postgres", () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-doctor-postgres-"))
  const doctor = doctorIn(folder)
  let server: PostgresServer
  let sql: Bun.SQL
  beforeAll(async () => {
    if (programs === undefined) return
    server = await startPostgres(programs, { fsync: "off" })
    sql = new Bun.SQL({ url: server.url, max: 1 })
    for (const user of ["guarded", "few", "tls"]) {
      await sql.unsafe(`CREATE ROLE ${user} LOGIN PASSWORD 'right'${user === "few" ? " CONNECTION LIMIT 0" : ""}`)
    }
    const [{ hba_file }] = await sql`SHOW hba_file`
    writeFileSync(
      hba_file,
      `hostssl all tls 127.0.0.1/32 trust
host all guarded 127.0.0.1/32 scram-sha-256
host all gateway,few 127.0.0.1/32 trust
local all all trust
`
    )
    await sql`SELECT pg_reload_conf()`
    await sql.close()
    sql = new Bun.SQL({ url: server.url, max: 1 })
  })
  afterAll(async () => {
    await sql?.close()
    await server?.dispose()
    rmSync(folder, { recursive: true })
  })

  const as = (user: string) => server.url.replace("gateway@", `${user}@`)
  const at = async (url: string, rest = "") => {
    const { code, json, out } = await doctor(`database: { url: "${url}"${rest} }\n`)
    return { code, out, report: json<Report>() }
  }

  it.each([
    [
      "a wrong password",
      () => as("guarded:wrong"),
      /refuses the password \(28P01\)/,
      "Change the password in database.url"
    ],
    [
      "a user whom pg_hba.conf names nowhere",
      () => as("stranger:wrong"),
      /pg_hba\.conf lets it in .* \(28000\)/,
      "pg_hba.conf"
    ],
    ["a user who needs TLS", () => as("tls:wrong"), /by TLS alone \(28000\)/, "sslmode=require"],
    [
      "a server without TLS",
      () => `${server.url}?sslmode=require`,
      /has no TLS, which sslmode asks for/,
      "Remove sslmode"
    ],
    [
      "a missing database",
      () => server.url.replace(/postgres$/, "nowhere"),
      /no such database \(3D000\)/,
      "Change the name"
    ],
    ["too many connections", () => as("few"), /no connection left \(53300\)/, "max_connections"]
  ] as const)("names %s", async (_, url, says, remedy) => {
    const { code, out, report } = await at(url())
    expect(code, out).toBe(1)
    const [problem] = problemsOf(report, "database")
    expect(problem?.message).toMatch(says)
    expect(problem?.remedy).toContain(remedy)
    expect(out).not.toContain("wrong")
  })

  it("names a user who may not create tables", async () => {
    const { report } = await at(as("guarded:right"))
    expect(problemsOf(report, "database server")[0]?.remedy).toContain("GRANT CREATE ON SCHEMA public")
  })

  it("tells its version, and names a pool that it has no room for", async () => {
    const fine = await at(server.url)
    expect(fine.code, fine.out).toBe(0)
    expect(fine.report.findings.find(({ check }) => check === "database server")?.message).toMatch(/^Postgres \d\d/)
    const { report } = await at(server.url, ", connections: 900")
    expect(problemsOf(report, "database pool")[0]?.remedy).toContain("database.connections (900)")
    await sql.unsafe("ALTER DATABASE postgres CONNECTION LIMIT 6")
    const limited = await at(server.url)
    await sql.unsafe("ALTER DATABASE postgres CONNECTION LIMIT -1")
    expect(problemsOf(limited.report, "database pool")[0]?.message).toContain("the server has 6")
  })

  it("names a schema of a newer program", async () => {
    await sql.unsafe("CREATE TABLE migrations (migration_id INTEGER, created_at TIMESTAMPTZ, name TEXT)")
    await sql.unsafe("INSERT INTO migrations (migration_id, name) VALUES (9999, 'later')")
    const { report } = await at(server.url)
    await sql.unsafe("DROP TABLE migrations")
    const [problem] = problemsOf(report, "database")
    expect(problem?.message).toContain("belongs to a newer gateway (schema 9999)")
    expect(problem?.remedy).toContain("Run the version")
  })

  it.skipIf(pgBouncerProgram === undefined)(
    "names a pooler that gives each transaction another connection",
    async () => {
      const pooler = await startPgBouncer(server.port)
      const pooled = server.url.replace(String(server.port), String(pooler.port))
      const bare = await at(pooled)
      const direct = await at(pooled, `, direct_url: "${server.url}"`)
      const right = await at(pooled, `, direct_url: "${server.url}", prepare: false`)
      await pooler.dispose()
      expect(problemsOf(bare.report, "database pooler")[0]?.remedy).toContain("Set database.direct_url")
      const levels = [direct, right].map(({ report }) =>
        report.findings.find(({ check }) => check === "database pooler")
      )
      expect(levels.map((finding) => finding?.level)).toEqual(["warning", "ok"])
    }
  )
})
