import { SqlClient } from "@effect/sql"
import { Duration, Effect, Layer, Option, Redacted } from "effect"
import { Keys } from "../../src/access/store/Keys.ts"
import { AccountId } from "../../src/contract/callers/Caller.ts"
import * as Database from "../../src/sql/Database.ts"
import { inParts, lightKey, readers } from "../reports/seed.ts"

/** A year's rows. */
export interface Year {
  readonly requests: number
  readonly tasks: number
}

const [keys, models] = [50, 10] as const
const dayMs = 86_400_000
const yearMs = 365 * dayMs
const dayCounts = [
  "requests",
  "errors",
  "refused",
  "hang_ups",
  "input_tokens",
  "cache_read_tokens",
  "cache_write_tokens",
  "output_tokens",
  "reasoning_tokens",
  "searches",
  "attempts",
  "failed_attempts",
  "hidden_failures",
  "outpaced_attempts"
]
const account = AccountId.make("team")

/** Seeds a year of requests and tasks, spread evenly up to now, with the sums that a gateway would have. */
const seed = ({ requests, tasks }: Year) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const store = yield* Keys
    for (const secret of readers) yield* store.create({ account, name: secret, secret: Redacted.make(secret) })
    yield* store.create({ account: AccountId.make("light"), name: "light", secret: Redacted.make(lightKey) })
    yield* sql.onDialectOrElse({ pg: () => Effect.void, orElse: () => sql`PRAGMA synchronous = OFF` })
    const first = Date.now() - yearMs
    const numbers = (from: number, to: number) =>
      sql`WITH RECURSIVE n(i) AS (SELECT CAST(${from} AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ${to})`
    const [key, model, upstream] = [
      sql.literal(`'key_' || (i % ${keys})`),
      sql.literal(`'model-' || (i / ${keys} % ${models})`),
      sql.literal(`'upstream-' || (i / ${keys} % 3)`)
    ]
    yield* sql`${numbers(0, keys)} INSERT INTO keys (id, account_id, name, hash, hint, created_at)
      SELECT 'key_' || i, ${account}, 'seeded ' || i, 'hash ' || i, '', i FROM n`
    const timeOf = (count: number) => sql.literal(`${first} + CAST(i * ${yearMs / count} AS BIGINT)`)
    const at = timeOf(requests)
    const details = `{"attempts":[{"upstream":"upstream-1","upstream_model":"m","status":200,"duration_ms":80}],"tags":["prod","team=a"],"end_user":"user"}`
    yield* inParts(
      requests,
      (from, to) => sql`${numbers(from, to)}
      INSERT INTO requests (at, request_id, account_id, key_id, family, endpoint, model, upstream_model, upstream, status,
        error, stream, first_byte_ms, duration_ms, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens,
        reasoning_tokens, searches, cost_nano_usd, upstream_cost_nano_usd, settled_at, conversation, details)
      SELECT ${at}, 'req_' || i, ${account}, ${key}, 'messages', '/v1/messages', ${model}, 'm', ${upstream},
        CASE WHEN i % 50 = 0 THEN 429 ELSE 200 END, CASE WHEN i % 50 = 0 THEN 'rate_limited' ELSE '' END, i % 2,
        100 + i % 91, 900 + i % 801, 1000, 200, 10, 10, 5, 0, 1000 + i % 977, 900, ${at}, '', ${details} FROM n`
    )
    yield* inParts(
      requests,
      (from, to) => sql`${numbers(from, to)}
      INSERT INTO usage (at, request_id, account_id, key_id, model, upstream, outcome, estimated, input_tokens,
        cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, searches, video_frames, price,
        cost_nano_usd, upstream_cost_nano_usd)
      SELECT ${at}, 'req_' || i, ${account}, ${key}, ${model}, ${upstream}, 'finished', 0, 1000, 10, 10, 200, 5, 0, 0,
        '{"input":"1","output":"2"}', 1000 + i % 977, 900 FROM n`
    )
    const day = sql.onDialectOrElse({
      pg: () => sql.literal(`to_char(to_timestamp(at / 1000) AT TIME ZONE 'UTC', 'YYYY-MM-DD')`),
      orElse: () => sql.literal(`strftime('%Y-%m-%d', at / 1000, 'unixepoch')`)
    })
    const used = sql.literal(
      [
        "input_tokens",
        "cache_read_tokens",
        "cache_write_tokens",
        "output_tokens",
        "cost_nano_usd",
        "upstream_cost_nano_usd"
      ].join()
    )
    const summed = sql.literal(
      "SUM(input_tokens), SUM(cache_read_tokens), SUM(cache_write_tokens), SUM(output_tokens), SUM(cost_nano_usd), SUM(upstream_cost_nano_usd)"
    )
    yield* sql`INSERT INTO usage_days (account_id, day, key_id, model, ${used}, requests, reasoning_tokens, searches,
        video_frames)
      SELECT account_id, ${day}, key_id, model, ${summed}, COUNT(*), SUM(reasoning_tokens), 0, 0 FROM usage
      GROUP BY 1, 2, 3, 4`
    yield* sql`INSERT INTO usage_hours (hour, account_id, key_id, model, upstream, ${used})
      SELECT at - at % 3600000, account_id, key_id, model, upstream, ${summed} FROM usage GROUP BY 1, 2, 3, 4, 5`
    yield* sql`INSERT INTO request_hours (hour, account_id, key_id, model, upstream, input_tokens, cache_read_tokens,
        cache_write_tokens, output_tokens, cost_nano_usd, requests, errors,
        first_byte_ms, duration_ms, reasoning_tokens, searches, refused, hang_ups, attempts, failed_attempts,
        hidden_failures)
      SELECT at - at % 3600000, account_id, key_id, model, upstream, SUM(input_tokens), SUM(cache_read_tokens),
        SUM(cache_write_tokens), SUM(output_tokens), SUM(cost_nano_usd), COUNT(*),
        SUM(CASE WHEN status >= 400 THEN 1 ELSE 0 END), SUM(first_byte_ms), SUM(duration_ms), SUM(reasoning_tokens), 0,
        0, 0, COUNT(*), 0, 0 FROM requests GROUP BY 1, 2, 3, 4, 5`
    const counts = sql.literal(dayCounts.join())
    const dayCountsSummed = sql.literal(dayCounts.map((name) => `SUM(${name})`).join())
    const dayOfHour = sql.onDialectOrElse({
      pg: () => sql.literal(`to_char(to_timestamp(hour / 1000) AT TIME ZONE 'UTC', 'YYYY-MM-DD')`),
      orElse: () => sql.literal(`strftime('%Y-%m-%d', hour / 1000, 'unixepoch')`)
    })
    const summedUntil = Math.floor(Date.now() / dayMs - 1) * dayMs
    yield* sql`INSERT INTO request_days (day, account_id, key_id, model, upstream, ${counts})
      SELECT ${dayOfHour}, account_id, key_id, model, upstream, ${dayCountsSummed} FROM request_hours
      WHERE hour < ${summedUntil} GROUP BY 1, 2, 3, 4, 5`
    yield* sql`INSERT INTO upkeep (name, value) VALUES ('request_days', ${summedUntil})`
    const began = timeOf(tasks)
    yield* inParts(
      tasks,
      (from, to) => sql`${numbers(from, to)}
      INSERT INTO tasks (id, kind, account_id, key_id, model, state, lane, upstream, upstream_id, details, changes,
        attempts, tries, next_run_at, created_at, updated_at, ended_at)
      SELECT 'cgt-' || i, 'video', ${account}, ${key}, 'sandbox-video',
        CASE WHEN i % 31 = 0 THEN 'failed' ELSE 'succeeded' END, 'sandbox', 'sandbox', 'up-' || i, '{}', 3, 0, 0,
        ${began}, ${began}, ${began}, ${began} FROM n`
    )
    yield* sql.onDialectOrElse({
      pg: () => Effect.zipRight(sql`INSERT INTO upkeep (name, value) VALUES ('usage_sums', -1)`, sql`VACUUM ANALYZE`),
      orElse: () => sql`PRAGMA wal_checkpoint(TRUNCATE)`
    })
  })

/** A statement of millions of rows takes minutes. */
const pool = {
  directUrl: Option.none(),
  connections: 2,
  prepare: true,
  statementTimeout: Duration.hours(2),
  slowQuery: Duration.infinity
}

/** Seeds a new database. */
export const seedYear = (url: string, year: Year): Promise<void> =>
  Effect.runPromise(
    Effect.provide(seed(year), Layer.provideMerge(Keys.Default, Database.layer({ url, exclusive: false, pool })))
  )
