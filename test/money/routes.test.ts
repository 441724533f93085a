import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { adminKey } from "../e2e/adminClient.ts"
import { startGateway } from "../e2e/process.ts"
import type { GatewayProcess } from "../e2e/process.ts"
import { request } from "../request.ts"
import { describeOnEach, gatewayEnv } from "../sql/engines.ts"
import { upstreamOf } from "./routedUpstream.ts"

const secretOf = (name: string) => `${name}-secret-0123456789-0123456789`

/** Thousands of dollars a million tokens: the dearer ones stand behind the cheaper ones, and the other way round. */
const prices: Readonly<Record<string, number>> = { a: 2, b: 5, c: 1, spare: 3 }
const names = Object.keys(prices)
const upstreams = names.map((name) => [name, upstreamOf(name)] as const)

const outcomes = ["answers", "answers", "answers", "wait", "wait", "fails", "limited", "breaks", "filtered"] as const

/** Each is used up by some of its key's requests. */
const budgets = [
  { name: "budgeted", unit: "usd", limit: 3 },
  { name: "tokens", unit: "tokens", limit: 600 },
  { name: "requests", unit: "requests", limit: 12 }
] as const

type Way = "whole" | "stream" | "several" | "responses" | "background"

const asks = fc.record({
  model: fc.constantFrom("ordered", "weighted", "hedged", "hedged", "falling", "hedged-falling"),
  way: fc.constantFrom<Array<Way>>("whole", "whole", "stream", "several", "responses", "background"),
  key: fc.constantFrom("one", "one", "other", "bound", "budgeted", "tokens", "requests"),
  at: fc.record({
    a: fc.constantFrom(...outcomes),
    b: fc.constantFrom(...outcomes),
    c: fc.constantFrom(...outcomes),
    spare: fc.constantFrom(...outcomes)
  }),
  output: fc.integer({ min: 1, max: 8 }),
  /** Ms until the client leaves. */
  leaves: fc.option(fc.integer({ min: 0, max: 300 }), { freq: 3, nil: undefined })
})
type Ask = typeof asks extends fc.Arbitrary<infer A> ? A : never

/** Hedged, by clients that stay: sent first, while no route rests. */
const asked: ReadonlyArray<Ask> = [1, 2, 3].map((output) => ({
  model: "hedged",
  way: "whole",
  key: "one",
  at: { a: "wait", b: "answers", c: "answers", spare: "answers" },
  output,
  leaves: undefined
}))

let gateway: GatewayProcess
const start = async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-routes-"))
  const price = (name: string) => ({ input: 1_000 * (prices[name] ?? 0), output: 1_000 * (prices[name] ?? 0) })
  const route = (upstream: string, weight?: number) => ({
    upstream,
    model: "m",
    price: price(upstream),
    ...(weight === undefined ? {} : { weight })
  })
  const key = (name: string, more: object = {}) => ({ name, secret: secretOf(name), account: "team", ...more })
  const fallbacks = { refused: "spare", failed: "spare" }
  writeFileSync(
    join(folder, "gateway.yaml"),
    JSON.stringify({
      upstreams: Object.fromEntries(
        upstreams.map(([name, { url }]) => [
          name,
          {
            protocol: "openai-chat",
            base_url: `${url}/v1`,
            ...(name === "b" ? { keys: ["key-of-b-0123456789-1", { key: "key-of-b-0123456789-2", weight: 2 }] } : {})
          }
        ])
      ),
      models: {
        ordered: { routes: [route("a"), route("b"), route("c")] },
        weighted: { routes: [route("a", 3), route("b", 1), route("c")] },
        hedged: { routes: [route("a"), route("b"), route("c")], hedge_seconds: 0.05 },
        falling: { routes: [route("a"), route("b")], fallbacks },
        "hedged-falling": { routes: [route("b"), route("a")], hedge_seconds: 0.05, fallbacks },
        spare: { routes: [route("spare")] }
      },
      keys: [
        key("one", { balance_usd: 200 }),
        key("other"),
        key("bound", { upstreams: ["b", "c", "spare"] }),
        ...budgets.map(({ limit, name, unit }) => key(name, { budgets: [{ [unit]: limit, per: "month" }] }))
      ]
    })
  )
  return startGateway({ folder, env: { GATEWAY_ADMIN_KEY: adminKey, ...(await gatewayEnv("routes")) } })
}

interface Told {
  readonly id: string | null
  readonly cost: string | null
  /** The upstream that wrote the answer. */
  readonly from: string | undefined
}

const send = async ({ at, key, leaves, model, output, way }: Ask): Promise<Told> => {
  const text = `${Object.entries(at)
    .map(([name, outcome]) => `${name}=${outcome}`)
    .join(" ")} output=${output}.`
  const leaving = new AbortController()
  if (leaves !== undefined) setTimeout(() => leaving.abort(), leaves)
  const chat = { model, max_tokens: 10, messages: [{ role: "user", content: text }] }
  const responses = { model, max_output_tokens: 16, input: text, store: false }
  const ways: Readonly<Record<Way, readonly [string, object]>> = {
    whole: ["/v1/chat/completions", chat],
    stream: ["/v1/chat/completions", { ...chat, stream: true }],
    several: ["/v1/chat/completions", { ...chat, n: 3 }],
    responses: ["/v1/responses", responses],
    background: ["/v1/responses", { ...responses, store: true, background: true }]
  }
  const [path, body] = ways[way]
  const signal = leaves === undefined ? undefined : leaving.signal
  const left = { id: null, cost: null, from: undefined }
  try {
    const answer = await request(gateway, path, { key: secretOf(key), body, signal })
    const from = /from (\w+)\./.exec(await answer.text())?.[1]
    if (answer.status !== 200 || way === "background") return left
    return { id: answer.headers.get("x-request-id"), cost: answer.headers.get("x-gateway-cost-usd"), from }
  } catch {
    return left
  }
}

interface Money {
  readonly nano_usd: number
}
interface Row {
  readonly request_id: string
  readonly key: string
  readonly upstream: string
  readonly outcome: string
  readonly price: { readonly rates: { readonly input: number; readonly output: number } }
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cost: Money
  readonly upstream_cost: Money
}

const read = async <A>(path: string): Promise<A> => (await request(gateway, path, { key: adminKey })).json()

const rowsOf = async (): Promise<ReadonlyArray<Row>> => {
  const rows: Array<Row> = []
  let after = ""
  for (;;) {
    const page = await read<{ data: ReadonlyArray<Row>; next: string | null }>(
      `/admin/v1/usage?by=request&account=team&since=1d&limit=1000${after}`
    )
    rows.push(...page.data)
    if (page.next === null) return rows
    after = `&after=${page.next}`
  }
}

interface Key {
  readonly id: string
  readonly name: string
  readonly budgets: ReadonlyArray<{ readonly used: number }>
}

interface Account {
  readonly granted: Money
  readonly available: Money
  readonly settled: Money
  readonly held: Money
}

describeOnEach("money over routes of different prices", ({ name }) => {
  beforeAll(async () => {
    gateway = await start()
  })
  afterAll(() => gateway.dispose())

  it("each request costs what its route asks for its usage, and the books balance", async () => {
    const all = fc.sample(asks, { numRuns: name === "sqlite" ? 250 : 200 })
    const answers = new Map<string, Told>()
    const queue = [...all, ...asked]
    const work = async () => {
      for (let one = queue.pop(); one !== undefined; one = queue.pop()) {
        const told = await send(one)
        if (told.id !== null) answers.set(told.id, told)
      }
    }
    await Promise.all(Array.from({ length: 24 }, work))
    const account = () => read<Account>("/admin/v1/accounts/team")
    // Background responses whose routes all fail are tried again and again.
    const isOver = async () => {
      const { data } = await read<{ data: ReadonlyArray<{ id: string }> }>("/admin/v1/tasks?state=running&limit=200")
      const cancel = (id: string) =>
        request(gateway, `/v1/responses/${id}/cancel`, { key: secretOf("one"), method: "POST" })
      await Promise.all(data.map(({ id }) => cancel(id)))
      return (await account()).held.nano_usd
    }
    await expect.poll(isOver, { timeout: 20_000, interval: 500 }).toBe(0)

    const rows = await rowsOf()
    expect(rows.length).toBeGreaterThan(all.length / 3)
    for (const row of rows) {
      const rate = 1_000 * (prices[row.upstream] ?? 0) * 1e9
      const used = ((row.input_tokens + row.output_tokens) * rate) / 1e6
      expect({ row, rates: [row.price.rates.input, row.price.rates.output] }).toEqual({ row, rates: [rate, rate] })
      // Of a client that left too.
      expect({ row, cost: row.cost.nano_usd }).toEqual({ row, cost: used })
      expect(row.upstream_cost.nano_usd).toBeGreaterThanOrEqual(used)
      // The answer told the same.
      const told = answers.get(row.request_id)
      if (told?.from !== undefined) expect(row.upstream).toBe(told.from)
      if (typeof told?.cost === "string") expect(Math.round(Number(told.cost) * 1e9)).toBe(row.cost.nano_usd)
    }
    expect(new Set(rows.map(({ upstream }) => upstream))).toEqual(new Set(names))
    // Hedges whose answers were not used.
    expect(rows.some(({ cost, upstream_cost }) => cost.nano_usd > 0 && upstream_cost.nano_usd > cost.nano_usd)).toBe(
      true
    )

    const { available, granted, settled } = await account()
    expect(settled.nano_usd).toBe(rows.reduce((sum, { cost }) => sum + cost.nano_usd, 0))
    expect(granted.nano_usd).toBe(available.nano_usd + settled.nano_usd)
    expect(available.nano_usd).toBeGreaterThanOrEqual(0)

    // Budgets have counted what the rows say, and never more than their limit.
    const keys = (await read<{ data: ReadonlyArray<Key> }>("/admin/v1/keys?account=team")).data
    for (const { limit, name, unit } of budgets) {
      const key = keys.find((one) => one.name === name)
      const own = rows.filter((row) => row.key === key?.id)
      const sums = {
        usd: own.reduce((sum, { cost }) => sum + cost.nano_usd, 0) / 1e9,
        tokens: own.reduce((sum, row) => sum + row.input_tokens + row.output_tokens, 0),
        requests: own.length
      }
      const used = key?.budgets[0]?.used
      expect({ name, used }).toEqual({ name, used: sums[unit] })
      expect(used).toBeGreaterThan(0)
      expect(used).toBeLessThanOrEqual(limit)
    }
  }, 60_000)

  afterAll(async () => {
    if (name !== "sqlite") await Promise.all(upstreams.map(([, one]) => one.stop()))
  })
})
