import { SqlClient } from "@effect/sql"
import { expect, it } from "@effect/vitest"
import { Effect, Layer, TestClock } from "effect"
import { noColumns } from "../../src/contract/records/measures.ts"
import { histogramOf } from "../../src/requests/RequestHistogram.ts"
import { outcomeOf, outcomes } from "../../src/requests/outcome.ts"
import type { RequestRow } from "../../src/requests/RequestRow.ts"
import { listFilterOf } from "../../src/requests/RequestQuery.ts"
import type { RequestFilter } from "../../src/requests/store/matchConditions.ts"
import { RequestStore } from "../../src/requests/store/RequestStore.ts"
import { database, describeOnEach } from "../sql/engines.ts"
import { storePaid } from "./paid.ts"

const hourMs = 3_600_000
const nowMs = Date.parse("2026-03-04T10:20:30Z")
const iso = (ms: number) => new Date(ms).toISOString()

const row = (at: number, given: Partial<RequestRow>): RequestRow => ({
  at,
  request_id: `req_${at}`,
  account_id: "me",
  key_id: "key_1",
  family: "messages",
  endpoint: "/v1/messages",
  model: "one",
  upstream_model: "one",
  upstream: "first",
  status: 200,
  error: "",
  stream: 0,
  first_byte_ms: 10,
  duration_ms: 20,
  ...noColumns.requests,
  input_tokens: 1,
  output_tokens: 1,
  cost_nano_usd: 1_000,
  upstream_cost_nano_usd: null,
  settled_at: null,
  conversation: "",
  details: "{}",
  ...given
})

const endings: ReadonlyArray<Partial<RequestRow>> = [
  {},
  {},
  {},
  { status: 429, error: "rate_limited", upstream: "", cost_nano_usd: null },
  { status: 404, error: "" },
  { status: 502, error: "upstream_failed", upstream: "second" },
  { error: "upstream_failed" },
  { error: "hang_up" },
  { status: 499, error: "hang_up" },
  { family: "account", endpoint: "/v1/quote", upstream: "", cost_nano_usd: null }
]

const world = RequestStore.Default.pipe(Layer.provideMerge(database()))

/** Rows of six hours, in the order in which they ended, a few of them after long. */
const seeded = (seed: number) =>
  Effect.gen(function* () {
    let state = seed
    const upTo = (most: number) => (state = (state * 48_271) % 2_147_483_647) % most
    const pick = <A>(from: ReadonlyArray<A>): A => from[upTo(from.length)]!
    const rows = Array.from({ length: 600 }, (_, at) => {
      const began = nowMs - 6 * hourMs + at * 36_000 + upTo(30_000)
      return row(began, {
        ...pick(endings),
        ...pick([
          { key_id: "key_1", account_id: "me" },
          { key_id: "key_2", account_id: "me" },
          { key_id: "key_3", account_id: "other" }
        ]),
        model: pick(["one", "two"]),
        duration_ms: upTo(10) === 0 ? upTo(hourMs) : upTo(900)
      })
    }).toSorted((one, other) => one.at + one.duration_ms - (other.at + other.duration_ms))
    yield* storePaid(rows)
    yield* TestClock.setTime(nowMs)
    return rows
  })

const counted = (rows: ReadonlyArray<RequestRow>) => {
  const of = (...names: ReadonlyArray<string>) => rows.filter((one) => names.includes(outcomeOf(one))).length
  return {
    requests: rows.length,
    refused: of("refused"),
    failed: of("failed", "cut"),
    hang_ups: of("hang_up"),
    cost_usd: rows.reduce((sum, { cost_nano_usd }) => sum + (cost_nano_usd ?? 0), 0) / 1e9,
    upstream_cost_usd: rows.reduce((sum, { cost_nano_usd }) => sum + 2 * (cost_nano_usd ?? 0), 0) / 1e9
  }
}

const timesOf = (rows: ReadonlyArray<{ readonly at: number }>) =>
  rows.map(({ at }) => at).toSorted((one, other) => one - other)

const filters: ReadonlyArray<readonly [name: string, filter: RequestFilter, fits: (row: RequestRow) => boolean]> = [
  ["all", {}, () => true],
  ["an account's", { account: "me" }, ({ account_id }) => account_id === "me"],
  [
    "a key's at an upstream",
    { key: "key_1", upstream: "second" },
    (one) => one.key_id === "key_1" && one.upstream === "second"
  ],
  ["a model's", { model: "two" }, ({ model }) => model === "two"],
  ["a status class", { status: 4 }, ({ status }) => status >= 400 && status < 500],
  ["a failure's", { error: "hang_up" }, ({ error }) => error === "hang_up"],
  ...outcomes.map((outcome) => [outcome, { outcome }, (one: RequestRow) => outcomeOf(one) === outcome] as const)
]

describeOnEach("how many requests came when", () => {
  it.effect("is what a list with the same filters has, from rows and from the hours' sums", () =>
    Effect.gen(function* () {
      const rows = yield* seeded(17)
      const store = yield* RequestStore
      const shown = rows.filter(({ family }) => family !== "account")
      // Buckets of minutes come from rows; of hours from sums, but for the first and the last part of one.
      for (const [fromMs, toMs, buckets] of [
        [nowMs - 6 * hourMs, nowMs, 120],
        [nowMs - 5.3 * hourMs, nowMs, 6],
        [nowMs - 5 * hourMs, nowMs - 1.5 * hourMs, 2],
        [nowMs - 0.4 * hourMs, nowMs, 1]
      ] as const) {
        for (const [name, filter, fits] of filters) {
          const fitting = shown.filter((one) => one.at >= fromMs && one.at < toMs && fits(one))
          const { bucket_seconds, data, total } = yield* histogramOf(store, filter, {
            from: iso(fromMs),
            to: iso(toMs),
            buckets
          })
          expect([name, total]).toEqual([name, counted(fitting)])
          for (const { time, ...bucket } of data) {
            const at = Date.parse(time)
            const inside = fitting.filter((one) => one.at >= at && one.at < at + bucket_seconds * 1_000)
            expect([name, time, bucket]).toEqual([name, time, counted(inside)])
          }
          const { data: listed } = yield* store.list(
            { ...filter, sinceMs: fromMs, untilMs: toMs - 1 },
            { before: undefined, limit: 1_000 }
          )
          expect([name, timesOf(listed)]).toEqual([name, timesOf(fitting)])
        }
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("leaves out what only asked for a price, unless that is asked for", () =>
    Effect.gen(function* () {
      const rows = yield* seeded(18)
      const store = yield* RequestStore
      const quotes = rows.filter(({ family }) => family === "account").length
      const asked = { from: "1d" }
      expect((yield* histogramOf(store, { family: "account" }, asked)).total.requests).toBe(quotes)
      expect((yield* histogramOf(store, { endpoint: "/v1/quote" }, asked)).total.requests).toBe(quotes)
      const sql = yield* SqlClient.SqlClient
      const [hours] = yield* sql<{ n: number }>`SELECT SUM(requests) AS n FROM request_hours`
      expect(Number(hours?.n)).toBe(rows.length - quotes)
    }).pipe(Effect.provide(world))
  )

  it.effect("has round buckets, and refuses a time that ends before it begins", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(nowMs)
      const store = yield* RequestStore
      const day = yield* histogramOf(store, {}, { from: "24h", buckets: 100 })
      expect(day.bucket_seconds).toBe(900)
      expect(day.data[0]?.time).toBe("2026-03-03T10:15:00.000Z")
      expect(day.data).toHaveLength(97)
      expect(day.total).toEqual({ requests: 0, refused: 0, failed: 0, hang_ups: 0, cost_usd: 0, upstream_cost_usd: 0 })
      const wrong = yield* Effect.flip(histogramOf(store, {}, { from: "1h", to: "2h" }))
      expect(wrong.message).toContain("from: expected a time before")
      expect(listFilterOf({ status: "4xx", since: "1h" }, nowMs)).toMatchObject({ status: 4, sinceMs: nowMs - hourMs })
    }).pipe(Effect.provide(world))
  )
})
