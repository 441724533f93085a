import { Database } from "bun:sqlite"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it, vi } from "@effect/vitest"
import { request } from "../request.ts"
import { fakeUpstream } from "../upstreams/fakes/fakeUpstream.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"

const secretOf = (name: string) => `${name}-secret-0123456789-0123456789`

describe("names of models", () => {
  const chat = fakeUpstream("openai-chat", {
    answer: ({ text }) =>
      text.includes("never")
        ? new Promise<Response>(() => {})
        : text.includes("no such model")
          ? Response.json({ error: { message: "no such model", code: "model_not_found" } }, { status: 404 })
          : undefined
  })
  let gateway: GatewayHere
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
          { name: "team", secret: secretOf("team"), models: ["team/*"] },
          { name: "inventive", secret: secretOf("inventive"), account: "inventive", models: ["team/*"] }
        ]
      })
    )
    gateway = await startGateway({ folder })
  })
  afterAll(async () => {
    await gateway.dispose()
    await chat.stop()
  })

  const ask = (model: string, name = "all", headers: Record<string, string> = {}, content = "hi") =>
    request(gateway, "/v1/chat/completions", {
      key: secretOf(name),
      headers,
      body: { model, messages: [{ role: "user", content }] }
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
    expect((await ask("other/qwen")).status).toBe(404)
  })

  it("of one wildcard share its limits", async () => {
    const statuses = []
    for (const model of ["small/a", "small/b", "small/c"]) statuses.push((await ask(model)).status)
    expect(statuses).toEqual([200, 200, 429])
  })

  it("that a caller makes up are no rows of sums without end, and every request counts", async () => {
    const [answered, unknown] = [120, 30]
    for (let n = 0; n < answered; n++) expect((await ask(`team/${n}`, "inventive")).status).toBe(200)
    for (let n = 0; n < unknown; n++) {
      expect((await ask(`team/unknown-${n}`, "inventive", {}, "no such model")).status).toBeGreaterThanOrEqual(400)
    }
    const database = new Database(join(gateway.folder, "data", "gateway.db"), { readonly: true })
    const sumsOf = (table: string) =>
      database
        .query<{ model: string; n: number }, []>(
          `SELECT model, SUM(requests) AS n FROM ${table} WHERE account_id = 'inventive' GROUP BY model`
        )
        .all()
    const counted = (table: string) => sumsOf(table).reduce((sum, { n }) => sum + n, 0)
    await vi.waitFor(() => expect(counted("request_hours")).toBe(answered + unknown), 60_000)
    await vi.waitFor(() => expect(counted("usage_days")).toBe(answered), 60_000)
    for (const [table, others] of [
      ["request_hours", answered - 100 + unknown],
      ["usage_days", answered - 100]
    ] as const) {
      const sums = sumsOf(table)
      expect([table, sums.length]).toEqual([table, 101])
      expect(sums.find(({ model }) => model === "team/*")?.n).toBe(others)
    }
    const rows = database.query("SELECT COUNT(DISTINCT model) FROM requests WHERE account_id = 'inventive'").values()
    expect(rows).toEqual([[answered + unknown]])
    database.close()
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
