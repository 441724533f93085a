import { SqlClient } from "@effect/sql"
import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { requestBook } from "../../src/requests/store/requestBook.ts"
import { RequestDays } from "../../src/requests/store/RequestDays.ts"
import { requestWriter } from "../../src/requests/store/requestWriter.ts"
import { attemptBook } from "../../src/requests/store/attemptBook.ts"
import type { RequestRow } from "../../src/requests/RequestRow.ts"
import { noColumns } from "../../src/contract/records/measures.ts"
import { sumsOf } from "../../src/sums/sumsOf.ts"
import { database, describeOnEach } from "../sql/engines.ts"

const [hourMs, dayMs] = [3_600_000, 86_400_000]
const nowMs = Date.parse("2026-03-04T10:20:00Z")
const first = Date.parse("2026-02-20T00:00:00Z")

const rowOf = (at: number, n: number): RequestRow => ({
  at,
  request_id: `req_${at}_${n}`,
  account_id: `account-${n % 2}`,
  key_id: `key-${n % 3}`,
  family: "messages",
  endpoint: "/v1/messages",
  model: `model-${n % 2}`,
  upstream_model: "m",
  upstream: `upstream-${n % 2}`,
  status: n % 4 === 0 ? 500 : 200,
  error: "",
  stream: 0,
  first_byte_ms: 1,
  duration_ms: 5,
  ...noColumns.requests,
  input_tokens: 10,
  cost_nano_usd: 1,
  upstream_cost_nano_usd: null,
  settled_at: at,
  conversation: "",
  details: JSON.stringify({
    attempts: [{ upstream: `upstream-${n % 2}`, upstream_model: "m", outcome: "answered", status: 200, duration_ms: 1 }]
  })
})

const store = (rows: ReadonlyArray<RequestRow>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const write = requestWriter(sql)
    yield* sql.withTransaction(Effect.forEach(write(rows), (statement) => statement))
  })

/** Twelve days, an hour with rows in each five. */
const stored = store(
  Array.from({ length: 12 * 24 }, (_, hour) => first + hour * hourMs)
    .filter((at, hour) => hour % 5 === 0 && at < nowMs)
    .flatMap((at) => Array.from({ length: 6 }, (_, n) => rowOf(at + n, n)))
)

const addAll = Effect.gen(function* () {
  const days = yield* RequestDays
  let passes = 0
  while ((yield* days.addNext(nowMs)) > 0) passes++
  return passes
})

const measures = ["requests", "errors", "input_tokens"] as const
const spans = [
  { fromMs: first - dayMs, toMs: nowMs },
  { fromMs: first + 12_345, toMs: nowMs - dayMs },
  { fromMs: first + 3 * dayMs, toMs: first + 9 * dayMs }
]
const shapes = [
  { by: ["model", "upstream"] as const },
  { by: ["key_id"] as const, stepMs: dayMs },
  { by: ["account_id"] as const, stepMs: hourMs },
  { scope: { owner: "account-1" } },
  { scope: { key: "key-1" } }
]
const read = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const found = []
  for (const span of spans) {
    for (const shape of shapes) {
      const sums = yield* sumsOf(sql, requestBook(sql), { span, nowMs, ...shape, measures })
      const tries = yield* sumsOf(sql, attemptBook(sql), { span, nowMs, by: ["upstream"], measures: ["attempts"] })
      found.push([span, shape, ordered(sums), ordered(tries)])
    }
  }
  return found
})
const ordered = (some: ReadonlyArray<unknown>) => some.map((one) => JSON.stringify(one)).toSorted()

const world = () => Layer.fresh(RequestDays.Default.pipe(Layer.provideMerge(database())))

describeOnEach("the sums of days", ({ name }) => {
  it.effect("are those of their hours, once a day has been over for a day, and are read in their place", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* stored
      const before = yield* read
      expect(yield* addAll).toBeGreaterThan(5)
      expect(yield* addAll).toBe(0)
      const [told] = yield* sql`SELECT MIN(day) AS first, MAX(day) AS last FROM request_days`
      expect(told).toEqual({ first: "2026-02-20", last: "2026-03-02" })
      expect(yield* read).toEqual(before)
      // Only sums of days say this.
      yield* sql`UPDATE request_days SET requests = 1000 WHERE day = '2026-02-25'`
      yield* sql`DELETE FROM request_hours WHERE hour < ${Date.parse("2026-03-03")}`
      const span = { fromMs: first, toMs: nowMs }
      const [all] = yield* sumsOf(sql, requestBook(sql), { span, nowMs, by: ["model"], measures: ["requests"] })
      expect(all?.requests).toBeGreaterThan(1_000)
    }).pipe(Effect.provide(world()))
  )

  it.effect("are added up again where one of their hours is written late", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* stored
      yield* addAll
      const late = Array.from({ length: 5 }, (_, n) => rowOf(first + 4 * dayMs + 7 * hourMs + 500 + n, n))
      yield* store(late)
      const soon = yield* read
      yield* addAll
      expect(yield* read).toEqual(soon)
      const [day] = yield* sql`SELECT CAST(SUM(requests) AS TEXT) AS n FROM request_days WHERE day = '2026-02-24'`
      const [hours] = yield* sql`SELECT CAST(SUM(requests) AS TEXT) AS n FROM request_hours
        WHERE hour >= ${first + 4 * dayMs} AND hour < ${first + 5 * dayMs}`
      expect(day).toEqual(hours)
    }).pipe(Effect.provide(world()))
  )

  it.effect("cost a request nothing when it is written", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const write = requestWriter(sql)
      const texts = write([rowOf(Date.now(), 1)]).map(({ text }) => text)
      expect(texts.length).toBe(name === "sqlite" ? 2 : 1)
      expect(texts.join()).not.toMatch(/request_days|upkeep/)
      expect(write([rowOf(Date.now() - 3 * dayMs, 1)]).at(-1)?.text).toContain("upkeep")
    }).pipe(Effect.provide(world()))
  )
})
