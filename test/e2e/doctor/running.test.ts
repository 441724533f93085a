import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startGateway } from "../../gatewayHere.ts"
import type { GatewayHere } from "../../gatewayHere.ts"
import { doctorIn } from "./report.ts"
import type { Report } from "./report.ts"

describe("gateway doctor, beside a gateway that serves by TLS", () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-doctor-running-"))
  const [cert, key] = [join(folder, "own.crt"), join(folder, "own.key")]
  const adminKey = "admin-key-of-doctor-0123456789"
  const yaml = `server: { tls: { cert: "${cert}", key: "${key}" } }
upstreams: { gone: { protocol: openai-chat, base_url: "http://127.0.0.1:1/v1", api_key: key-of-the-gone-upstream } }
models: { lost: { routes: [{ upstream: gone, model: one }] } }
`
  let gateway: GatewayHere
  const ask = (env: Record<string, string> = {}, args: ReadonlyArray<string> = ["--json"]) =>
    doctorIn(folder)(yaml, { GATEWAY_PORT: new URL(gateway.url).port, ...env }, args)
  const running = (report: Report) => report.findings.filter(({ check }) => check === "running gateway")

  beforeAll(async () => {
    // The certificate is another name's, as behind a load balancer.
    const subject = ["-subj", "/CN=gateway.example.com", "-keyout", key, "-out", cert]
    expect(Bun.spawnSync(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", ...subject]).exitCode).toBe(0)
    writeFileSync(join(folder, "gateway.yaml"), yaml)
    gateway = await startGateway({ folder, env: { GATEWAY_ADMIN_KEY: adminKey } })
  })
  afterAll(async () => {
    await gateway?.dispose()
    rmSync(folder, { recursive: true, force: true })
  })

  it("says that it can't ask without its admin key, and that another one is refused", async () => {
    const without = running((await ask()).json<Report>())
    expect(without).toEqual([
      expect.objectContaining({ level: "warning", remedy: expect.stringContaining("GATEWAY_ADMIN_KEY") })
    ])
    const wrong = running((await ask({ GATEWAY_ADMIN_KEY: "another-key-of-doctor-0123456789" })).json<Report>())
    expect(wrong).toEqual([
      expect.objectContaining({ level: "problem", message: expect.stringContaining("refuses GATEWAY_ADMIN_KEY") })
    ])
    expect(wrong[0]?.remedy).toContain("GATEWAY_ADMIN_KEY")
  })

  it("repeats what needs attention, and adds nodes and the end of the log to the bundle", async () => {
    const tls = { tls: { rejectUnauthorized: false } }
    for (let count = 0; count < 12; count++) {
      const { status } = await fetch(`${gateway.url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${gateway.key}`, "content-type": "application/json" },
        body: JSON.stringify({ model: "lost", messages: [{ role: "user", content: "words-of-a-caller" }] }),
        ...tls
      })
      expect(status).toBeGreaterThanOrEqual(500)
    }
    const path = join(folder, "bundle.json")
    const { json, out } = await ask({ GATEWAY_ADMIN_KEY: adminKey }, ["--json", "--bundle", path])
    expect(running(json<Report>()), out).toEqual(
      expect.arrayContaining([expect.objectContaining({ message: expect.stringContaining("gone") })])
    )
    const text = readFileSync(path, "utf8")
    const { attention, logs, nodes } = JSON.parse(text)
    expect(nodes).toEqual(expect.any(Array))
    expect(attention.length).toBeGreaterThan(0)
    expect(logs.some((line: { model?: string }) => line.model === "lost")).toBe(true)
    for (const secret of [adminKey, "key-of-the-gone-upstream", "words-of-a-caller", gateway.key]) {
      expect(text).not.toContain(secret)
    }
    // It serves on: no lock of its database was taken.
    expect((await fetch(`${gateway.url}/readyz`, tls)).status).toBe(200)
  })
})
