import { Database } from "bun:sqlite"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { request } from "../request.ts"
import { fakeUpstream } from "../upstreams/fakes/fakeUpstream.ts"
import { startGateway } from "./process.ts"
import type { GatewayProcess } from "./process.ts"

const secretOf = (name: string) => `${name}-secret-0123456789-0123456789`

describe("names of models", () => {
  const chat = fakeUpstream("openai-chat", {
    answer: ({ text }) => (text.includes("never") ? new Promise<Response>(() => {}) : undefined)
  })
  let gateway: GatewayProcess
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), "gateway-names-"))
    writeFileSync(
      join(folder, "gateway.yaml"),
      JSON.stringify({
        server: { metrics: true },
        upstreams: { chat: { protocol: "openai-chat", base_url: `${chat.url}/v1` } },
        models: {
          house: { routes: [{ upstream: "chat", model: "own" }], price: { input: 1, output: 1 } },
          fast: { alias: "house" },
          "team/*": "chat",
          busy: { routes: [{ upstream: "chat" }], limits: { concurrent_tasks: 2 } },
          "busy-alias": { alias: "busy" },
          "tasks/*": { routes: [{ upstream: "chat" }], limits: { concurrent_tasks: 2 } },
          "small/*": { routes: [{ upstream: "chat" }], limits: { requests_per_minute: 2 } }
        },
        keys: [
          { name: "all", secret: secretOf("all") },
          { name: "target", secret: secretOf("target"), models: ["house"] },
          { name: "team", secret: secretOf("team"), models: ["team/*"] }
        ]
      })
    )
    gateway = await startGateway({ folder })
  })
  afterAll(async () => {
    await gateway.dispose()
    await chat.stop()
  })

  const ask = (model: string, name = "all", headers: Record<string, string> = {}) =>
    request(gateway, "/v1/chat/completions", {
      key: secretOf(name),
      headers,
      body: { model, messages: [{ role: "user", content: "hi" }] }
    })

  it("may be aliases, open to keys of either name; the answer has the name that was asked for", async () => {
    const answered = await ask("fast", "target")
    expect(answered.status).toBe(200)
    expect(await answered.json()).toMatchObject({ model: "fast" })
    expect(chat.asked.at(-1)?.body).toMatchObject({ model: "own" })
    expect((await ask("fast", "team")).status).toBe(403)
  })

  it("are the same for idempotency: another key of the account gets its refusal, not the answer", async () => {
    const first = await ask("fast", "target", { "idempotency-key": "names-1" })
    const again = await ask("fast", "target", { "idempotency-key": "names-1" })
    expect([first.status, again.status, again.headers.get("idempotent-replayed")]).toEqual([200, 200, "true"])
  })

  it("may match a wildcard", async () => {
    expect((await ask("team/qwen/3", "team")).status).toBe(200)
    expect(chat.asked.at(-1)?.body).toMatchObject({ model: "qwen/3" })
    expect((await ask("other/qwen")).status).toBe(400)
  })

  it("of one wildcard share its limits", async () => {
    const statuses = []
    for (const model of ["small/a", "small/b", "small/c"]) statuses.push((await ask(model)).status)
    expect(statuses).toEqual([200, 200, 429])
  })

  it("of one wildcard are one in the metrics: callers choose them", async () => {
    const page = await (await fetch(`${gateway.url}/metrics`)).text()
    expect(page).toContain('gen_ai_request_model="small/*"')
    expect(page).not.toContain('gen_ai_request_model="small/a"')
  })

  it("share the limit of unfinished tasks and their lane: aliases, and the ids of one wildcard", async () => {
    const queue = (model: string) =>
      request(gateway, "/v1/responses", { key: secretOf("all"), body: { model, input: "never", background: true } })
    const statuses = []
    for (const model of ["tasks/a", "tasks/b", "busy", "busy-alias"]) statuses.push((await queue(model)).status)
    expect(statuses).toEqual([200, 200, 200, 200])
    const [other, alias] = [await queue("tasks/c"), await queue("busy-alias")]
    expect([other.status, alias.status]).toEqual([429, 429])
    expect(await alias.json()).toMatchObject({
      error: { message: expect.stringContaining('the model "busy" may have 2') }
    })
    const database = new Database(join(gateway.folder, "data", "gateway.db"), { readonly: true })
    const lanes = database.query("SELECT DISTINCT lane FROM tasks ORDER BY lane").values().flat()
    database.close()
    expect(lanes).toEqual(["response:busy", "response:tasks/*"])
  })

  it("are listed where they have an entry, and found where they are served", async () => {
    const list = await (await request(gateway, "/v1/models", { key: secretOf("all") })).json()
    const ids = list.data.map(({ id }: { readonly id: string }) => id)
    expect(ids).toEqual(expect.arrayContaining(["house", "fast"]))
    expect(ids).not.toContain("team/*")
    expect((await request(gateway, "/v1/models/team%2Fqwen", { key: secretOf("all") })).status).toBe(200)
  })
})
