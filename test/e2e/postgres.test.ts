import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { postgresPrograms, startPostgres } from "../sql/postgresServer.ts"
import type { PostgresServer } from "../sql/postgresServer.ts"
import { runCommand } from "./command.ts"
import { startGateway } from "./process.ts"
import type { GatewayProcess } from "./process.ts"
import { request } from "../request.ts"

const programs = postgresPrograms()
if (programs === undefined) console.log("SKIPPED: Postgres is not installed (Debian's package `postgresql`)")

const password = "pa55w0rd-of-the-database"
const config = `
keys:
  - { name: metered, secret: metered-key-0123456789abcdef, balance_usd: 1 }
models:
  costly: { routes: [{ upstream: sandbox, model: sandbox-text }], price: { input: 1, output: 100 } }
`

let server: PostgresServer
let gateway: GatewayProcess
let url: string
const env = () => ({ GATEWAY_DATABASE_URL: url })

beforeAll(async () => {
  if (programs === undefined) return
  server = await startPostgres(programs)
  url = server.url.replace("gateway@", `gateway:${password}@`)
  gateway = await startGateway({ env: env() })
})
afterAll(async () => {
  await gateway?.dispose()
  await server?.dispose()
})

const call = async (path: string, body?: unknown, headers: Record<string, string> = {}) => {
  const response = await request(gateway, path, {
    method: body === undefined ? "GET" : "POST",
    body,
    headers,
    signal: AbortSignal.timeout(20_000)
  })
  const text = await response.text()
  const json = () => JSON.parse(text)
  return { status: response.status, text, json, headers: response.headers }
}

const until = async (path: string, isSo: (json: ReturnType<typeof JSON.parse>) => boolean) => {
  for (;;) {
    const answer = await call(path)
    expect(answer.status).toBe(200)
    if (isSo(answer.json())) return answer.json()
    await Bun.sleep(20)
  }
}

const message = { model: "sandbox-text", max_tokens: 20, messages: [{ role: "user", content: "Hi" }] }
const task = { model: "sandbox-video", content: [{ type: "text", text: "A cat --resolution 480p --frames 29" }] }

describe.skipIf(programs === undefined)("a gateway on Postgres", () => {
  it("serves every family, and keeps what they keep", async () => {
    expect((await call("/v1/messages", message)).json().content[0].type).toBe("text")
    expect((await call("/v1/messages", { ...message, stream: true })).text).toContain("message_stop")
    const chat = await call("/v1/chat/completions", { model: "sandbox-text", messages: message.messages })
    expect(chat.json().choices[0].finish_reason).toBe("stop")
    expect((await call("/v1/embeddings", { model: "sandbox-embed", input: "a" })).json().data).toHaveLength(1)

    const first = (await call("/v1/responses", { model: "sandbox-text", input: "Hi" })).json()
    const next = await call("/v1/responses", { model: "sandbox-text", input: "And?", previous_response_id: first.id })
    expect(next.json().previous_response_id).toBe(first.id)
    expect((await call(`/v1/responses/${first.id}`)).json()).toEqual(first)
    const cut = await call("/v1/responses", { model: "sandbox-text", input: "[[sandbox: cut=5]] Hi", stream: true })
    const id = /"id":"(resp_\w+)"/.exec(cut.text)?.[1]
    // As soon as its end was told.
    expect((await call(`/v1/responses/${id}`)).json().status).toBe("failed")
    const background = await call("/v1/responses", { model: "sandbox-text", input: "Hi", background: true })
    await until(`/v1/responses/${background.json().id}`, ({ status }) => status === "completed")

    const made = await call("/v1/messages", { ...message, async: true })
    await until(`/v1/tasks/${made.json().id}`, ({ status }) => status === "success")
    const video = await call("/api/v3/contents/generations/tasks", task)
    await until(`/api/v3/contents/generations/tasks/${video.json().id}`, ({ status }) => status === "succeeded")
    const listed = await call("/api/v3/contents/generations/tasks?page_size=5")
    expect(listed.json()).toMatchObject({ total: 1, items: [{ id: video.json().id }] })
  })

  it("answers twins once, counts what they use, and takes no more than there is", async () => {
    const once = { "idempotency-key": "once" }
    const twins = await Promise.all(Array.from({ length: 20 }, () => call("/v1/messages", message, once)))
    expect(new Set(twins.map(({ text }) => text)).size).toBe(1)
    expect((await call("/v1/messages", { ...message, max_tokens: 5 }, once)).status).toBe(409)
    const usage = (await call("/v1/usage?by=model&since=1d")).json()
    expect(usage.totals.requests).toBeGreaterThan(3)
    expect(typeof usage.totals.input_tokens).toBe("number")
    expect((await call("/v1/messages/count_tokens", message)).json().input_tokens).toBeGreaterThan(0)
  })

  it("is kept from a gateway of another secret, and open to commands, who say nothing of the password", async () => {
    const folder = gateway.folder
    const strange = { ...env(), GATEWAY_PORT: "0", GATEWAY_SECRET: "another-secret-0123456789abcdef-0123" }
    const second = await runCommand(folder, ["serve"], strange)
    expect([second.code, second.err + second.out]).toEqual([
      1,
      expect.stringMatching(/the gateway \S+:\d+ serves from the same database with another secret: give both/)
    ])
    const commands = [
      ["accounts", "create", "team"],
      ["keys", "create", "k", "--account", "team"],
      ["keys", "list", "--all"],
      ["accounts", "credit", "team", "5"],
      ["accounts", "show", "team"],
      ["usage", "--json"],
      ["tasks", "list"],
      ["audit", "list"],
      ["check"],
      ["migrate", "--check"],
      ["migrate"]
    ]
    for (const args of commands) {
      const { code, err, out } = await runCommand(folder, args, env())
      expect([args, code, err.replace(/^gateway: .*\n/gm, "")]).toEqual([args, 0, ""])
      expect(out + err).not.toContain(password)
    }
    expect(second.err + second.out + gateway.output()).not.toContain(password)
  })

  it("takes an admin's key from another process within a second, and loses one as soon", async () => {
    const made = await runCommand(gateway.folder, ["keys", "create", "n", "--account", "team", "--json"], env())
    const { key, secret } = made.json<{ key: { id: string }; secret: string }>()
    const opens = async () => (await call("/v1/models", undefined, { authorization: `Bearer ${secret}` })).status
    expect(await opens()).toBe(200)
    expect((await runCommand(gateway.folder, ["keys", "revoke", key.id], env())).code).toBe(0)
    await expect.poll(opens).toBe(401)
  })

  it("goes on where it was killed: tasks, answers, keys", async () => {
    const begun = await Promise.all(Array.from({ length: 2 }, () => call("/api/v3/contents/generations/tasks", task)))
    const ids = begun.map(({ json }) => json().id)
    const kept = (await call("/v1/messages", message, { "idempotency-key": "once" })).text
    gateway.signal("SIGKILL")
    await gateway.exited
    writeFileSync(join(gateway.folder, "gateway.yaml"), config)
    gateway = await startGateway({ env: env(), folder: gateway.folder })
    expect((await call("/v1/messages", message, { "idempotency-key": "once" })).text).toBe(kept)
    for (const id of ids) {
      await until(`/api/v3/contents/generations/tasks/${id}`, ({ status }) => status === "succeeded")
    }
  })

  it("is unready while its server is away, refuses what costs money, and heals by itself within five seconds", async () => {
    const metered = { authorization: "Bearer metered-key-0123456789abcdef" }
    const costly = { ...message, model: "costly" }
    expect((await call("/v1/messages", costly, metered)).status).toBe(200)
    const spent = (await call("/v1/balance", undefined, metered)).json().settled.nano_usd
    expect(spent).toBeGreaterThan(0)
    for (const how of ["kill", "fast"] as const) {
      await server.stop(how)
      await expect.poll(async () => (await call("/readyz")).status).toBe(503)
      await expect.poll(async () => (await call("/readyz")).text).toMatch(/database/)
      const refused = await call("/v1/messages", costly, metered)
      expect(refused.status).toBeGreaterThanOrEqual(500)
      expect(refused.json().type).toBe("error")
      const task503 = await call("/api/v3/contents/generations/tasks", task)
      expect(task503.status).toBeGreaterThanOrEqual(500)
      expect(task503.json().error.code).toBeDefined()
      await server.start()
      const since = performance.now()
      await expect.poll(async () => (await call("/readyz")).status, { interval: 50, timeout: 30_000 }).toBe(200)
      expect(performance.now() - since).toBeLessThan(5_000)
      expect((await call("/v1/messages", costly, metered)).status).toBe(200)
    }
    await expect
      .poll(async () => (await call("/v1/balance", undefined, metered)).json())
      .toMatchObject({ settled: { nano_usd: 3 * spent }, held: { nano_usd: 0 } })
    expect(gateway.output()).not.toContain(password)
  })
})
