import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, inject, it } from "@effect/vitest"
import { Effect } from "effect"
import { clockFinding } from "../../src/commands/doctor/databaseFindings.ts"
import { processFindings } from "../../src/commands/doctor/processFindings.ts"
import { runCommand } from "../commandHere.ts"
import { brokenInstallations, routed, upstream } from "./brokenInstallations.ts"
import { startRedis, withoutRedis } from "../limits/redisServer.ts"
import { engines } from "../sql/engines.ts"

const folder = mkdtempSync(join(tmpdir(), "gateway-doctor-"))
afterAll(() => rmSync(folder, { recursive: true }))

interface Report {
  readonly ok: boolean
  readonly findings: ReadonlyArray<{ check: string; level: string; message: string; remedy: string | null }>
}

/** Other servers: an upstream, one of S3 that refuses, a provider of sign-in under another name. */
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: ({ headers, url }) => {
    const { origin, pathname } = new URL(url)
    if (pathname === "/v1/models") {
      return headers.get("authorization") === "Bearer right-key-of-upstream"
        ? Response.json({ object: "list", data: [{ id: "one" }] })
        : new Response("{}", { status: 401 })
    }
    if (pathname === "/login/.well-known/openid-configuration") return Response.json({ issuer: `${origin}/another` })
    if (pathname.startsWith("/bucket"))
      return new Response("<Error><Code>AccessDenied</Code><Message>no</Message></Error>", { status: 403 })
    return new Response("another site", { status: 404 })
  }
})
afterAll(() => server.stop(true))
const base = `http://127.0.0.1:${server.port}`

const doctor = async (yaml: string, env: Record<string, string> = {}, args: ReadonlyArray<string> = ["--json"]) => {
  writeFileSync(join(folder, "gateway.yaml"), yaml)
  return runCommand(folder, ["doctor", ...args], { GATEWAY_PORT: "1", ...env })
}

/** A certificate whose days are over. */
const expiredCertificate = () => {
  const at = (name: string) => join(folder, name)
  const [cert, key] = [at("expired.crt"), at("expired.key")]
  writeFileSync(at("index.txt"), "")
  writeFileSync(
    at("ca.cnf"),
    `[ca]\ndefault_ca = own\n[own]\ndatabase = ${at("index.txt")}\nrand_serial = yes\nnew_certs_dir = ${folder}\ndefault_md = sha256\npolicy = any\n[any]\ncommonName = supplied\n`
  )
  const openssl = (...args: ReadonlyArray<string>) => {
    const { exitCode, stderr } = Bun.spawnSync(["openssl", ...args])
    expect([exitCode, exitCode === 0 ? "" : stderr.toString()]).toEqual([0, ""])
  }
  openssl("req", "-new", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-keyout", key, "-out", at("csr"))
  const dates = ["-startdate", "20200101000000Z", "-enddate", "20200201000000Z"]
  const signing = ["-batch", "-selfsign", "-notext", "-config", at("ca.cnf"), "-keyfile", key]
  openssl("ca", ...signing, ...dates, "-in", at("csr"), "-out", cert)
  return { cert, key }
}

const found = (report: Report, check: string) =>
  report.findings.filter((finding) => finding.check === check && finding.level === "problem")

describe("gateway doctor", () => {
  it.each(brokenInstallations(folder, base))(
    "names what to change: $what",
    async ({ check, env = {}, says, setting, yaml }) => {
      const { code, json, out } = await doctor(yaml, env)
      expect(code, out).toBe(1)
      const [problem] = found(json<Report>(), check)
      expect(problem?.message, out).toMatch(says)
      expect(problem?.remedy).toContain(setting)
    }
  )

  it("finds nothing wrong with an installation in order, in lines of 80 columns", async () => {
    const { code, out } = await doctor(upstream(base, routed("one")), {}, [])
    expect(code, out).toBe(0)
    expect(out).toMatch(/^ok {7}upstream up: answers after \d+ ms \(asked for list\)$/m)
    expect(Math.max(...out.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80)
  })

  it("names an expired certificate, and its files", async () => {
    const { cert, key } = expiredCertificate()
    const { json } = await doctor(`server: { tls: { cert: "${cert}", key: "${key}" } }\n`)
    const [problem] = found(json<Report>(), "certificate")
    expect(problem?.message).toContain("expired on 2020-02-01")
    expect(problem?.remedy).toContain("server.tls.cert")
  })

  it("names low limits of the process", () => {
    const [files, memory] = processFindings(2, 256, 256 * 1024 ** 2)
    expect([files?.level, files?.remedy]).toEqual(["problem", expect.stringContaining("LimitNOFILE")])
    expect([memory?.level, memory?.remedy]).toEqual(["problem", expect.stringContaining("server.workers")])
    expect(processFindings(1, 65_536, 2 ** 30).map(({ level }) => level)).toEqual(["ok", "ok"])
  })

  it("does not wait for a database that never answers", { timeout: 30_000 }, async () => {
    const silent = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => {} } })
    const { code, json } = await doctor(`database: { url: "postgres://u:p@127.0.0.1:${silent.port}/gateway" }\n`)
    silent.stop(true)
    expect(code).toBe(1)
    expect(found(json<Report>(), "database")[0]?.message).toContain("can't be reached")
    expect(json<Report>().findings.map(({ check }) => check)).toContain("data directory")
  })

  it("writes a bundle without any secret", async () => {
    const planted = {
      upstream: "planted upstream words",
      header: "planted-header-words",
      database: "planted-database-words",
      redis: "planted-redis-words",
      admin: "planted-admin-words-000000000000",
      client: "planted-client-words",
      bucket: "planted-bucket-words",
      other: "planted-other-words"
    }
    const path = join(folder, "bundle.json")
    const { code } = await doctor(
      `upstreams: { up: { protocol: openai-chat, base_url: "http://user:${planted.header}@127.0.0.1:1/v1", api_key: "${planted.upstream}" } }
database: { url: "postgres://u:${planted.database}@127.0.0.1:1/gateway" }
redis: { url: "redis://u:${planted.redis}@127.0.0.1:1" }
files: { at: "s3://bucket", endpoint: "${base}", access_key_id: abcdefgh, secret_access_key: "${planted.bucket}" }
sign_in: { jwt: [{ issuer: "http://127.0.0.1:1", audience: gateway, account: default }] }
server: { public_url: "http://127.0.0.1:1" }
`,
      { GATEWAY_ADMIN_KEY: planted.admin, MY_API_KEY: planted.other },
      ["--bundle", path]
    )
    expect(code).toBe(1)
    const text = readFileSync(path, "utf8")
    for (const [name, secret] of Object.entries(planted)) expect(text.includes(secret), name).toBe(false)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    const { settings, variables } = JSON.parse(text)
    expect(settings["server.public_url"]).toBe("http://127.0.0.1:1")
    expect(settings["upstreams.up.api_key"]).toBe("[secret]")
    expect(variables).toContain("GATEWAY_ADMIN_KEY")
  })
})

describe.skipIf(withoutRedis("test/e2e/doctor.test.ts"))("gateway doctor, of Redis", () => {
  it("names a wrong password, and accepts the right one", async () => {
    const redis = await startRedis()
    await redis.client.send("CONFIG", ["SET", "requirepass", "right"])
    const wrong = await doctor(`redis: { url: "redis://:wrong@127.0.0.1:${redis.port}" }\n`)
    const right = await doctor(`redis: { url: "redis://:right@127.0.0.1:${redis.port}" }\n`)
    await redis.dispose()
    const [problem] = found(wrong.json<Report>(), "redis")
    expect(problem?.message).toBe("refuses the user or the password")
    expect(problem?.remedy).toContain("redis.url")
    expect(right.code, right.out).toBe(0)
  })
})

describe.runIf(inject("postgres") !== undefined)("gateway doctor, of Postgres", () => {
  const withDatabase = (test: (url: string) => Promise<void>) =>
    Effect.gen(function* () {
      const postgres = engines.find(({ name }) => name === "postgres")
      if (postgres !== undefined) yield* Effect.flatMap(postgres.url, (url) => Effect.promise(() => test(url)))
    })
  const alone = { GATEWAY_DATA_DIRECTORY: join(folder, "data") }

  it.scopedLive("tells its version, and names a pool that it has no room for", () =>
    withDatabase(async (url) => {
      const fine = await doctor(`database: { url: "${url}" }\n`, alone)
      expect(fine.json<Report>().findings.find(({ check }) => check === "database server")?.message).toMatch(
        /^Postgres 1\d/
      )
      const { code, json } = await doctor(`database: { url: "${url}", connections: 900 }\n`, alone)
      expect(code).toBe(1)
      expect(found(json<Report>(), "database pool")[0]?.remedy).toContain("database.connections (900)")
    })
  )

  it.scopedLive(
    "names a user whom the server refuses, a database that allows too few connections, and a clock that differs",
    () =>
      withDatabase(async (url) => {
        const refused = await doctor(`database: { url: "${url.replace(/\/\/[^@]*@/, "//nobody-here@")}" }\n`, alone)
        const [problem] = found(refused.json<Report>(), "database")
        expect(problem?.message).toContain("the server refuses the user or the password")
        expect(problem?.remedy).toContain("database.url")
        const name = new URL(url).pathname.slice(1)
        const sql = new Bun.SQL({ url, max: 1 })
        await sql.unsafe(`ALTER DATABASE ${name} CONNECTION LIMIT 6`)
        const { json } = await doctor(`database: { url: "${url}" }\n`, alone)
        await sql.unsafe(`ALTER DATABASE ${name} CONNECTION LIMIT -1`)
        await sql.close()
        expect(found(json<Report>(), "database pool")[0]?.message).toContain("the server has 6")
        expect(clockFinding(60_000)).toMatchObject({ level: "problem", remedy: expect.stringContaining("NTP") })
        expect(clockFinding(-2_000).level).toBe("warning")
      })
  )

  it.scopedLive("names a schema of a newer program", () =>
    withDatabase(async (url) => {
      const sql = new Bun.SQL({ url, max: 1 })
      await sql.unsafe("INSERT INTO migrations (migration_id, name) VALUES (9999, 'later')")
      const { json } = await doctor(`database: { url: "${url}" }\n`, alone)
      await sql.unsafe("DELETE FROM migrations WHERE migration_id = 9999")
      await sql.close()
      const [problem] = found(json<Report>(), "database")
      expect(problem?.message).toContain("belongs to a newer gateway (schema 9999)")
      expect(problem?.remedy).toContain("Run the version")
    })
  )
})
