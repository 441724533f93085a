import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import type { UsageRecord } from "../../src/ledger/UsageRecord.ts"
import type { RequestDetail, RequestView } from "../../src/requests/RequestView.ts"
import { runCommand } from "../commandHere.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { request } from "../request.ts"
import { describeOnEach, gatewayEnv } from "../sql/engines.ts"
import { adminKey } from "./adminClient.ts"
import { until } from "./videoTask.ts"

const secret = "explained-secret-0123456789-01234"

/** Answers as the model's name says. */
const answers: Readonly<Record<string, object>> = {
  flex: { service_tier: "flex", usage: { input_tokens: 1_000, output_tokens: 100 } },
  scale: { service_tier: "scale", usage: { input_tokens: 1_000, output_tokens: 100 } },
  tools: {
    service_tier: "priority",
    usage: {
      input_tokens: 1_000,
      input_tokens_details: { cached_tokens: 200, cache_write_tokens: 0 },
      output_tokens: 100,
      output_tokens_details: { reasoning_tokens: 40 }
    },
    tool_usage: { web_search: { num_requests: 2 } },
    output: [
      { type: "code_interpreter_call", id: "ci_1", status: "completed", container_id: "c", code: "", outputs: [] }
    ]
  },
  sound: {
    usage: {
      prompt_tokens: 500,
      completion_tokens: 300,
      total_tokens: 800,
      prompt_tokens_details: { audio_tokens: 400 },
      completion_tokens_details: { audio_tokens: 250 }
    }
  }
}

const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: async (asked) => {
    const { model }: { model: string } = await asked.json()
    const answer = { ...answers[model] }
    if (model === "sound") {
      const message = { role: "assistant", content: "Hi there" }
      const choices = [{ index: 0, finish_reason: "stop", message }]
      return Response.json({ id: "c", object: "chat.completion", created: 1, model, choices, ...answer })
    }
    const text = { type: "output_text", text: "Hi there", annotations: [] }
    const message = { type: "message", id: "m", role: "assistant", status: "completed", content: [text] }
    const output = [...("output" in answer && Array.isArray(answer.output) ? answer.output : []), message]
    return Response.json({
      id: "r",
      object: "response",
      created_at: 1,
      status: "completed",
      model,
      error: null,
      tools: [],
      ...answer,
      output
    })
  }
})
afterAll(() => upstream.stop(true))

const address = { base_url: `http://127.0.0.1:${upstream.port}/v1`, api_key: "k" }
const price = { input: 1, cached_input: 0.5, output: 10, per_search: 0.01, per_call: { code_interpreter: 0.03 } }
const tiers = { service_tier: { priority: 2, flex: 0.5 } }
const config = {
  upstreams: {
    open: { protocol: "openai-responses", ...address },
    talk: { protocol: "openai-chat", ...address }
  },
  models: {
    flex: { routes: [{ upstream: "open" }], price: { ...price, ...tiers, factor: 1.1 } },
    scale: { routes: [{ upstream: "open" }], price: { ...price, ...tiers } },
    tools: { routes: [{ upstream: "open" }], price: { ...price, ...tiers } },
    sound: { routes: [{ upstream: "talk" }], price: { ...price, audio: { input: 32, output: 64 } } }
  },
  keys: [{ name: "holder", secret, account: "holder" }]
}

const asked = { input: "What does this cost?", max_output_tokens: 1_000, store: false }
const tools = [{ type: "web_search" }, { type: "code_interpreter", container: { type: "auto" } }]
const requests = {
  flex: ["/v1/responses", { ...asked, model: "flex" }],
  scale: ["/v1/responses", { ...asked, model: "scale" }],
  tools: ["/v1/responses", { ...asked, model: "tools", tools }],
  sound: ["/v1/chat/completions", { model: "sound", messages: [{ role: "user", content: "Sing." }] }]
} as const

/** The cost by hand, in nano-dollars. */
const costs = {
  flex: 1_000 * 550 + 100 * 5_500,
  // The dearest known is priority.
  scale: 1_000 * 2_000 + 100 * 20_000,
  tools: 800 * 2_000 + 200 * 1_000 + 100 * 20_000 + 2 * 10_000_000 + 30_000_000,
  sound: 100 * 1_000 + 400 * 32_000 + 50 * 10_000 + 250 * 64_000
} as const
type Name = keyof typeof requests

describeOnEach("a row explains itself", ({ name }) => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-explains-"))
  let gateway: GatewayHere
  let env: Record<string, string> = {}
  const ids = new Map<Name, string>()
  // oxlint-disable-next-line typescript/no-explicit-any -- a test reads whatever was answered
  const get = async (path: string, key = adminKey): Promise<any> => (await request(gateway, path, { key })).json()
  const text = async (path: string, key = adminKey) => (await request(gateway, path, { key })).text()
  const detail = (of: Name): Promise<RequestDetail> => get(`/admin/v1/requests/${ids.get(of)}`)

  beforeAll(async () => {
    writeFileSync(join(folder, "gateway.yaml"), JSON.stringify(config))
    env = { ...(await gatewayEnv(`explains-${name}`)), GATEWAY_ADMIN_KEY: adminKey }
    gateway = await startGateway({ folder, env })
    for (const of of ["flex", "scale", "tools", "sound"] as const) {
      const [path, body] = requests[of]
      const answer = await request(gateway, path, { body, key: secret })
      expect([of, answer.status, await answer.text()]).toMatchObject([of, 200, expect.anything()])
      ids.set(of, answer.headers.get("x-request-id") ?? "")
    }
    await until(
      () => get("/admin/v1/requests?limit=10"),
      ({ data }) => data.length === 4
    )
  }, 60_000)
  afterAll(() => gateway.dispose())

  it("by its tier, its kinds of tokens, its calls and what of it has no price", async () => {
    const rows: ReadonlyArray<RequestView> = (await get("/v1/requests", secret)).data
    const row = (of: Name) => rows.find(({ request_id }) => request_id === ids.get(of))
    expect(row("flex")).toMatchObject({
      service_tier: "flex",
      speed: null,
      calls: {},
      price_gap: null,
      audio_input_tokens: 0
    })
    expect(row("scale")).toMatchObject({ service_tier: "scale", price_gap: "service_tier=scale" })
    expect(row("tools")).toMatchObject({
      service_tier: "priority",
      calls: { web_search: 2, code_interpreter: 1 },
      price_gap: null
    })
    expect(row("sound")).toMatchObject({ service_tier: null, audio_input_tokens: 400, audio_output_tokens: 250 })
    const usage: UsageRecord = await get("/v1/usage?by=request", secret)
    const entry = (of: Name) => usage.data.find((one) => "request_id" in one && one.request_id === ids.get(of))
    for (const of of ids.keys()) {
      const { calls, inference_geo, price_gap, service_tier, speed } = row(of) ?? {}
      expect(entry(of)).toMatchObject({
        calls,
        inference_geo,
        price_gap,
        service_tier,
        speed,
        cost: { nano_usd: costs[of] }
      })
    }
    const line = gateway
      .output()
      .split("\n")
      .find((one) => one.includes(ids.get("tools") ?? "") && one.includes('"event":"request"'))
    expect(JSON.parse(line ?? "{}")).toMatchObject({
      service_tier: "priority",
      calls: { web_search: 2, code_interpreter: 1 }
    })
  })

  it("by the parts of its cost, whose sum is the charge", async () => {
    for (const of of ids.keys()) {
      const { cost, cost_usd } = await detail(of)
      expect([of, cost?.sum.nano_usd, cost?.charged.nano_usd]).toEqual([of, costs[of], costs[of]])
      expect(Math.round((cost_usd ?? 0) * 1e9)).toBe(costs[of])
    }
    const { cost } = await detail("tools")
    expect(cost).toMatchObject({
      lines: [
        { of: "input_tokens", count: 800, price_usd: 2, per: 1_000_000, usd: "0.0016" },
        { of: "cache_read_tokens", count: 200, price_usd: 1, usd: "0.0002" },
        { of: "output_tokens", count: 60, price_usd: 20, usd: "0.0012" },
        { of: "reasoning_tokens", count: 40, price_usd: 20, usd: "0.0008" },
        { of: "web_search", count: 2, price_usd: 0.01, per: 1, usd: "0.02" },
        { of: "code_interpreter", count: 1, price_usd: 0.03, per: 1, usd: "0.03" }
      ],
      factors: [{ of: "service_tier", value: "priority", factor: 2 }]
    })
    expect((await detail("flex")).cost?.factors).toEqual([
      { of: "service_tier", value: "flex", factor: 0.5 },
      { of: "factor", value: null, factor: 1.1 }
    ])
    // The dearest known price, and its name.
    expect((await detail("scale")).cost?.factors).toEqual([{ of: "service_tier", value: "priority", factor: 2 }])
    const own: RequestDetail = await get(`/v1/requests/${ids.get("tools")}`, secret)
    expect([own.cost, own.upstream_cost_usd]).toEqual([cost, undefined])
  })

  it("in the command line, in 80 columns", async () => {
    const { out } = await runCommand(folder, ["requests", "show", ids.get("tools") ?? "", "--url", gateway.url], env)
    expect(out).toMatch(/service tier +priority/)
    expect(out).toMatch(/calls +2 web_search, 1 code_interpreter/)
    expect(out).toMatch(/input_tokens +800 +2\.00 per million +0\.0016/)
    expect(out).toMatch(/code_interpreter +1 +0\.03 each +0\.03/)
    expect(out).toMatch(/sum +0\.0538/)
    expect(out).toContain("prices by service_tier priority × 2")
  })

  it("in columns at the end of each CSV", async () => {
    const [head = "", ...lines] = (await text("/v1/requests/export", secret)).split("\r\n")
    expect(head).toMatch(
      /,above_hold_usd,cache_write_1h_tokens,.*,service_tier,speed,inference_geo,calls,price_gap,key_secret$/
    )
    expect(lines.find((one) => one.includes(ids.get("tools") ?? ""))).toMatch(
      /,priority,,,"\{""web_search"":2,""code_interpreter"":1\}",,$/
    )
    expect(lines.find((one) => one.includes(ids.get("scale") ?? ""))).toMatch(/,scale,,,,service_tier=scale,$/)
    const usage = await text("/v1/usage?by=request&format=csv", secret)
    expect(usage.split("\r\n")[0]).toMatch(/,audio_input_tokens,.*,service_tier,speed,inference_geo,calls,price_gap$/)
    expect(usage).toContain(",scale,,,,service_tier=scale")
  })

  it("in sums by tier, which agree with the totals", async () => {
    const usage: UsageRecord = await get("/v1/usage?by=service_tier", secret)
    const found = Object.fromEntries(usage.data.map((one) => ["group" in one ? one.group : "", one.cost.nano_usd]))
    expect(found).toEqual({ flex: costs.flex, scale: costs.scale, priority: costs.tools, "": costs.sound })
    const sum = Object.values(costs).reduce((all, one) => all + one, 0)
    expect([usage.totals.cost.nano_usd, usage.totals.requests]).toEqual([sum, 4])
    const pairs: UsageRecord = await get("/admin/v1/usage?by=service_tier,model")
    expect(pairs.data).toHaveLength(4)
    const groups = await get("/v1/overview/groups?by=service_tier&from=1h", secret)
    const shown = groups.data.map((one: { group: string; requests: number; cost_usd: number }) => [
      one.group,
      one.requests,
      Math.round(one.cost_usd * 1e9)
    ])
    expect(Object.fromEntries(shown.map(([group, , cost]: [string, number, number]) => [group, cost]))).toEqual(found)
    expect(shown.every(([, requests]: [string, number]) => requests === 1)).toBe(true)
    const overview = await get("/admin/v1/overview?from=1h&by=service_tier")
    expect(overview.groups.map((one: { name: string }) => one.name).toSorted()).toEqual(["flex", "priority", "scale"])
    const listed = await get("/v1/requests?service_tier=prio*", secret)
    expect(listed.data.map((one: RequestView) => one.request_id)).toEqual([ids.get("tools")])
    const gaps = await get("/v1/requests?price_gap=*", secret)
    expect(gaps.data.map((one: RequestView) => one.request_id)).toEqual([ids.get("scale")])
  })

  const isGap = ({ message }: { readonly message: string }) => message.includes("has no price")

  it("to the operator: a warning, a metric and an item of attention", async () => {
    expect(gateway.output()).toContain('"event":"price.gap"')
    expect(await text("/metrics")).toContain('gateway_price_gaps_total{model="scale",dimension="service_tier"} 1')
    const { data } = await until(
      () => get("/admin/v1/attention"),
      (found) => found.data.some(isGap)
    )
    expect(data.filter(isGap)).toMatchObject([
      {
        what: "upstream",
        id: "open",
        message: "scale at open: service_tier=scale has no price, and is charged at the dearest known price"
      }
    ])
  })
})
