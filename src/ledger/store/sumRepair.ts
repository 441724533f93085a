import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import type { Statement } from "@effect/sql/Statement"
import { Effect, Schema } from "effect"
import { rows } from "../../sql/decode.ts"
import { idsByTime } from "../../sql/idsByTime.ts"
import { isUsed } from "./following.ts"
import { settledMeasures } from "../../sums/Sums.ts"
import { dayOf } from "./usageRows.ts"

/** The number of sums that lacked something, and the money that they lacked, in nano-dollars. */
export interface Missing {
  readonly sums: number
  readonly nanoUsd: number
  readonly upstreamNanoUsd: number
}

export interface Repaired {
  readonly hours: Missing
  readonly days: Missing
  /** The begin of the next slice, in Unix ms; undefined if this was the last one. */
  readonly nextMs: number | undefined
}

/** The progress of a repair that is over. */
export const done = -1
const [hourMs, dayMs] = [3_600_000, 86_400_000]
/** Rows of nodes that could not reach the database are stored later; sums of rows that come even later stay as they are. */
const lateMs = hourMs
/** The most rows of a slice of a day: a longer day is compared hour by hour. */
const mostRows = 200_000

const list = (of: (name: string) => string) => settledMeasures.map(of).join(", ")
const columns = list((name) => name)
const negated = list((name) => `-${name}`)
const added = list((name) => `SUM(${name})::bigint AS ${name}`)
const isMissing = settledMeasures.map((name) => `SUM(${name}) > 0`).join(" OR ")
const missing = list((name) => `GREATEST(SUM(${name}), 0)::bigint AS ${name}`)
const raised = (table: string) => list((name) => `${name} = ${table}.${name} + excluded.${name}`)
const hourKey = "hour, account_id, key_id, model, upstream"
const report = `SELECT COUNT(*) AS sums, COALESCE(SUM(cost_nano_usd), 0)::bigint AS cost,
  COALESCE(SUM(upstream_cost_nano_usd), 0)::bigint AS upstream_cost FROM lacking`
/** Of older gateways' rows, which have no upstream's cost: it equals the charge. */
const rowSums = list((name) =>
  name === "upstream_cost_nano_usd"
    ? `SUM(COALESCE(${name}, cost_nano_usd))::bigint AS ${name}`
    : `SUM(${name})::bigint AS ${name}`
)

/**
 * Compares sums of usage with the rows of `usage` and adds what they lack, on Postgres: nodes of an older version added up
 * rows without the columns that they didn't know. One statement reads rows, sums, and what is not added up yet, so it
 * counts nothing twice while nodes serve; it only adds, as they do. Sums never fall.
 */
export const sumRepair = (sql: SqlClient.SqlClient) => {
  const { ends, firstAt } = idsByTime(sql, { table: "usage", time: "at", lateMs })

  /** The begin of the first slice. Undefined if there is no usage. */
  const firstMs: Effect.Effect<number | undefined, SqlError> = Effect.map(
    sql`SELECT at FROM usage ORDER BY id LIMIT 1`,
    (found) => {
      const first = times.first(found)?.at
      return first === undefined ? undefined : hourOf(first - lateMs)
    }
  )

  /** Alone among nodes and commands: of two at once, each would add the same. Undefined if another is at it. */
  const alone = <A>(statement: Statement<unknown>, read: (found: ReadonlyArray<unknown>) => A) =>
    sql.withTransaction(
      Effect.flatMap(sql`SELECT pg_try_advisory_xact_lock(776001, 4) AS taken`, (lock) =>
        locks.one(lock[0]).taken ? Effect.map(statement, read) : Effect.succeed(undefined)
      )
    )

  /**
   * Sums may count names below a wildcard under its pattern (`SumNames`), and some of a name's requests under each: a name
   * and the patterns that match it are compared together, and what they lack is added to the longest pattern.
   */
  const named = (fromMs: number, toMs: number) => sql`patterns AS MATERIALIZED (
      SELECT account_id, model, REPLACE(REPLACE(REPLACE(REPLACE(model, '\\', '\\\\'), '%', '\\%'), '_', '\\_'), '*', '%') AS text
      FROM (
        SELECT account_id, model FROM usage_hours WHERE hour >= ${fromMs} AND hour < ${toMs} AND model LIKE '%*%'
        UNION SELECT account_id, model FROM usage_days WHERE day = ${dayOf(fromMs)} AND model LIKE '%*%'
        UNION SELECT account_id, model FROM usage_unsummed WHERE hour >= ${fromMs} AND hour < ${toMs} AND model LIKE '%*%'
      ) AS wild
    ), named AS (
      SELECT each_one.*, COALESCE((SELECT patterns.model FROM patterns
        WHERE patterns.account_id = each_one.account_id AND each_one.model LIKE patterns.text
        ORDER BY LENGTH(patterns.model) DESC, patterns.model LIMIT 1), model) AS name FROM each_one
    )`

  /** As every statement that changes sums locks them: by the ids of their accounts, in order. */
  const locked = sql.literal(`cur AS MATERIALIZED (
      SELECT id FROM accounts WHERE id = ANY (ARRAY(SELECT account_id FROM lacking)) ORDER BY id FOR NO KEY UPDATE
    )`)

  const repairHours = Effect.fnUntraced(function* (fromMs: number, toMs: number) {
    const all = yield* ends
    if (all === undefined) return nothingMissing
    const first = yield* firstAt(fromMs, all)
    const until = yield* firstAt(toMs + 2 * lateMs, all)
    // Rows that come meanwhile are in the sums already.
    const isBefore = until > all.last ? sql`` : sql`AND id < ${until}`
    return yield* alone(
      sql`WITH each_one AS (
        SELECT at - at % 3600000 AS hour, account_id, key_id, model, upstream, ${sql.literal(rowSums)} FROM usage
        WHERE id >= ${first} ${isBefore} AND at >= ${fromMs} AND at < ${toMs} GROUP BY 1, 2, 3, 4, 5
        UNION ALL SELECT ${sql.literal(`${hourKey}, ${negated}`)} FROM usage_hours WHERE hour >= ${fromMs} AND hour < ${toMs}
        UNION ALL SELECT ${sql.literal(`${hourKey}, ${negated}`)} FROM usage_unsummed
          WHERE hour >= ${fromMs} AND hour < ${toMs} AND ${sql.literal(isUsed)}
      ), ${named(fromMs, toMs)}, lacking AS MATERIALIZED (
        SELECT hour, account_id, key_id, name AS model, upstream, ${sql.literal(missing)} FROM named
        GROUP BY 1, 2, 3, 4, 5 HAVING ${sql.literal(isMissing)}
      ), ${locked}, mended AS (
        INSERT INTO usage_hours (${sql.literal(`${hourKey}, ${columns}`)})
        SELECT ${sql.literal(`${hourKey}, ${columns}`)} FROM lacking WHERE (SELECT COUNT(*) FROM cur) >= 0
        ORDER BY ${sql.literal(hourKey)}
        ON CONFLICT (${sql.literal(hourKey)}) DO UPDATE SET ${sql.literal(raised("usage_hours"))}
      ) ${sql.literal(report)}`,
      missingOf
    )
  })

  /**
   * From the hours, which have every column that older nodes lose. Rows of the oldest nodes that are not added up yet
   * (hour -1) are in the hours already.
   */
  const repairDay = (atMs: number) => {
    const fromMs = atMs - (atMs % dayMs)
    const [toMs, day] = [fromMs + dayMs, dayOf(fromMs)]
    return alone(
      sql`WITH each_one AS (
        SELECT account_id, key_id, model, ${sql.literal(added)} FROM usage_hours
        WHERE hour >= ${fromMs} AND hour < ${toMs} GROUP BY 1, 2, 3
        UNION ALL SELECT account_id, key_id, model, ${sql.literal(negated)} FROM usage_days WHERE day = ${day}
        UNION ALL SELECT account_id, key_id, model, ${sql.literal(negated)} FROM usage_unsummed
          WHERE day = ${day} AND ${sql.literal(isUsed)} AND hour < 0
      ), ${named(fromMs, toMs)}, lacking AS MATERIALIZED (
        SELECT account_id, key_id, name AS model, ${sql.literal(missing)} FROM named
        GROUP BY 1, 2, 3 HAVING ${sql.literal(isMissing)}
      ), ${locked}, mended AS (
        INSERT INTO usage_days (account_id, day, key_id, model, requests, reasoning_tokens, searches, video_frames,
          ${sql.literal(columns)})
        SELECT account_id, ${day}, key_id, model, 0, 0, 0, 0, ${sql.literal(columns)} FROM lacking
        WHERE (SELECT COUNT(*) FROM cur) >= 0 ORDER BY account_id, key_id, model
        ON CONFLICT (account_id, day, key_id, model) DO UPDATE SET ${sql.literal(raised("usage_days"))}
      ) ${sql.literal(report)}`,
      missingOf
    )
  }

  /** The end of the slice that begins at a time. */
  const endOf = Effect.fnUntraced(function* (fromMs: number): Effect.fn.Return<number, SqlError> {
    const endMs = fromMs - (fromMs % dayMs) + dayMs
    const all = yield* ends
    if (all === undefined) return endMs
    const count = (yield* firstAt(endMs, all)) - (yield* firstAt(fromMs, all))
    return count > mostRows ? fromMs + hourMs : endMs
  })

  /**
   * Repairs the hours of a slice, and the sums of its day: an hour at least, a day at most. Undefined if another process
   * is at it.
   *
   * @param fromMs an hour's begin
   */
  const slice = Effect.fnUntraced(function* (
    fromMs: number,
    nowMs: number
  ): Effect.fn.Return<Repaired | undefined, SqlError> {
    const endMs = yield* endOf(fromMs)
    const hours = yield* repairHours(fromMs, endMs)
    const days = hours && (yield* repairDay(fromMs))
    return hours && days && { hours, days, nextMs: endMs > nowMs ? undefined : endMs }
  })

  /** The begin of the next slice of the repair that is done once, or `done`. Undefined before its first. */
  const progress: Effect.Effect<number | undefined, SqlError> = Effect.map(
    sql`SELECT value FROM upkeep WHERE name = 'usage_sums'`,
    (found) => values.first(found)?.value
  )
  const store = (value: number): Effect.Effect<unknown, SqlError> =>
    sql`INSERT INTO upkeep (name, value) VALUES ('usage_sums', ${value}) ON CONFLICT (name)
      DO UPDATE SET value = excluded.value WHERE upkeep.value <> ${done}`

  return { firstMs, slice, progress, store } as const
}

/** Of sums that are whole. */
export const nothingMissing: Missing = { sums: 0, nanoUsd: 0, upstreamNanoUsd: 0 }

/** The sums of two slices. */
export const both = (one: Missing, other: Missing): Missing => ({
  sums: one.sums + other.sums,
  nanoUsd: one.nanoUsd + other.nanoUsd,
  upstreamNanoUsd: one.upstreamNanoUsd + other.upstreamNanoUsd
})

const hourOf = (ms: number) => ms - (ms % hourMs)

const values = rows("upkeep", { value: Schema.Int })
const times = rows("usage", { at: Schema.Int })
const locks = rows("pg_locks", { taken: Schema.Boolean })
const lackings = rows("usage", { sums: Schema.Int, cost: Schema.Int, upstream_cost: Schema.Int })
const missingOf = (found: ReadonlyArray<unknown>): Missing => {
  const { cost, sums, upstream_cost } = lackings.one(found[0])
  return { sums, nanoUsd: cost, upstreamNanoUsd: upstream_cost }
}
