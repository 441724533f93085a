import { SqlClient } from "@effect/sql"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { settledMoney } from "../../src/sql/migrations/0034_settledMoney.ts"
import { database, describeOnEach } from "./engines.ts"

const hourMs = 3_600_000

/** Undoes the migration. */
const before = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const texts = [
    "DROP INDEX usage_tasks",
    "DROP TABLE usage_hours",
    ...["usage", "usage_days", "usage_unsummed", "requests"].map(
      (table) => `ALTER TABLE ${table} DROP COLUMN upstream_cost_nano_usd`
    ),
    "ALTER TABLE usage DROP COLUMN task_id",
    "ALTER TABLE usage_unsummed DROP COLUMN hour",
    "ALTER TABLE usage_unsummed DROP COLUMN upstream",
    "ALTER TABLE requests DROP COLUMN settled_at"
  ]
  yield* sql.onDialectOrElse({
    pg: () =>
      sql
        .unsafe("DROP TRIGGER usage_of_older_node ON usage; DROP FUNCTION add_usage_of_older_node()")
        .pipe(Effect.asVoid),
    orElse: () => Effect.void
  })
  for (const text of texts) yield* sql.unsafe(text)
})

const used = { output_tokens: 3, cache_read_tokens: 0, cache_write_tokens: 0, reasoning_tokens: 0, searches: 0 }
const usage = {
  account_id: "a",
  key_id: "k",
  model: "m",
  upstream: "u",
  outcome: "finished",
  estimated: 0,
  price: "{}",
  input_tokens: 2,
  ...used,
  video_frames: 0
}
const request = {
  account_id: "a",
  key_id: "k",
  family: "videos",
  endpoint: "/",
  model: "m",
  upstream_model: "",
  upstream: "",
  status: 200,
  error: "",
  stream: 0,
  first_byte_ms: 1,
  duration_ms: 1,
  input_tokens: 0,
  ...used,
  details: "{}"
}
const day = {
  account_id: "a",
  day: "1970-01-01",
  key_id: "k",
  model: "m",
  requests: 3,
  input_tokens: 6,
  ...used,
  video_frames: 0,
  cost_nano_usd: 111
}

describeOnEach("an upgrade to money by the hour in which it is settled", () => {
  it.effect(
    "adds up the hours again, tells requests what their tasks cost, and counts what older nodes still write",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* before
        const insert = (id: string, at: number, cost: number) =>
          sql`INSERT INTO usage ${sql.insert({ ...usage, at, request_id: id, cost_nano_usd: cost })}`
        yield* insert("own", hourMs + 1, 1)
        yield* insert("video", hourMs + 2, 10)
        yield* insert("later", 2 * hourMs, 100)
        yield* sql`INSERT INTO usage_days ${sql.insert(day)}`
        yield* sql`INSERT INTO requests ${sql.insert([
          { ...request, at: 5, request_id: "video", cost_nano_usd: null },
          { ...request, at: 6, request_id: "own", cost_nano_usd: 1 },
          { ...request, at: 7, request_id: "refused", cost_nano_usd: null }
        ])}`
        yield* settledMoney

        const hours = sql`SELECT hour, input_tokens, output_tokens, cost_nano_usd, upstream_cost_nano_usd FROM usage_hours ORDER BY hour`
        const second = {
          hour: 2 * hourMs,
          input_tokens: 2,
          output_tokens: 3,
          cost_nano_usd: 100,
          upstream_cost_nano_usd: 100
        }
        expect(yield* hours).toEqual([
          { hour: hourMs, input_tokens: 4, output_tokens: 6, cost_nano_usd: 11, upstream_cost_nano_usd: 11 },
          second
        ])
        expect(yield* sql`SELECT request_id, cost_nano_usd, settled_at FROM requests ORDER BY id`).toEqual([
          { request_id: "video", cost_nano_usd: 10, settled_at: hourMs + 2 },
          { request_id: "own", cost_nano_usd: 1, settled_at: null },
          { request_id: "refused", cost_nano_usd: null, settled_at: null }
        ])
        const days = sql`SELECT cost_nano_usd, upstream_cost_nano_usd FROM usage_days`
        expect(yield* days).toEqual([{ cost_nano_usd: 111, upstream_cost_nano_usd: 111 }])

        const isShared = sql.onDialectOrElse({ pg: () => true, orElse: () => false })
        if (!isShared) return
        yield* insert("of an older node", 2 * hourMs, 1_000)
        expect((yield* hours)[1]).toEqual({
          ...second,
          input_tokens: 4,
          output_tokens: 6,
          cost_nano_usd: 1_100,
          upstream_cost_nano_usd: 1_100
        })
        expect(yield* days).toEqual([{ cost_nano_usd: 111, upstream_cost_nano_usd: 1_111 }])
      }).pipe(Effect.provide(database()))
  )
})
