import { afterAll, beforeAll, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { caseCount } from "../caseCount.ts"
import { adminKey } from "../e2e/adminClient.ts"
import { request } from "../request.ts"
import { describeOnEach, gatewayEnv } from "../sql/engines.ts"
import { everySum } from "./everySum.ts"
import { ledgerOf } from "./ledgerOf.ts"
import type { Paid } from "./ledgerOf.ts"
import { asks, unasked } from "./servedAnswers.ts"
import type { Asked, Wire } from "./servedAnswers.ts"
import { secretOf, startServed } from "./servedWorld.ts"

/*
 * Money where answers are served in all ways that have prices: asked for or not, whole and streamed, passed through and
 * translated, in the background, by clients that leave and nodes that are killed.
 */

const drawn = fc.record({
  ask: asks,
  family: fc.constantFrom<Array<Wire | "own">>("own", "own", "responses", "messages", "chat"),
  how: fc.constantFrom("whole", "whole", "stream", "background"),
  key: fc.constantFrom("rich", "rich", "rich", "thin"),
  waitMs: fc.constantFrom(0, 0, 30),
  leaves: fc.constantFrom(undefined, undefined, undefined, undefined, undefined, 0, 10, 40)
})
type Drawn = typeof drawn extends fc.Arbitrary<infer A> ? A : never

interface Told {
  /** In nano-dollars; null if the header came before the cost was known. */
  readonly header: number | null
  readonly cost: number
  /** What its quote said that it costs at most. */
  readonly most: number
}

const bodyOf = ({ ask, family, how }: Drawn, id: number): readonly [string, object] => {
  const text = `plays ${id}. ${"word ".repeat(ask.input)}`
  const dialect = family === "own" ? ask.wire : family
  const own = dialect === ask.wire ? ask.fields : {}
  const stream = how === "stream" ? { stream: true } : {}
  const message = { model: ask.wire, messages: [{ role: "user", content: text }], ...stream, ...own }
  // The least bound of the dialect.
  if (dialect === "responses") {
    const isTask = how === "background" ? { background: true, store: true } : { store: false }
    const bound = { max_output_tokens: Math.max(16, ask.output) }
    return ["/v1/responses", { model: ask.wire, input: text, ...bound, ...isTask, ...stream, ...own }]
  }
  const bound = { max_tokens: ask.output }
  return [dialect === "chat" ? "/v1/chat/completions" : "/v1/messages", { ...message, ...bound }]
}

let world: Awaited<ReturnType<typeof startServed>>
let ids = 0
const told = new Map<string, Told>()

/** A request's dialect has no tools of another: what its answer tells of them is not believed. */
const isTranslated = ({ ask, family }: Drawn) => family !== "own" && family !== ask.wire
const isPlain = ({ answer }: Asked) =>
  !/_call"|"num_requests":[1-9]|image_gen"|_requests":[1-9]|compaction|advisor/.test(JSON.stringify(answer))

const send = async (one: Drawn, node: number): Promise<void> => {
  const { ask, key, leaves, waitMs } = one
  const id = ids++
  const [path, body] = bodyOf(one, id)
  world.plays.set(id, { wire: ask.wire, answer: { id: `x_${id}`, ...ask.answer }, waitMs })
  const leaving = new AbortController()
  if (leaves !== undefined) setTimeout(() => leaving.abort(), leaves)
  try {
    const at = world.nodes[0]!
    const quote = await request(at, "/v1/quote", { key: secretOf(key), body: { endpoint: path, body } })
    const most: number = (await quote.json()).maximum?.cost.nano_usd
    const signal = leaves === undefined ? undefined : leaving.signal
    const answer = await request(world.nodes[node]!, path, { key: secretOf(key), body, signal })
    const text = await answer.text()
    const requestId = answer.headers.get("x-request-id")
    if (![200, 402].includes(answer.status)) expect.soft([answer.status, text.slice(0, 300), path]).toEqual([200])
    if (answer.status !== 200 || requestId === null) return
    const header = answer.headers.get("x-gateway-cost-usd")
    told.set(requestId, {
      header: header === null ? null : Math.round(Number(header) * 1e9),
      cost: ask.cost(most),
      most
    })
  } catch (error) {
    // The client left, or its node was killed.
    if (leaves === undefined && !isDown) throw error
  }
}
let isDown = false

describeOnEach("money of what was served", ({ name }) => {
  beforeAll(async () => {
    told.clear()
    world = await startServed(name === "sqlite" ? 1 : 2, await gatewayEnv("served"))
  }, 60_000)
  afterAll(() => world.dispose())

  const read = async (path: string, headers = {}) => request(world.nodes[0]!, path, { key: adminKey, headers })

  /** Money in the ledger's rows, and what the nodes' metrics have counted. */
  const look = async () => {
    const ledger = await ledgerOf(world.folder, (await env())["GATEWAY_DATABASE_URL"])
    let counted = 0
    for (const node of world.nodes) {
      const text = await (await request(node, "/metrics", { key: adminKey })).text()
      for (const [, value] of text.matchAll(/^gateway_model_cost_usd_total\{.*\} (\S+)$/gm)) counted += Number(value)
    }
    return { ledger, counted, spent: ledger.paid.reduce((sum, { cost }) => sum + cost, 0) }
  }
  const env = () => gatewayEnv("served")

  const all = async (some: ReadonlyArray<Drawn>, kill: () => Promise<void>) => {
    const queue = [...some]
    const half = queue.length / 2
    let killing: Promise<void> | undefined
    const work = async () => {
      for (let one = queue.pop(); one !== undefined; one = queue.pop()) {
        if (queue.length < half) killing ??= kill()
        if (isDown && world.nodes.length === 1) await killing
        await send(one, isDown ? 0 : queue.length % world.nodes.length)
      }
    }
    await Promise.all(Array.from({ length: 8 }, work))
    await killing
    await world.age()
    const isOver = async () => {
      const { data } = await (await read("/admin/v1/accounts")).json()
      return data.reduce((sum: number, { held }: { held: { nano_usd: number } }) => sum + held.nano_usd, 0)
    }
    await expect.poll(isOver, { interval: 200, timeout: 60_000 }).toBe(0)
  }

  it("is the same in the ledger, rows, headers, pages, exports and metrics, and within holds and balances", async () => {
    const count = caseCount(32)
    const some = fc.sample(drawn, { numRuns: count }).filter((one) => !isTranslated(one) || isPlain(one.ask))
    await all(some.slice(0, some.length / 2), async () => {
      isDown = true
      await world.kill()
      isDown = false
    })
    // Requests that a killed node has not finished are run by the other one later: their rows come.
    const before = await look()
    const above: Drawn = { ask: unasked, family: "own", how: "whole", key: "rich", waitMs: 0, leaves: undefined }
    await all([...some.slice(some.length / 2), above], async () => {})
    const { counted, ledger, spent } = await look()
    expect(await world.overdrawn.found()).toEqual([])

    // Each row that finished has the cost of what its upstream told.
    const finished = ledger.paid.filter(({ outcome }) => outcome === "finished")
    const rows = new Map(finished.map((row) => [row.request_id, row]))
    let [compared, aboveHold] = [0, 0]
    for (const [id, { cost, header, most }] of told) {
      const row: Paid | undefined = rows.get(id)
      if (row === undefined) continue
      compared++
      if (cost > most) aboveHold++
      expect([id, row.model, row.upstreamCost]).toEqual([id, row.model, cost])
      expect([id, row.model, row.cost]).toEqual([id, row.model, Math.min(cost, most)])
      if (header !== null) expect([id, header]).toEqual([id, row.cost])
    }
    expect(compared).toBeGreaterThan(some.length / 4)
    expect(aboveHold).toBeGreaterThan(0)
    expect(aboveHold).toBeLessThan(compared / 2)

    expect(Math.round((counted - before.counted) * 1e9)).toBe(spent - before.spent)
    const csv = await (await read("/admin/v1/usage?since=7d&by=request&limit=1000", { accept: "text/csv" })).text()
    const [head = "", ...lines] = csv.trim().split("\n")
    const column = head.trim().split(",").indexOf("usd")
    const exported = lines.reduce((sum, line) => sum + Math.round(Number(line.split(",")[column]) * 1e9), 0)
    expect({ head, lines: lines.length, exported }).toEqual({ head, lines: ledger.paid.length, exported: spent })
    const { url } = world.nodes[0]!
    expect(await everySum({ url, adminKey, secretOf, ledger, wereKilled: true })).toEqual([])
    for (const id of ["rich", "thin"]) {
      const { available, granted, settled } = await (await read(`/admin/v1/accounts/${id}`)).json()
      expect(available.nano_usd).toBe(granted.nano_usd - settled.nano_usd)
      expect(available.nano_usd).toBeGreaterThanOrEqual(0)
    }
  }, 300_000)
})
