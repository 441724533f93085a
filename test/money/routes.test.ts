import { afterAll, beforeAll, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { adminKey } from "../e2e/adminClient.ts"
import { request } from "../request.ts"
import { caseCount } from "../caseCount.ts"
import { describeOnEach, gatewayEnv } from "../sql/engines.ts"
import { budgets, names, prices, search, secretOf, startRouted } from "./routedGateways.ts"
import { liedTokens } from "./routedUpstream.ts"

const outcomes = [
  "answers",
  "answers",
  "answers",
  "wait",
  "wait",
  "fails",
  "limited",
  "breaks",
  "filtered",
  "lies"
] as const

type Way = "whole" | "stream" | "several" | "responses" | "background"

const asks = fc.record({
  model: fc.constantFrom("ordered", "weighted", "hedged", "hedged", "falling", "hedged-falling"),
  way: fc.constantFrom<Array<Way>>("whole", "whole", "stream", "several", "responses", "background"),
  key: fc.constantFrom("one", "one", "other", "thin", "thin", "bound", "budgeted", "tokens", "requests"),
  at: fc.record({
    a: fc.constantFrom(...outcomes),
    b: fc.constantFrom(...outcomes),
    c: fc.constantFrom(...outcomes),
    spare: fc.constantFrom(...outcomes)
  }),
  output: fc.integer({ min: 1, max: 8 }),
  /** Searches that the upstream makes, where one is asked for its chat completion. */
  searches: fc.option(fc.integer({ min: 1, max: 3 }), { freq: 2, nil: undefined }),
  /** Ms until the client leaves. */
  leaves: fc.option(fc.integer({ min: 0, max: 300 }), { freq: 3, nil: undefined })
})
type Ask = typeof asks extends fc.Arbitrary<infer A> ? A : never

/** Sent first, while no route rests, by clients that stay: hedged, and answered by a model behind the requested one. */
const asked: ReadonlyArray<Ask> = [1, 2, 3].flatMap((output) => {
  const plain = { way: "whole", key: "one", output, searches: undefined, leaves: undefined } as const
  const answers = { a: "answers", b: "answers", c: "answers", spare: "answers" } as const
  return [
    { ...plain, model: "hedged", at: { ...answers, a: "wait" } },
    { ...plain, model: "falling", at: { ...answers, a: "filtered", b: "filtered" } },
    { ...plain, model: "ordered", at: answers, searches: 2 }
  ]
})

let world: Awaited<ReturnType<typeof startRouted>>

interface Told {
  readonly id: string | null
  readonly cost: string | null
  /** What its quote said that it costs at most, in nano-dollars. */
  readonly most: number
  /** The upstream that wrote the answer. */
  readonly from: string | undefined
}

const send = async ({ at, key, leaves, model, output, searches, way }: Ask, node: number): Promise<Told> => {
  // A budget of tokens counts what was used, believed or not.
  const outcomeOf = (outcome: string) => (key === "tokens" && outcome === "lies" ? "answers" : outcome)
  const text = `${Object.entries(at)
    .map(([name, outcome]) => `${name}=${outcomeOf(outcome)}`)
    .join(" ")} output=${output} searches=${searches ?? 0}.`
  const gateway = world.at(node)
  const chat = { model, max_tokens: 10, messages: [{ role: "user", content: text }] }
  const hosted = searches === undefined ? {} : { web_search_options: {} }
  const responses = { model, max_output_tokens: 16, input: text, store: false }
  const ways: Readonly<Record<Way, readonly [string, object]>> = {
    whole: ["/v1/chat/completions", { ...chat, ...hosted }],
    stream: ["/v1/chat/completions", { ...chat, ...hosted, stream: true }],
    several: ["/v1/chat/completions", { ...chat, n: 3 }],
    responses: ["/v1/responses", responses],
    background: ["/v1/responses", { ...responses, store: true, background: true }]
  }
  const [path, body] = ways[way]
  const quoted = () => request(world.at(0), "/v1/quote", { key: secretOf(key), body: { endpoint: path, body } })
  const most: number = (await (await quoted()).json()).maximum?.cost.nano_usd ?? 0
  const left = { id: null, cost: null, from: undefined, most }
  const leaving = new AbortController()
  if (leaves !== undefined) setTimeout(() => leaving.abort(), leaves)
  const signal = leaves === undefined ? undefined : leaving.signal
  try {
    const answer = await request(gateway, path, { key: secretOf(key), body, signal })
    const id = answer.headers.get("x-request-id")
    const from = /from (\w+)\./.exec(await answer.text().catch(() => ""))?.[1]
    if (answer.status !== 200 || way === "background") return { ...left, id }
    return { id, cost: answer.headers.get("x-gateway-cost-usd"), from, most }
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
  readonly searches: number
  readonly cost: Money
  readonly upstream_cost: Money
  readonly above_hold: Money
}

const read = async <A>(path: string): Promise<A> => (await request(world.at(0), path, { key: adminKey })).json()

const rowsOf = async (account: string): Promise<ReadonlyArray<Row>> => {
  const rows: Array<Row> = []
  let after = ""
  for (;;) {
    const page = await read<{ data: ReadonlyArray<Row>; next: string | null }>(
      `/admin/v1/usage?by=request&account=${account}&since=1d&limit=1000${after}`
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
    world = await startRouted(name === "sqlite" ? 1 : 2, await gatewayEnv("routes"))
  })
  afterAll(() => world.dispose())

  it("each request costs what its route asks for its usage, at most what was held, and the books balance", async () => {
    const all = fc.sample(asks, { numRuns: caseCount(name === "sqlite" ? 65 : 100) })
    const answers = new Map<string, Told>()
    const queue = [...all, ...asked]
    const half = queue.length / 2
    let killing: Promise<void> | undefined
    let isDown = true
    const work = async () => {
      for (let one = queue.pop(); one !== undefined; one = queue.pop()) {
        if (name !== "sqlite" && queue.length < half) {
          killing ??= world.kill().then(() => void (isDown = false))
        }
        const told = await send(one, isDown && killing !== undefined ? 0 : queue.length)
        if (told.id !== null) answers.set(told.id, told)
      }
    }
    const account = (id = "team") => read<Account>(`/admin/v1/accounts/${id}`)
    const below: Array<unknown> = []
    let isWatched = true
    const watch = async () => {
      for (; isWatched; await Bun.sleep(10)) {
        for (const one of await Promise.all([account(), account("thin")])) {
          if (one.available.nano_usd < 0 || one.held.nano_usd < 0) below.push(one)
        }
      }
    }
    const watching = watch().catch((error: unknown) => void below.push(error))
    await Promise.all(Array.from({ length: 24 }, work))
    await killing
    await world.age()
    // Background responses whose routes all fail are tried again and again.
    const isOver = async () => {
      const { data } = await read<{ data: ReadonlyArray<{ id: string }> }>("/admin/v1/tasks?state=running&limit=200")
      const cancel = (id: string) =>
        Promise.all(
          ["one", "thin"].map((key) =>
            request(world.at(0), `/v1/responses/${id}/cancel`, { key: secretOf(key), method: "POST" })
          )
        )
      await Promise.all(data.map(({ id }) => cancel(id)))
      return (await account()).held.nano_usd + (await account("thin")).held.nano_usd
    }
    await expect.poll(isOver, { interval: 500 }).toBe(0)
    isWatched = false
    await watching
    expect(below).toEqual([])
    expect(await world.overdrawn.found()).toEqual([])

    const [rows, thin] = await Promise.all([rowsOf("team"), rowsOf("thin")])
    expect(rows.length).toBeGreaterThan(all.length / 4)
    expect(thin.length).toBeGreaterThan(1)
    for (const row of [...rows, ...thin]) {
      const rate = 1_000 * (prices[row.upstream] ?? 0) * 1e9
      const searched = row.searches * search(row.upstream) * 1e9
      const used = Math.round(((row.input_tokens + row.output_tokens) * rate) / 1e6 + searched)
      expect({ row, rates: [row.price.rates.input, row.price.rates.output] }).toEqual({ row, rates: [rate, rate] })
      // Calls that the operator alone pays; those whose answers were not used have no tokens.
      if (row.outcome !== "finished" && row.outcome !== "hang-up") {
        expect(row.cost.nano_usd + row.above_hold.nano_usd).toBe(0)
        if (row.outcome === "cut") expect(row.upstream_cost.nano_usd).toBe(used)
        else expect(used).toBe(0)
        continue
      }
      // Of a client that left too.
      expect({ row, cost: row.cost.nano_usd + row.above_hold.nano_usd }).toEqual({ row, cost: used })
      const isLied = row.input_tokens >= liedTokens
      // What searches find is input: as much of it is held as the lie.
      if (row.searches === 0) {
        expect({ row, isAbove: row.above_hold.nano_usd > 0 }).toEqual({ row, isAbove: isLied })
        if (isLied) expect(row.cost.nano_usd).toBeLessThan(used / 10)
      }
      const told = answers.get(row.request_id)
      if (told !== undefined) expect({ row, most: told.most >= row.cost.nano_usd }).toEqual({ row, most: true })
      expect(row.upstream_cost.nano_usd).toBeGreaterThanOrEqual(used)
      // The answer told the same.
      if (told?.from !== undefined) expect(row.upstream).toBe(told.from)
      if (typeof told?.cost === "string") expect(Math.round(Number(told.cost) * 1e9)).toBe(row.cost.nano_usd)
    }
    expect(new Set([...rows, ...thin].map(({ upstream }) => upstream))).toEqual(new Set(names))
    expect(rows.some(({ cost, searches }) => cost.nano_usd > 0 && searches > 1)).toBe(true)
    expect(rows.some(({ above_hold }) => above_hold.nano_usd > 0)).toBe(true)
    // Hedges whose answers were not used.
    expect(rows.some(({ outcome, upstream_cost }) => outcome === "outpaced" && upstream_cost.nano_usd > 0)).toBe(true)

    for (const [id, some] of [
      ["team", rows],
      ["thin", thin]
    ] as const) {
      const { available, granted, settled } = await account(id)
      expect(settled.nano_usd).toBe(some.reduce((sum, { cost }) => sum + cost.nano_usd, 0))
      expect(granted.nano_usd).toBe(available.nano_usd + settled.nano_usd)
      expect(available.nano_usd).toBeGreaterThanOrEqual(0)
    }

    // Budgets have counted what the rows say, and never more than their limit.
    const keys = (await read<{ data: ReadonlyArray<Key> }>("/admin/v1/keys?account=team")).data
    for (const { limit, name, unit } of budgets) {
      const key = keys.find((one) => one.name === name)
      const isServed = ({ outcome }: Row) => outcome === "finished" || outcome === "hang-up"
      const own = rows.filter((row) => row.key === key?.id && isServed(row))
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
  }, 120_000)
})
