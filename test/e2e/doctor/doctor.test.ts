import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { startRedis, withoutRedis } from "../../limits/redisServer.ts"
import { brokenInstallations, hookSecret, routed, upstream } from "./brokenInstallations.ts"
import { doctorIn, problemsOf, startSilent } from "./report.ts"
import type { Report } from "./report.ts"

const folder = mkdtempSync(join(tmpdir(), "gateway-doctor-"))
afterAll(() => rmSync(folder, { recursive: true }))

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
    if (pathname === "/hook") return Response.json({ verdict: "perhaps" })
    if (pathname === "/closed/v1/traces") return new Response("no", { status: 401 })
    return new Response("another site", { status: 404 })
  }
})
afterAll(() => server.stop(true))
const base = `http://127.0.0.1:${server.port}`

const doctor = doctorIn(folder)

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

describe("gateway doctor", () => {
  it.each(brokenInstallations(folder, base))(
    "names what to change: $what",
    async ({ check, env = {}, says, setting, yaml }) => {
      const { code, json, out } = await doctor(yaml, env)
      expect(code, out).toBe(1)
      const [problem] = problemsOf(json<Report>(), check)
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
    const [problem] = problemsOf(json<Report>(), "certificate")
    expect(problem?.message).toContain("expired on 2020-02-01")
    expect(problem?.remedy).toContain("server.tls.cert")
  })

  it("waits for nothing that never answers", { timeout: 60_000 }, async () => {
    const silent = startSilent()
    const at = `http://127.0.0.1:${silent.port}`
    const { code, json, out } = await doctor(
      `database: { url: "postgres://u:p@127.0.0.1:${silent.port}/gateway" }
upstreams: { up: { protocol: openai-chat, base_url: "${at}/v1" } }
redis: { url: "redis://127.0.0.1:${silent.port}" }
files: { at: "s3://bucket", endpoint: "${at}", access_key_id: abcdef, secret_access_key: ghijkl }
sign_in: { jwt: [{ issuer: "${at}", audience: gateway, account: default }] }
mcp: { servers: { files: { url: "${at}/mcp" } } }
guardrails: { hook: { url: "${at}", secret: "${hookSecret}", timeout_seconds: 60 } }
alerts: { url: "${at}", secret: "${hookSecret}" }
search: { provider: searxng, base_url: "${at}" }
server: { public_url: "${at}" }
`,
      { OTEL_EXPORTER_OTLP_ENDPOINT: at, GATEWAY_PORT: String(silent.port) }
    )
    silent.stop(true)
    expect(code).toBe(1)
    for (const check of [
      "database",
      "upstream up",
      "redis",
      "bucket",
      `sign-in ${at}`,
      "tools files",
      "guardrail hook",
      "alerts",
      "search",
      "traces",
      "public URL",
      "running gateway"
    ]) {
      expect({ check, problems: problemsOf(json<Report>(), check).length, out }).toEqual({ check, problems: 1, out })
    }
    expect(json<Report>().findings.map(({ check }) => check)).toContain("data directory")
  })
})

describe.skipIf(withoutRedis("test/e2e/doctor/doctor.test.ts"))("gateway doctor, of Redis", () => {
  it("names a wrong password, and accepts the right one", async () => {
    const redis = await startRedis()
    await redis.client.send("CONFIG", ["SET", "requirepass", "right"])
    const wrong = await doctor(`redis: { url: "redis://:wrong@127.0.0.1:${redis.port}" }\n`)
    const right = await doctor(`redis: { url: "redis://:right@127.0.0.1:${redis.port}" }\n`)
    await redis.dispose()
    const [problem] = problemsOf(wrong.json<Report>(), "redis")
    expect(problem?.message).toBe("refuses the user or the password")
    expect(problem?.remedy).toContain("redis.url")
    expect(right.code, right.out).toBe(0)
  })
})
