import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Database } from "bun:sqlite"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { toneOf, wavHeader } from "../../src/sandbox/wav.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { outcomes, pieceBytes, secondBytes, soundUpstream, told } from "./soundUpstream.ts"
import type { Outcome } from "./soundUpstream.ts"

/** Dollars: the route behind is twice as dear. */
const prices = {
  per_image: 0.04,
  per_character: 0.000_015,
  per_audio_second: 0.000_1,
  input: 5,
  output: 10,
  audio: { input: 6, output: 12 },
  image: { input: 8, output: 40 }
}
type Unit = keyof typeof prices
const text = "Grüße, Fuchs"
const seconds = 2.5
const samples = toneOf("a", seconds)

const micro = 1_000
/** The nano-dollars of the first route of tokens that the upstream told, and of sound whose tokens it has not. */
const tokensOf = (input: number, output: number) => (told.input * input + told.output * output) * micro
const heard = (bytes: number) => Math.ceil((bytes / secondBytes / 60) * 1_250) * prices.audio.output * micro

interface Way {
  readonly path: string
  readonly fields: Readonly<Record<string, string | number | boolean>>
  readonly isForm?: boolean
  readonly model: "pieces" | "tokens"
  readonly units: ReadonlyArray<Unit>
  /** Of a finished answer. */
  readonly cost: number
  /** Of one whose client left after the first piece; undefined if it is read to its end. */
  readonly left?: number
}

const speech = { path: "/v1/audio/speech", fields: { input: text, voice: "alloy" } }
const sse = { ...speech.fields, stream_format: "sse" }
const transcript = { path: "/v1/audio/transcriptions", isForm: true, fields: {} }
const image = { path: "/v1/images/generations", fields: { prompt: text, n: 2 } }
const characters = text.length * 15_000
const byTokens = { model: "tokens", units: ["input", "output"] } as const
/** "Grüße, Fuchs" has six tokens. */
const words = 6 * prices.input * micro

const ways = {
  images: { ...image, model: "pieces", units: ["per_image"], cost: 80_000_000 },
  "images in a stream": {
    ...image,
    fields: { ...image.fields, stream: true },
    model: "pieces",
    units: ["per_image"],
    cost: 80_000_000
  },
  "images by tokens": {
    ...image,
    model: "tokens",
    units: ["input", "image"],
    cost: tokensOf(prices.input, prices.image.output)
  },
  speech: { ...speech, model: "pieces", units: ["per_character"], cost: characters, left: characters },
  "speech in events": {
    ...speech,
    fields: sse,
    model: "pieces",
    units: ["per_character"],
    cost: characters,
    left: characters
  },
  "speech by tokens": {
    ...speech,
    model: "tokens",
    units: ["input", "audio"],
    cost: words + heard(2 * pieceBytes),
    left: words + heard(pieceBytes)
  },
  "speech by tokens in events": {
    ...speech,
    fields: sse,
    model: "tokens",
    units: ["input", "audio"],
    cost: tokensOf(prices.input, prices.audio.output),
    left: words + heard(pieceBytes)
  },
  transcripts: {
    ...transcript,
    model: "pieces",
    units: ["per_audio_second"],
    cost: told.seconds * 100_000
  },
  "transcripts in a stream": {
    ...transcript,
    fields: { stream: "true" },
    model: "pieces",
    units: ["per_audio_second"],
    cost: told.seconds * 100_000,
    left: Math.ceil(seconds) * 100_000
  },
  "transcripts by tokens": { ...transcript, ...byTokens, cost: tokensOf(prices.input, prices.output) },
  translations: {
    ...transcript,
    ...byTokens,
    path: "/v1/audio/translations",
    cost: tokensOf(prices.input, prices.output)
  }
} satisfies Readonly<Record<string, Way>>
type WayName = keyof typeof ways

const secretOf = (name: string) => `${name}-secret-0123456789-0123456789`
const names = Object.keys(ways) as ReadonlyArray<WayName>
const upstream = soundUpstream()
let folder: string
let gateway: GatewayHere

const cellOf = (way: WayName, outcome: Outcome) => `${way} ${outcome}`.replaceAll(" ", "-")

/** The price of a way at the first route, or at the second one. */
const priceOf = (units: ReadonlyArray<Unit>, times: number): object =>
  Object.fromEntries(
    units.map((unit) => {
      const price = prices[unit]
      return [
        unit,
        typeof price === "number" ? price * times : { output: price.output * times, input: price.input * times }
      ]
    })
  )

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "gateway-sound-money-"))
  const cells = names.flatMap((way) => outcomes.map((outcome) => ({ way, outcome, name: cellOf(way, outcome) })))
  // An upstream for each, so that no circuit breaker opens.
  const upstreams = cells.flatMap(({ name, outcome }) => [
    [`a-${name}`, { protocol: "openai-chat", base_url: `${upstream.url}/${outcome}/v1` }],
    [`b-${name}`, { protocol: "openai-chat", base_url: `${upstream.url}/answers/v1` }]
  ])
  const models = cells.map(({ name, way }) => {
    const { model, path, units } = ways[way]
    const kind = path.includes("images") ? "image" : path.includes("speech") ? "speech" : "transcription"
    const route = (at: string, times: number) => ({ upstream: `${at}-${name}`, model, price: priceOf(units, times) })
    return [name, { kind, routes: [route("a", 1), route("b", 2)] }]
  })
  const keys = [
    { name: "rich", secret: secretOf("rich"), balance_usd: 1_000 },
    { name: "budgeted", secret: secretOf("budgeted"), account: "rich", budgets: [{ usd: 5, per: "month" }] },
    { name: "broke", secret: secretOf("broke"), balance_usd: 0 }
  ]
  writeFileSync(
    join(folder, "gateway.yaml"),
    JSON.stringify({ upstreams: Object.fromEntries(upstreams), models: Object.fromEntries(models), keys })
  )
  gateway = await startGateway({ folder })
})
afterAll(async () => {
  upstream.open()
  await gateway.dispose()
  await upstream.stop()
})

interface Asking {
  readonly key?: string
  readonly idempotencyKey?: string
  readonly signal?: AbortSignal
}
const ask = (way: WayName, outcome: Outcome, { idempotencyKey, key = "rich", signal }: Asking = {}) => {
  const { fields, path, ...rest } = ways[way]
  const all = { model: cellOf(way, outcome), ...fields }
  const headers = {
    authorization: `Bearer ${secretOf(key)}`,
    ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey })
  }
  const init = { method: "POST", ...(signal && { signal }) }
  if (!("isForm" in rest)) {
    const json = { ...headers, "content-type": "application/json" }
    return fetch(gateway.url + path, { ...init, headers: json, body: JSON.stringify(all) })
  }
  const body = new FormData()
  for (const [name, value] of Object.entries(all)) body.set(name, String(value))
  body.set("file", new File([Buffer.concat([wavHeader(samples.length), samples])], "a.wav"))
  return fetch(gateway.url + path, { ...init, headers, body })
}

const query = (text: string): ReadonlyArray<Readonly<Record<string, string | number>>> => {
  const database = new Database(join(folder, "data/gateway.db"), { readonly: true })
  try {
    return database.query<Record<string, string | number>, []>(text).all()
  } finally {
    database.close()
  }
}
const rows = (condition: string) =>
  query(
    `SELECT substr(upstream, 1, 1) AS at, outcome, cost_nano_usd AS cost, upstream_cost_nano_usd AS upstreamCost,
      above_hold_nano_usd AS above FROM usage WHERE ${condition}`
  )
/** The row of a request, once it is written. */
const rowOf = (condition: string) => expect.poll(() => rows(condition), { timeout: 10_000 })

describe.each(names)("%s", (way) => {
  const { cost, ...rest } = ways[way]
  const left = "left" in rest ? rest.left : undefined
  const finish = async (outcome: Outcome, asking: Asking = {}) => {
    const response = await ask(way, outcome, asking)
    const bytes = await response.arrayBuffer().then(
      ({ byteLength }) => byteLength,
      () => 0
    )
    return { response, bytes, row: rowOf(`request_id = '${response.headers.get("x-request-id")}'`) }
  }

  it("costs the price of the route that answers", async () => {
    const { row } = await finish("answers")
    await row.toEqual([{ at: "a", outcome: "finished", cost, upstreamCost: cost, above: 0 }])
    for (const outcome of ["fails", "garbage", "early"] as const) {
      const { row } = await finish(outcome)
      await row.toEqual([{ at: "b", outcome: "finished", cost: 2 * cost, upstreamCost: 2 * cost, above: 0 }])
    }
  })

  it("costs the caller nothing if it is cut after its beginning, or is had from the next route", async () => {
    const { row } = await finish("cut")
    await row.toEqual([
      left === undefined
        ? { at: "b", outcome: "finished", cost: 2 * cost, upstreamCost: 2 * cost, above: 0 }
        : { at: "a", outcome: "cut", cost: 0, upstreamCost: left, above: 0 }
    ])
  })

  it("is paid once for an Idempotency-Key", async () => {
    const before = upstream.asked.length
    const first = await finish("answers", { idempotencyKey: `once-${way}` })
    await first.row.toHaveLength(1)
    const again = await finish("answers", { idempotencyKey: `once-${way}` })
    expect([again.bytes, upstream.asked.length]).toEqual([first.bytes, before + 1])
    expect(rows(`request_id = '${again.response.headers.get("x-request-id")}'`)).toEqual([])
  })

  it("is refused where the money does not cover it, and asked of nobody", async () => {
    const before = upstream.asked.length
    const { response } = await finish("answers", { key: "broke" })
    expect([response.status, upstream.asked.length]).toEqual([402, before])
  })

  it("costs its beginning if the client leaves, or all of it if it is read to its end", async () => {
    const before = upstream.asked.length
    const leave = new AbortController()
    const asking = ask(way, "waits", { key: "budgeted", signal: leave.signal })
    await expect.poll(() => upstream.asked.length).toBe(before + 1)
    if (left !== undefined) await (await asking).body?.getReader().read()
    leave.abort()
    await asking.catch(() => {})
    if (left === undefined) upstream.open()
    const paid = left ?? cost
    await rowOf(`upstream = 'a-${cellOf(way, "waits")}'`).toEqual([
      { at: "a", outcome: "hang-up", cost: paid, upstreamCost: paid, above: 0 }
    ])
  })
})

it("leaves no holds, and sums as the rows say", async () => {
  const one = (text: string) => query(text)[0]?.n
  await expect.poll(() => one("SELECT COUNT(*) AS n FROM holds")).toBe(0)
  const asked = await fetch(`${gateway.url}/v1/balance`, {
    headers: { authorization: `Bearer ${secretOf("budgeted")}` }
  })
  const balance = await asked.json()
  const settled = one("SELECT SUM(cost_nano_usd) AS n FROM usage WHERE account_id = 'rich'")
  expect(one("SELECT settled_nano_usd AS n FROM accounts WHERE id = 'rich'")).toBe(settled)
  expect(balance).toMatchObject({ held: { nano_usd: 0 }, available: { nano_usd: 1_000e9 - Number(settled) } })
  // The key with the budget has asked for those alone that it left.
  const spent = one("SELECT SUM(cost_nano_usd) AS n FROM usage WHERE outcome = 'hang-up'")
  expect(balance.budget.spent.nano_usd).toBe(spent)
})
