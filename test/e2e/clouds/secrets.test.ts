import { generateKeyPairSync } from "node:crypto"
import { mkdtempSync, readFileSync, readdirSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { request } from "../../request.ts"
import { startCollector } from "../../telemetry/tracedCalls.ts"
import { runCommand } from "../command.ts"
import { startGateway } from "../process.ts"
import type { GatewayProcess } from "../process.ts"

/** A cloud that repeats what it was sent in each refusal, as AWS repeats what was signed. */
const repeated: Array<string> = []
const cloud = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: async (asked) => {
    const { pathname } = new URL(asked.url)
    const body = await asked.text()
    if (pathname === "/good/oauth2/v2.0/token" || pathname === "/google/token") {
      return Response.json({ access_token: "planted-token-0123456789", token_type: "Bearer", expires_in: 3_600 })
    }
    const said = [...asked.headers, ...new URLSearchParams(body)].map((pair) => pair.join(": ")).join(", ")
    repeated.push(said)
    if (pathname.startsWith("/v1/")) {
      return Response.json({ error: { message: `refused, with ${said}` }, message: said }, { status: 403 })
    }
    if (pathname === "/sts/") {
      const text = `<ErrorResponse><Error><Code>AccessDenied</Code><Message>${said}</Message></Error></ErrorResponse>`
      return new Response(text, { status: 403, headers: { "content-type": "text/xml" } })
    }
    return Response.json({ error: "invalid_client", error_description: said }, { status: 401 })
  }
})
const url = `http://127.0.0.1:${cloud.port}`

const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
const account = (path: string) =>
  JSON.stringify({
    type: "service_account",
    client_email: "gateway@project.iam.gserviceaccount.com",
    private_key: privateKey.export({ type: "pkcs8", format: "pem" }),
    token_uri: url + path
  })
const keys = {
  kind: "aws",
  access_key_id: "AKIAFIXED0000000001",
  secret_access_key: "planted-secret-0123456789",
  session_token: "planted-session-0123456789"
}
const entra = { kind: "azure", client_id: "client", client_secret: "planted-client-secret-0123456789" }

/** Each kind, refused by the model, and refused by its token service. */
const auths = {
  aws: keys,
  "aws-refused": { ...keys, role_arn: "arn:aws:iam::123456789012:role/models" },
  google: { kind: "google", credentials_file: "account.json" },
  "google-refused": { kind: "google", credentials_file: "refused.json" },
  azure: { ...entra, tenant_id: "good" },
  "azure-refused": { ...entra, tenant_id: "bad" }
}
const names = Object.keys(auths)
const secrets = /planted|PRIVATE KEY|eyJ[\w-]{10,}\./

const folder = mkdtempSync(join(tmpdir(), "gateway-secrets-"))
const env = { AZURE_AUTHORITY_HOST: url, AWS_ENDPOINT_URL_STS: `${url}/sts/`, AWS_MAX_ATTEMPTS: "1" }
let collector: Awaited<ReturnType<typeof startCollector>>
let gateway: GatewayProcess
beforeAll(async () => {
  const upstreams = Object.fromEntries(
    names.map((name) => [
      name,
      { protocol: "openai-chat", base_url: `${url}/v1`, auth: auths[name as keyof typeof auths] }
    ])
  )
  const models = Object.fromEntries(names.map((name) => [name, { routes: [{ upstream: name, model: "m" }] }]))
  writeFileSync(join(folder, "gateway.yaml"), JSON.stringify({ upstreams, models }))
  writeFileSync(join(folder, "account.json"), account("/google/token"))
  writeFileSync(join(folder, "refused.json"), account("/google/refused"))
  collector = await startCollector()
  gateway = await startGateway({
    folder,
    env: { ...env, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: "50" }
  })
})
afterAll(async () => {
  await gateway.dispose()
  await collector.stop()
  await cloud.stop(true)
})

describe("secrets of clouds, repeated in refusals", () => {
  it.each(names)("of %s are in no answer", async (model) => {
    for (const stream of [false, true]) {
      const body = { model, stream, messages: [{ role: "user", content: "hi" }] }
      const answer = await request(gateway, "/v1/chat/completions", { body })
      expect(answer.status).toBe(500)
      expect(await answer.text()).not.toMatch(secrets)
    }
  })

  it("are in no log, trace or row", async () => {
    expect(repeated.join("\n")).toMatch(secrets)
    await expect.poll(async () => (await collector.spans()).length).toBeGreaterThanOrEqual(2 * names.length)
    expect(JSON.stringify(await collector.collected())).not.toMatch(secrets)
    expect(gateway.output()).toContain("upstreams.google-refused.auth")
    expect(gateway.output()).not.toMatch(secrets)
    const data = join(folder, "data")
    const files = () => readdirSync(data).filter((name) => name.startsWith("gateway.db"))
    const stored = () => files().map((name) => readFileSync(join(data, name), "latin1"))
    // Rows are written a moment after their answers.
    await expect.poll(() => stored().some((text) => text.includes("azure-refused"))).toBe(true)
    for (const name of files()) expect(readFileSync(join(data, name), "latin1").match(secrets), name).toBeNull()
  })

  it("are not in what check says", async () => {
    for (const args of [["check"], ["check", "--live"], ["check", "--live", "--json"]]) {
      const { err, out } = await runCommand(folder, args, env)
      expect(out + err).not.toMatch(secrets)
    }
  })
})
