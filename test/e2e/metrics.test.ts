import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { fakeUpstream } from "../upstreams/fakes/fakeUpstream.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { request } from "../request.ts"

const chat = fakeUpstream("openai-chat")
const broken = fakeUpstream("openai-chat", { answer: () => new Response("down", { status: 503 }) })
const receiver = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() })

let gateway: GatewayHere
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-metrics-"))
  writeFileSync(
    join(folder, "gateway.yaml"),
    `server: { metrics: true }
upstreams:
  chat: { protocol: openai-chat, base_url: "${chat.url}/v1", max_concurrency: 3 }
  broken: { protocol: openai-chat, base_url: "${broken.url}/v1" }
models:
  fallback: { routes: [{ upstream: broken }, { upstream: chat }] }
  alone: { routes: [{ upstream: broken }] }
  priced: { routes: [{ upstream: chat }], price: { input: 1000, output: 2000 } }
callbacks: { allow: [127.0.0.0/8] }
`
  )
  gateway = await startGateway({ folder })
})
afterAll(async () => {
  await gateway.dispose()
  await Promise.all([chat, broken, receiver].map((server) => server.stop(true)))
})

const ask = (path: string, body: object, signal?: AbortSignal) => request(gateway, path, { body, signal })
const say = (content: string, more: object = {}) => ({
  model: "sandbox-text",
  max_tokens: 100,
  messages: [{ role: "user", content }],
  ...more
})
/** Labels of generations by the sandbox's model. */
const sandbox = 'gen_ai_operation_name="chat",gen_ai_request_model="sandbox-text",gen_ai_provider_name="sandbox"'
const text = async () => (await fetch(`${gateway.url}/metrics`)).text()
/** Samples by name and labels. */
const samples = async (): Promise<Readonly<Record<string, number>>> =>
  Object.fromEntries(
    (await text())
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"))
      .map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ") + 1))])
  )
const until = async (isSo: (now: Readonly<Record<string, number>>) => boolean) => {
  for (const deadline = Date.now() + 60_000; ; await Bun.sleep(20)) {
    const now = await samples()
    if (isSo(now)) return now
    if (Date.now() > deadline) throw new Error(`not yet:\n${JSON.stringify(now, null, 1)}`)
  }
}

describe("GET /metrics", () => {
  it("is not there unless it is asked for", async () => {
    const other = await startGateway()
    expect((await fetch(`${other.url}/metrics`)).status).toBe(404)
    await other.dispose()
  })

  it("opens to the admin key and to no other, where it is not public", async () => {
    const adminKey = "an-operators-own-key-0123456789"
    const other = await startGateway({ env: { GATEWAY_ADMIN_KEY: adminKey } })
    const asked = (key?: string) =>
      fetch(`${other.url}/metrics`, key === undefined ? {} : { headers: { authorization: `Bearer ${key}` } })
    const opened = await asked(adminKey)
    expect([opened.status, opened.headers.get("content-type")]).toEqual([
      200,
      "text/plain; version=0.0.4; charset=utf-8"
    ])
    expect(await opened.text()).toContain("gen_ai_server_request_duration_seconds")
    expect((await asked()).status).toBe(401)
    const refused = await asked(other.key)
    expect(refused.status).toBe(401)
    expect(await refused.json()).toMatchObject({ error: { code: "auth_invalid" } })
    for (let n = 0; n < 12; n++) expect((await asked("wrong")).status).toBe(401)
    expect((await asked(adminKey)).status).toBe(200)
    await other.dispose()
  })

  it("is text that Prometheus reads: every sample behind its own help and type, once", async () => {
    await (await ask("/v1/messages", say("hello"))).json()
    const reply = await fetch(`${gateway.url}/metrics`)
    expect(reply.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8")
    const declared = new Set<string>()
    let current = ""
    for (const line of (await reply.text()).trimEnd().split("\n")) {
      const help = /^# HELP (\w+) \S/.exec(line)
      const type = /^# TYPE (\w+) (counter|gauge|histogram)$/.exec(line)
      if (help !== null) {
        current = help[1] ?? ""
        expect(declared.has(current)).toBe(false)
        declared.add(current)
      } else if (type !== null) expect(type[1]).toBe(current)
      else {
        expect(line).toMatch(/^\w+(\{(\w+="([^"\\\n]|\\.)*",?)+\})? -?[\d.e+-]+$/)
        expect(line.startsWith(current)).toBe(true)
      }
    }
    expect(declared.size).toBeGreaterThan(20)
  })

  it("counts requests, generations, tokens and what was left out", async () => {
    const before = await samples()
    const usage = ((await (await ask("/v1/messages", say("tokens"))).json()) as { usage: Record<string, number> }).usage
    await (await ask("/v1/messages", say("[[sandbox: error=400]]"))).text()
    await (await ask("/v1/messages", say("x", { model: "made-up-by-a-caller" }))).text()
    await (await ask("/v1/made-up-by-a-caller", {})).text()
    await (await ask("/v1/messages", say("top", { model: "fallback", top_k: 3 }))).text()
    const now = await samples()
    const risen = (name: string) => (now[name] ?? 0) - (before[name] ?? 0)
    expect(risen('gateway_requests_total{route="POST /v1/messages",status="200"}')).toBe(2)
    expect(risen('gateway_requests_total{route="POST /v1/messages",status="400"}')).toBe(2)
    expect(risen('gateway_requests_total{route="other",status="404"}')).toBe(1)
    expect(risen('gateway_request_seconds_count{route="POST /v1/messages"}')).toBe(4)
    const [durations, tokens] = ["gen_ai_server_request_duration_seconds", "gen_ai_client_token_usage"]
    expect(risen(`${durations}_count{${sandbox}}`)).toBe(1)
    expect(risen(`${durations}_count{${sandbox},error_type="invalid_request"}`)).toBe(1)
    expect(risen(`${tokens}_sum{${sandbox},gen_ai_token_type="input"}`)).toBe(usage["input_tokens"])
    expect(risen(`${tokens}_sum{${sandbox},gen_ai_token_type="output"}`)).toBe(usage["output_tokens"])
    expect(risen('gateway_cost_usd_total{account="default"}')).toBe(0)
    expect(risen('gateway_adapted_total{parameter="top_k"}')).toBe(1)
  })

  it("adds up what was charged, by account and by model", async () => {
    const before = await samples()
    const cost = (await ask("/v1/messages", say("money", { model: "priced" }))).headers.get("x-gateway-cost-usd")
    expect(Number(cost)).toBeGreaterThan(0)
    const now = await samples()
    const risen = (name: string) => (now[name] ?? 0) - (before[name] ?? 0)
    expect(risen('gateway_cost_usd_total{account="default"}')).toBeCloseTo(Number(cost), 9)
    expect(risen('gateway_model_cost_usd_total{model="priced",upstream="chat"}')).toBeCloseTo(Number(cost), 9)
  })

  it("shows streams while they are open, and hang-ups", async () => {
    const leave = new AbortController()
    const body = say("[[sandbox: stall=3]] wait", { stream: true })
    const reply = await ask("/v1/messages", body, leave.signal)
    expect(reply.status).toBe(200)
    await until((now) => now["gateway_streams_open"] === 1)
    const hangUps = `gen_ai_server_request_duration_seconds_count{${sandbox},error_type="hang_up"}`
    const before = (await samples())[hangUps] ?? 0
    leave.abort()
    await until((now) => now["gateway_streams_open"] === 0 && now[hangUps] === before + 1)
    const firstTokens = `gen_ai_server_time_to_first_token_seconds_count{${sandbox}}`
    const told = (await samples())[firstTokens] ?? 0
    await (await ask("/v1/messages", say("a stream", { stream: true }))).text()
    expect((await samples())[firstTokens]).toBe(told + 1)
  })

  it("shows an upstream that fails: its errors, the calls made once more, its circuit", async () => {
    // Left for the next route at once; with none left it is asked again in place, until its circuit opens.
    for (let i = 0; i < 5; i++) expect((await ask("/v1/messages", say("x", { model: "fallback" }))).status).toBe(200)
    for (let i = 0; i < 4; i++) expect((await ask("/v1/messages", say("x", { model: "alone" }))).status).toBe(500)
    const now = await samples()
    expect(now['gateway_upstream_attempts_total{upstream="broken",status="503"}']).toBeGreaterThanOrEqual(10)
    expect(now['gateway_upstream_retries_total{upstream="broken",how="again"}']).toBeGreaterThanOrEqual(6)
    expect(now['gateway_upstream_retries_total{upstream="chat",how="elsewhere"}']).toBeGreaterThanOrEqual(1)
    expect(now['gateway_upstream_attempts_total{upstream="chat",status="200"}']).toBeGreaterThanOrEqual(1)
    expect(now['gateway_upstream_attempt_duration_seconds_count{upstream="chat"}']).toBeGreaterThanOrEqual(1)
    expect(now['gateway_upstream_circuit{upstream="broken"}']).toBe(2)
    expect(now['gateway_upstream_circuit{upstream="chat"}']).toBe(0)
    expect(now['gateway_upstream_running{upstream="chat"}']).toBe(0)
    expect(now['gateway_upstream_running{upstream="broken"}']).toBeUndefined()
  })

  it("counts tasks by state, their callbacks and the commits behind them", async () => {
    const created = await ask("/api/v3/contents/generations/tasks", {
      model: "sandbox-video",
      content: [{ type: "text", text: "[[sandbox: queue=50ms fail=Broken]] a cat" }],
      callback_url: `http://127.0.0.1:${receiver.port}/hook`
    })
    expect(created.status).toBe(200)
    const now = await until(
      (now) => now['gateway_deliveries_total{state="delivered"}'] === 3 && now["gateway_deliveries_pending"] === 0
    )
    for (const state of ["queued", "running", "failed"]) {
      expect(now[`gateway_tasks_total{kind="video",state="${state}"}`]).toBe(1)
    }
    expect(now['gateway_tasks_active{kind="video",state="running"}']).toBeUndefined()
    expect(now["gateway_oldest_expired_lease_seconds"]).toBe(0)
    expect(now['gateway_commits_total{outcome="committed"}']).toBeGreaterThan(3)
    expect(now["gateway_commit_writes_count"]).toBe(now['gateway_commits_total{outcome="committed"}'])
    await until((now) => (now["gateway_event_loop_lag_seconds_count"] ?? 0) > 0)
  })

  it("shows how many tasks wait, and how long the oldest has", async () => {
    const before = (await samples())['gateway_tasks_active{kind="video",state="queued"}'] ?? 0
    const body = { model: "sandbox-video", content: [{ type: "text", text: "[[sandbox: queue=60s]] a cat" }] }
    const { id } = (await (await ask("/api/v3/contents/generations/tasks", body)).json()) as { id: string }
    const age = 'gateway_tasks_oldest_age_seconds{kind="video",state="queued"}'
    const now = await until((now) => (now[age] ?? 0) > 0)
    expect(now['gateway_tasks_active{kind="video",state="queued"}']).toBe(before + 1)
    await until((later) => (later[age] ?? 0) > (now[age] ?? 0))
    await request(gateway, `/api/v3/contents/generations/tasks/${id}`, { method: "DELETE" })
    await until((later) => later['gateway_tasks_active{kind="video",state="queued"}'] === undefined)
  })

  it("holds no key, no prompt and nothing that a caller made up", async () => {
    await (await ask("/v1/messages", say("a planted prompt", { planted_parameter: 1 }))).text()
    const page = await text()
    expect(page).not.toContain(gateway.key)
    expect(page).not.toMatch(/planted|made-up-by-a-caller|127\.0\.0\.1/)
  })
})
