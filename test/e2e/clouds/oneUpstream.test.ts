import { generateKeyPairSync } from "node:crypto"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { anthropic } from "../../upstreams/fakes/anthropic.ts"
import { chat } from "../../upstreams/fakes/chat.ts"
import { converseAnswer } from "../../upstreams/fakes/converse.ts"
import { gemini } from "../../upstreams/fakes/gemini.ts"
import { request } from "../../request.ts"
import { startGateway } from "../process.ts"
import type { GatewayProcess } from "../process.ts"
import { isSigned, signerIn } from "./sigV4.ts"

const keys = {
  accessKeyId: "ASIACONTAINER0000001",
  secretAccessKey: "container-secret-0123456789",
  sessionToken: "container-session-0123456789"
}
const token = "ya29.token-0123456789"

/** Who calls, and which path. */
const seen: Array<string> = []
let fetched = 0
let converseIsDown = false
/** Held until it is resolved. */
let held: Promise<void> = Promise.resolve()

const answers: ReadonlyArray<readonly [path: RegExp, answer: () => object]> = [
  [/^\/model\/[^/]+\/invoke$/, () => anthropic.answer("text", "claude")],
  [/^\/model\/[^/]+\/converse$/, () => converseAnswer("text", 0, "nova")],
  [/^\/openai\/v1\/chat\/completions$/, () => chat.answer("text", "gpt-oss")],
  [/publishers\/google\/models\/gemini-[^/]+:generateContent$/, () => gemini.answer("text", "gemini")],
  [/publishers\/anthropic\/models\/claude-[^/]+:rawPredict$/, () => anthropic.answer("text", "claude")],
  [/publishers\/google\/models\/veo-[^/]+:predictLongRunning$/, () => ({ name: "operations/veo-1" })],
  [/publishers\/google\/models\/veo-[^/]+:fetchPredictOperation$/, () => ({ name: "operations/veo-1" })]
]

/** The credentials of two clouds and their models, on one port. */
const clouds = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  idleTimeout: 0,
  fetch: async (incoming) => {
    const { headers, method, url } = incoming
    const { pathname } = new URL(url)
    if (pathname === "/container") {
      fetched++
      const { accessKeyId, secretAccessKey, sessionToken } = keys
      const end = new Date(Date.now() + 3_600_000).toISOString()
      return Response.json({
        AccessKeyId: accessKeyId,
        SecretAccessKey: secretAccessKey,
        Token: sessionToken,
        Expiration: end
      })
    }
    if (pathname === "/google/token") {
      fetched++
      return Response.json({ access_token: token, token_type: "Bearer", expires_in: 3_600 })
    }
    const body = await incoming.text()
    const isAws =
      signerIn(headers) === keys.accessKeyId && (await isSigned({ method, url, headers, body }, keys, "bedrock"))
    const by = isAws ? "signature" : headers.get("authorization") === `Bearer ${token}` ? "token" : "unknown"
    seen.push(`${by} ${pathname}`)
    if (by === "unknown") return Response.json({ message: "who calls?" }, { status: 403 })
    if (pathname.endsWith("/converse")) {
      if (converseIsDown) return Response.json({ message: "down" }, { status: 503 })
      await held
    }
    const found = answers.find(([path]) => path.test(pathname))?.[1]
    return found === undefined ? Response.json({ message: "not here" }, { status: 404 }) : Response.json(found())
  }
})
const url = `http://127.0.0.1:${clouds.port}`
afterAll(() => clouds.stop(true))

const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
const account = {
  type: "service_account",
  client_email: "gateway@house.iam.gserviceaccount.com",
  private_key: privateKey.export({ type: "pkcs8", format: "pem" }),
  token_uri: `${url}/google/token`
}

const claude = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
const gptOss = "openai.gpt-oss-120b-1:0"
const nova = "amazon.nova-pro-v1:0"

let gateway: GatewayProcess
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-protocols-"))
  writeFileSync(join(folder, "account.json"), JSON.stringify(account))
  const upstreams = {
    bedrock: { provider: "bedrock", base_url: url, region: "us-east-1", max_concurrency: 1, queue_seconds: 0.2 },
    vertex: {
      provider: "vertex",
      base_url: url,
      region: "global",
      project: "house",
      auth: { kind: "google", credentials_file: "account.json" }
    }
  }
  const to = (upstream: string, model: string) => ({ routes: [{ upstream, model }] })
  const models = {
    "at-bedrock": to("bedrock", claude),
    oss: to("bedrock", gptOss),
    nova: to("bedrock", nova),
    flash: to("vertex", "gemini-3.8-flash"),
    "at-vertex": to("vertex", "claude-opus-5-5"),
    veo: to("vertex", "veo-3.1-generate-001")
  }
  writeFileSync(join(folder, "gateway.yaml"), JSON.stringify({ upstreams, models }))
  const env = { AWS_CONTAINER_CREDENTIALS_FULL_URI: `${url}/container` }
  gateway = await startGateway({ folder, env })
})
afterAll(() => gateway?.dispose())

const ask = async (model: string) => {
  const messages = [{ role: "user", content: "Hi" }]
  const answer = await request(gateway, "/v1/chat/completions", { body: { model, messages } })
  return [answer.status, await answer.text()] as const
}
const statusOf = async (model: string) => (await ask(model))[0]

describe("one upstream with several protocols", () => {
  it("speaks each model's own, and fetches its credentials once for all (AWS)", async () => {
    fetched = 0
    seen.length = 0
    for (const model of ["at-bedrock", "oss", "nova"]) {
      const [status, text] = await ask(model)
      expect(status, text + gateway.output()).toBe(200)
    }
    expect(seen).toEqual([
      `signature /model/${encodeURIComponent(claude)}/invoke`,
      "signature /openai/v1/chat/completions",
      `signature /model/${encodeURIComponent(nova)}/converse`
    ])
    expect(fetched).toBe(1)
  })

  it("speaks each model's own, and fetches its credentials once for all (Google)", async () => {
    fetched = 0
    seen.length = 0
    expect(await statusOf("flash"), gateway.output()).toBe(200)
    expect(await statusOf("at-vertex"), gateway.output()).toBe(200)
    const task = { model: "veo", content: [{ type: "text", text: "A fox" }] }
    const created = await request(gateway, "/api/v3/contents/generations/tasks", { body: task })
    expect(created.status, await created.text()).toBe(200)
    const place = "/v1/projects/house/locations/global/publishers"
    await expect
      .poll(() => seen.slice(0, 3))
      .toEqual([
        `token ${place}/google/models/gemini-3.8-flash:generateContent`,
        `token ${place}/anthropic/models/claude-opus-5-5:rawPredict`,
        `token ${place}/google/models/veo-3.1-generate-001:predictLongRunning`
      ])
    expect(fetched).toBe(1)
  })

  it("shares its places among them", async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    held = promise
    seen.length = 0
    const first = statusOf("nova")
    await expect.poll(() => seen.length).toBe(1)
    expect(await statusOf("at-bedrock")).toBe(429)
    expect(seen.length).toBe(1)
    resolve()
    expect(await first).toBe(200)
    expect(await statusOf("at-bedrock")).toBe(200)
  })

  it("has a circuit for each: one that rests leaves the others", async () => {
    converseIsDown = true
    const statuses: Array<number> = []
    for (let call = 0; call < 30; call++) statuses.push(await statusOf("nova"))
    seen.length = 0
    expect(await statusOf("nova")).not.toBe(200)
    // It rests: the call did not arrive.
    expect(seen, statuses.join()).toEqual([])
    expect(await statusOf("at-bedrock"), gateway.output()).toBe(200)
    expect(await statusOf("oss")).toBe(200)
  })
})
