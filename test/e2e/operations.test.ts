import { FetchHttpClient, HttpApiClient, HttpClient, HttpClientRequest } from "@effect/platform"
import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { afterAll, beforeAll, expect, it } from "vitest"
import { AdminApi } from "../../src/admin/Api.ts"
import { narrowFamilies, usualRequest } from "../families.ts"
import { describeOnEach, gatewayEnv } from "../sql/engines.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"

const adminKey = "admin-key-0123456789abcdefghijklmnop"

const config = `callbacks: { allow: [127.0.0.0/8] }
upstreams:
  away: { protocol: openai-chat, base_url: "http://127.0.0.1:1/v1", api_key: secret-of-away }
  there: { protocol: anthropic-messages, base_url: "http://127.0.0.1:1/v1", api_key: secret-of-there }
models:
  listed: { routes: [{ upstream: there, model: claude-sonnet-4-5-20250929 }] }
  unheard: { routes: [{ upstream: away, model: nobody-knows-this }] }
  lost: { routes: [{ upstream: away, model: far }], price: { input: 1.5, output: 3 } }
`

describeOnEach("what those who run a gateway see of it", () => {
  let gateway: GatewayHere
  let isRefusing = true
  const arrived: Array<string> = []
  const receiver = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request) => {
      arrived.push(request.headers.get("webhook-id") ?? "")
      return new Response(null, { status: isRefusing ? 410 : 204 })
    }
  })

  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), "gateway-operations-"))
    writeFileSync(join(folder, "gateway.yaml"), config)
    gateway = await startGateway({ folder, env: { GATEWAY_ADMIN_KEY: adminKey, ...(await gatewayEnv("operations")) } })
  })
  afterAll(async () => {
    await gateway.dispose()
    await receiver.stop(true)
  })

  const client = Effect.suspend(() =>
    HttpApiClient.make(AdminApi, {
      baseUrl: gateway.url,
      transformClient: HttpClient.mapRequest(HttpClientRequest.bearerToken(adminKey))
    })
  ).pipe(Effect.provide(FetchHttpClient.layer))
  const run = <A, E>(effect: Effect.Effect<A, E>) => Effect.runPromise(effect)
  const operations = Effect.map(client, ({ adminOperations }) => adminOperations)

  const post = (path: string, body: unknown) =>
    fetch(gateway.url + path, {
      method: "POST",
      headers: { authorization: `Bearer ${gateway.key}` },
      body: JSON.stringify(body)
    })

  it("lists upstreams: what they answered, what went wrong, and no secret", async () => {
    const say = (model: string) => post("/v1/messages", { model, max_tokens: 9, messages: "Hi" })
    expect((await say("sandbox-text")).status).toBe(200)
    expect((await say("lost")).status).toBeGreaterThanOrEqual(500)
    const { data } = await run(Effect.flatMap(operations, (api) => api.upstreams({})))
    expect(JSON.stringify(data)).not.toContain("secret-of-away")
    const [sandbox, away] = ["sandbox", "away"].map((name) => data.find((one) => one.name === name))
    expect(sandbox).toMatchObject({ kind: "text", protocol: null, answers: 1, failures: 0, circuit: "closed" })
    expect(sandbox?.latency_ms?.p50).toBeGreaterThanOrEqual(0)
    expect(sandbox?.last_answer_at).toMatch(/^\d{4}-/)
    expect(away).toMatchObject({
      protocol: "openai-chat",
      base_url: "http://127.0.0.1:1/v1",
      models: ["unheard", "lost"],
      answers: 0,
      latency_ms: null,
      last_failure: { status: null }
    })
    expect(away?.failures).toBeGreaterThan(0)
  })

  it("lists models with their routes and prices", async () => {
    const { data } = await run(Effect.flatMap(operations, (api) => api.models({ urlParams: {} })))
    const price = { input: 1.5, cached_input: 1.5, output: 3, per_search: 0, per_second: 0 }
    expect(data.find(({ id }) => id === "lost")).toEqual({
      object: "model",
      id: "lost",
      kind: "text",
      routes: [{ upstream: "away", model: "far", price }],
      context_tokens: null,
      facts: {},
      max_output_tokens: null,
      price,
      price_source: { from: "gateway.yaml", name: "lost", as_of: null },
      capabilities: {
        takes: ["images", "pdf_text", "tools"],
        passes_through: ["chat", "completions"],
        resolutions: null
      },
      use: null
    })
    const told = (id: string) => {
      const found = data.find((one) => one.id === id)
      return found === undefined ? undefined : { price_source: found.price_source, ...found.capabilities }
    }
    const sandbox = (name: string) => ({ from: "sandbox", name, as_of: null })
    expect(told("sandbox-text")).toMatchObject({
      price_source: sandbox("sandbox-text"),
      takes: ["images", "pdf", "tools", "web_search"],
      passes_through: []
    })
    for (const family of narrowFamilies) {
      expect(told(usualRequest(family).body.model)).toMatchObject({
        takes: [],
        passes_through: expect.arrayContaining([family])
      })
    }
    expect(told("sandbox-video")).toMatchObject({
      price_source: sandbox("sandbox-video"),
      takes: ["images", "video", "audio"],
      resolutions: ["480p", "720p", "1080p"]
    })
    expect(told("listed")).toMatchObject({
      price_source: {
        from: "built-in list",
        name: "claude-sonnet-4-5-20250929",
        as_of: expect.stringMatching(/^\d{4}-\d\d-\d\d$/)
      },
      takes: ["images", "pdf", "tools", "web_search"],
      passes_through: ["messages"]
    })
    expect(told("unheard")).toMatchObject({ price_source: { from: "nowhere", name: null, as_of: null } })
  })

  it("lists the use of models", async () => {
    const { data } = await run(Effect.flatMap(operations, (api) => api.models({ urlParams: { since: "24h" } })))
    const [used, unused] = ["sandbox-text", "listed"].map((id) => data.find((one) => one.id === id)?.use)
    expect(used).toMatchObject({ requests: 1, errors: 0, cost_usd: 0, cache_hit_rate: 0, sampled: false })
    expect(used?.duration_ms?.p95).toBeGreaterThanOrEqual(0)
    expect(unused).toMatchObject({ requests: 0, cache_hit_rate: null, duration_ms: null })
    const wrong = await run(
      Effect.flip(Effect.flatMap(operations, (api) => api.models({ urlParams: { since: "32d" } })))
    )
    expect(wrong).toMatchObject({ message: "since: expected a time of the last 31 days; got 32d" })
  })

  it("lists callbacks, and sends one once more", async () => {
    const made = await post("/api/v3/contents/generations/tasks", {
      model: "sandbox-video",
      content: [{ type: "text", text: "[[sandbox: queue=50ms fail=Broken]] a cat" }],
      callback_url: `http://127.0.0.1:${receiver.port}/hook`
    })
    const { id: task } = (await made.json()) as { id: string }
    const list = (urlParams: { state?: "failed" | "delivered"; limit?: number; after?: string }) =>
      run(Effect.flatMap(operations, (api) => api.listDeliveries({ urlParams: { task, ...urlParams } })))
    // One that a later change overtakes is not told.
    const newest = async () => (await list({ limit: 1 })).data[0]
    await expect.poll(newest).toMatchObject({ status: "failed", state: "failed" })
    const first = await list({ limit: 2 })
    const second = await list({ limit: 2, after: first.next ?? "" })
    const all = [...first.data, ...second.data]
    expect(all.map(({ status }) => status)).toEqual(["failed", "running", "queued"])
    const [last, , queued] = all
    // The 410 to the first change ends the later ones.
    expect(queued).toMatchObject({ account: "default", task, state: "failed", attempts: [{ status: 410 }] })
    expect(last).toMatchObject({ account: "default", task, state: "failed", attempts: [] })
    const before = arrived.length
    isRefusing = false
    const path = { id: last?.id ?? "" }
    expect((await run(Effect.flatMap(operations, (api) => api.redeliver({ path })))).state).not.toBe("failed")
    await expect.poll(async () => (await list({ state: "delivered" })).data.length, { timeout: 20_000 }).toBe(1)
    expect(arrived.slice(before)).toEqual([last?.id])
    const audit = await run(
      Effect.flatMap(operations, (api) =>
        api.audit({ urlParams: { action: "delivery.redeliver", account: "default" } })
      )
    )
    expect(audit.data.map(({ target }) => target)).toEqual([last?.id])
    const ofOthers = await run(
      Effect.flatMap(operations, (api) => api.audit({ urlParams: { action: "delivery", account: "another" } }))
    )
    expect(ofOthers.data).toEqual([])
    const none = await run(
      Effect.flip(Effect.flatMap(operations, (api) => api.redeliver({ path: { id: "msg_none" } })))
    )
    expect(none).toMatchObject({ _tag: "NotFound" })
  })
})
