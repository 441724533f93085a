import { SqlClient } from "@effect/sql"
import { Effect, Layer, Redacted } from "effect"
import { Keys } from "../../src/access/store/Keys.ts"
import { AccountId } from "../../src/contract/callers/Caller.ts"
import * as Database from "../../src/sql/Database.ts"

/** The size of a seeded database. */
export interface Size {
  /** Days of sums; each has a row for each key and model. */
  readonly days: number
  /** Hours of sums, of the last days. */
  readonly hours: number
  /** Rows of requests, and of usage, in the same hours. */
  readonly requests: number
}

const [keys, models] = [50, 10] as const
const hourMs = 3_600_000
/** Rows of one insert: one of a million would hold the memory of all. */
const atOnce = 100_000

/** The account that owns all that is seeded. */
const account = AccountId.make("team")
/** Secrets of readers, all of that account. */
export const readers: ReadonlyArray<string> = Array.from({ length: 4 }, (_, n) => `reader-${n}-0123456789abcdefghijklm`)

/** The secret of light requests, of another account. */
export const lightKey = "light-0123456789abcdefghijklmnop"

/** Seeds a year of sums and the rows of its last days: 50 keys, each with 10 models. */
const seed = ({ days, hours, requests }: Size) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const store = yield* Keys
    for (const secret of readers) yield* store.create({ account, name: secret, secret: Redacted.make(secret) })
    yield* store.create({ account: AccountId.make("light"), name: "light", secret: Redacted.make(lightKey) })
    const first = Math.floor(Date.now() / hourMs) * hourMs - hours * hourMs
    const numbers = (from: number, to: number) =>
      sql`WITH RECURSIVE n(i) AS (SELECT CAST(${from} AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ${to})`
    const key = sql.literal(`'key_' || (i % ${keys})`)
    const model = sql.literal(`'model-' || (i / ${keys} % ${models})`)
    const upstream = sql.literal(`'upstream-' || (i / ${keys} % 3)`)
    const dayOf = sql.onDialectOrElse({
      pg: () => (of: string) => sql.literal(`to_char(to_timestamp(${of}) AT TIME ZONE 'UTC', 'YYYY-MM-DD')`),
      orElse: () => (of: string) => sql.literal(`strftime('%Y-%m-%d', ${of}, 'unixepoch')`)
    })
    const nowSeconds = Math.floor(Date.now() / 1_000)
    yield* sql`${numbers(0, keys)} INSERT INTO keys (id, account_id, name, hash, hint, created_at)
      SELECT 'key_' || i, ${account}, 'seeded ' || i, 'hash ' || i, '', i FROM n`
    yield* inParts(
      days * keys * models,
      (from, to) => sql`${numbers(from, to)}
      INSERT INTO usage_days (account_id, day, key_id, model, requests, input_tokens, cache_read_tokens,
        cache_write_tokens, output_tokens, reasoning_tokens, searches, video_frames, cost_nano_usd, upstream_cost_nano_usd)
      SELECT ${account}, ${dayOf(`${nowSeconds} - 86400 * (i / ${keys * models})`)}, ${key}, ${model},
        3, 1000, 10, 10, 200, 5, 0, 0, 1000 + i % 977, 900 FROM n`
    )
    const hour = sql.literal(`${first} + i / ${keys * models} * ${hourMs}`)
    yield* inParts(
      hours * keys * models,
      (from, to) => sql`${numbers(from, to)}
      INSERT INTO usage_hours (hour, account_id, key_id, model, upstream, input_tokens, cache_read_tokens,
        cache_write_tokens, output_tokens, cost_nano_usd, upstream_cost_nano_usd)
      SELECT ${hour}, ${account}, ${key}, ${model}, ${upstream}, 1000, 10, 10, 200, 1000 + i % 977, 900 FROM n`
    )
    yield* inParts(
      hours * keys * models,
      (from, to) => sql`${numbers(from, to)}
      INSERT INTO request_hours (hour, account_id, key_id, model, upstream, requests, errors, first_byte_ms, duration_ms,
        input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens, searches, cost_nano_usd,
        refused, hang_ups, attempts, failed_attempts, hidden_failures)
      SELECT ${hour}, ${account}, ${key}, ${model}, ${upstream}, 3, 1, 100, 900, 1000, 200, 10, 10, 5, 0, 1000, 1, 0, 3, 1, 0
        FROM n`
    )
    const at = sql.literal(`CAST(${first} + i * ${(hours * hourMs) / requests} AS BIGINT)`)
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
    yield* sql.onDialectOrElse({
      pg: () => sql`ANALYZE`,
      orElse: () => sql`PRAGMA wal_checkpoint(TRUNCATE)`
    })
  })

/** Runs an insert for parts of a number of rows. */
export const inParts = <A, E, R>(rows: number, insert: (from: number, to: number) => Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    for (let from = 0; from < rows; from += atOnce) yield* insert(from, Math.min(rows, from + atOnce))
  })

/** Seeds a new database. */
export const seedDatabase = (url: string, size: Size): Promise<void> =>
  Effect.runPromise(
    Effect.provide(seed(size), Layer.provideMerge(Keys.Default, Database.layer({ url, exclusive: false })))
  )
