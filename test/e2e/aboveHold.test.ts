import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { laterMeasuresIn } from "../../src/contract/records/measures.ts"
import type { UsageRecord } from "../../src/ledger/UsageRecord.ts"
import type { RequestDetail, RequestView } from "../../src/requests/RequestView.ts"
import { request } from "../request.ts"
import { describeOnEach, gatewayEnv } from "../sql/engines.ts"
import { adminKey } from "./adminClient.ts"
import { runCommand } from "../commandHere.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { until } from "./videoTask.ts"

const secret = "holder-secret-0123456789-01234567"
const other = "unmetered-secret-0123456789-0123"

/** An upstream that tells 90,000 tokens of input, whatever it is sent. */
const usage = { prompt_tokens: 90_000, completion_tokens: 2, total_tokens: 90_002 }
const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: async (asked) => {
    const { stream }: { stream?: boolean } = await asked.json()
    const head = { id: "c", created: 1, model: "m" }
    const choice = { index: 0, finish_reason: "stop" }
    if (stream !== true) {
      const message = { role: "assistant", content: "Hi there" }
      return Response.json({ ...head, object: "chat.completion", choices: [{ ...choice, message }], usage })
    }
    const chunk = (fields: object) =>
      `data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", ...fields })}\n\n`
    const delta = { role: "assistant", content: "Hi there" }
    const frames = [chunk({ choices: [{ ...choice, delta }] }), chunk({ choices: [], usage }), "data: [DONE]\n\n"]
    return new Response(frames.join(""), { headers: { "content-type": "text/event-stream" } })
  }
})
afterAll(() => upstream.stop(true))

const config = {
  upstreams: { liar: { protocol: "openai-chat", base_url: `http://127.0.0.1:${upstream.port}/v1`, api_key: "k" } },
  models: { dear: { routes: [{ upstream: "liar", model: "m" }], price: { input: 2, output: 10 } } },
  keys: [
    { name: "holder", secret, account: "holder", balance_usd: 0.3 },
    { name: "unmetered", secret: other, account: "unmetered" },
    { name: "budgeted", secret: `${other}-b`, account: "unmetered", budgets: [{ usd: 0.1, per: "total" }] }
  ]
}

const asked = { model: "dear", messages: [{ role: "user", content: "What does this cost?" }] }
const chat = { ...asked, max_completion_tokens: 100 }
const message = { ...asked, max_tokens: 100 }
const response = { model: "dear", input: "What does this cost?", max_output_tokens: 100 }
const families = [
  ["/v1/chat/completions", chat],
  ["/v1/chat/completions", { ...chat, stream: true }],
  ["/v1/messages", message],
  ["/v1/messages", { ...message, stream: true }],
  ["/v1/messages", { ...message, async: true }],
  ["/v1/responses", response],
  ["/v1/responses", { ...response, background: true, store: true }]
] as const

describeOnEach("an upstream that tells more than was held", ({ name }) => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-above-"))
  let gateway: GatewayHere
  let env: Record<string, string> = {}
  beforeAll(async () => {
    writeFileSync(join(folder, "gateway.yaml"), JSON.stringify(config))
    env = { ...(await gatewayEnv(`above-${name}`)), GATEWAY_ADMIN_KEY: adminKey }
    gateway = await startGateway({ folder, env })
  })
  afterAll(() => gateway.dispose())

  // oxlint-disable-next-line typescript/no-explicit-any -- a test reads whatever was answered
  const get = async (path: string, key = adminKey): Promise<any> => (await request(gateway, path, { key })).json()
  const rows = async (account: string): Promise<ReadonlyArray<RequestView>> =>
    (await get(`/admin/v1/requests?account=${account}&limit=100`)).data
  const due = 90_000 * 2_000 + 2 * 10_000

  it("is charged what was held, which its quote said; the rest is the operator's, on every page", async () => {
    const quotes = new Map<string, number>()
    for (const [path, body] of families) {
      const quote = await request(gateway, "/v1/quote", { body: { endpoint: path, body }, key: secret })
      const most: number = (await quote.json()).maximum.cost.nano_usd
      const answer = await request(gateway, path, { body, key: secret })
      const text = await answer.text()
      expect([path, answer.status, text]).toEqual([path, 200, text])
      quotes.set(answer.headers.get("x-request-id") ?? "", most)
      const { available, held } = await get("/v1/balance", secret)
      expect(available.nano_usd).toBeGreaterThanOrEqual(0)
      expect(held.nano_usd).toBeGreaterThanOrEqual(0)
    }
    const settled = await until(
      () => rows("holder"),
      (found) => found.filter(({ cost_usd }) => cost_usd !== null).length === families.length
    )
    const above = settled.map((row) => {
      const charged = quotes.get(row.request_id) ?? 0
      const nano = [row.cost_usd, row.upstream_cost_usd, row.above_hold_usd].map((usd = 0) =>
        Math.round((usd ?? 0) * 1e9)
      )
      expect([row.endpoint, row.notes, ...nano]).toEqual([row.endpoint, ["above_hold"], charged, due, due - charged])
      return due - charged
    })
    const sum = above.reduce((added, one) => added + one, 0)
    const own = (await get("/v1/requests", secret)).data
    expect(own.every((one: RequestView) => one.notes.includes("above_hold") && one.above_hold_usd === undefined)).toBe(
      true
    )

    for (const by of ["day", "model", "upstream", "key,model", "tag", "end_user", "request"]) {
      const report: UsageRecord = await get(`/admin/v1/usage?account=holder&by=${by}`)
      const all = report.data.map(({ above_hold }) => above_hold?.nano_usd ?? 0)
      expect([by, report.totals.above_hold?.nano_usd]).toEqual([by, sum])
      expect([by, all.reduce((added, one) => added + one, 0)]).toEqual([by, sum])
    }
    const csv = await (await request(gateway, "/admin/v1/usage?by=model&format=csv", { key: adminKey })).text()
    const last = ["usd", "upstream_usd", "above_hold_usd", ...laterMeasuresIn("usage_days")]
    expect(csv.split("\r\n")[0]?.split(",").slice(-last.length)).toEqual(last)
    const overview = await get("/admin/v1/overview?from=1h")
    expect(Math.round(overview.total.above_hold_usd * 1e9)).toBe(sum)
    const groups = await get("/admin/v1/overview/groups?from=24h&by=model")
    expect(Math.round(groups.total.above_hold_usd * 1e9)).toBe(sum)
    const exported = await (
      await request(gateway, "/admin/v1/requests/export?account=holder", { key: adminKey })
    ).text()
    expect(exported.split("\r\n")[0]).toMatch(/,above_hold_usd,cache_write_1h_tokens,/)
    expect(await (await request(gateway, "/v1/usage?by=model&format=csv", { key: secret })).text()).not.toContain(
      "above"
    )

    const [first] = settled
    // Its parts are the whole cost, of which the hold is charged.
    for (const { cost_usd, request_id } of settled) {
      const { cost }: RequestDetail = await get(`/admin/v1/requests/${request_id}`)
      expect([cost?.sum.nano_usd, cost?.charged.nano_usd]).toEqual([due, Math.round((cost_usd ?? 0) * 1e9)])
      expect(cost?.lines.map(({ count, of }) => [of, count])).toEqual([
        ["input_tokens", 90_000],
        ["output_tokens", 2]
      ])
    }
    const { out } = await runCommand(folder, ["requests", "show", first?.request_id ?? "", "--url", gateway.url], env)
    expect(out).toMatch(/above its hold +\$0\.1/)
    expect(out).toMatch(/sum +0\.18002\n/)
    expect(out).toMatch(/charged, at most the hold +0\.0/)
    const attention = await get("/admin/v1/attention")
    expect(attention.data).toMatchObject([
      {
        what: "upstream",
        id: "liar",
        message: expect.stringMatching(/^dear at liar cost \$1\.\d+ more than was held since /)
      }
    ])
    expect(gateway.output()).toContain('"event":"charge.above_hold"')
    const metrics = await (await request(gateway, "/metrics", { key: adminKey })).text()
    expect(metrics).toContain(`gateway_charges_capped_total{model="dear"} ${families.length}`)
  }, 90_000)

  it("is paid in full where nothing is held, and never by a budget beyond its end", async () => {
    const unmetered = await request(gateway, "/v1/messages", { body: message, key: other })
    expect(unmetered.headers.get("x-gateway-cost-usd")).toBe("0.18002")
    let refused = 0
    for (let n = 0; n < 100 && refused === 0; n++) {
      const answer = await request(gateway, "/v1/messages", {
        body: { ...message, max_tokens: 1_000 },
        key: `${other}-b`
      })
      await answer.text()
      refused += answer.status === 200 ? 0 : 1
    }
    expect(refused).toBe(1)
    const { data } = await get("/admin/v1/keys?account=unmetered")
    const { budgets } = data.find((key: { name: string }) => key.name === "budgeted")
    expect(budgets[0].used).toBeGreaterThan(0.08)
    expect(budgets[0].used).toBeLessThanOrEqual(0.1)
  }, 60_000)
})
