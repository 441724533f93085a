import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Schema } from "effect"
import { attemptBook } from "../../requests/store/attemptBook.ts"
import { rows } from "../../sql/decode.ts"
import { sumsOf } from "../../sums/sumsOf.ts"

const mostOfAKind = 20

/** Problems found in the database; some rows of a kind at most. */
export class Troubles extends Effect.Service<Troubles>()("gateway/admin/store/Troubles", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const most = sql.literal(`LIMIT ${mostOfAKind}`)
    const calls = attemptBook(sql)

    /** Active keys that expire before `untilMs`. */
    const expiring = (nowMs: number, untilMs: number): Effect.Effect<ReadonlyArray<Expiring>, SqlError> =>
      Effect.map(
        sql`SELECT id, name, expires_at FROM keys WHERE revoked_at IS NULL AND expires_at > ${nowMs}
          AND expires_at < ${untilMs} ORDER BY expires_at ${most}`,
        expiringKeys.all
      )

    /** Calls and their failures by upstream, since the start of an hour. `hidden`: another route answered instead. */
    const recentCalls = (sinceMs: number): Effect.Effect<ReadonlyArray<RecentCalls>, SqlError> =>
      Effect.map(
        sumsOf(sql, calls, {
          span: { fromMs: sinceMs, toMs: Infinity },
          by: ["upstream"],
          measures: ["attempts", "failed_attempts", "hidden_failures"],
          most: mostOfAKind
        }),
        (found) =>
          found.slice(0, mostOfAKind).map(({ attempts, failed_attempts, hidden_failures, name }) => ({
            upstream: name,
            calls: attempts,
            failed: failed_attempts,
            hidden: hidden_failures
          }))
      )

    /** Costs above holds since the start of an hour, by model and upstream, of `leastNanoUsd` or more. */
    const aboveHolds = (sinceMs: number, leastNanoUsd: number): Effect.Effect<ReadonlyArray<AboveHolds>, SqlError> =>
      Effect.map(
        sql`SELECT model, upstream, CAST(SUM(above_hold_nano_usd) AS BIGINT) AS nano_usd FROM usage_hours
          WHERE hour >= ${sinceMs} AND above_hold_nano_usd > 0 GROUP BY model, upstream
          HAVING SUM(above_hold_nano_usd) >= ${leastNanoUsd} ORDER BY 3 DESC, 1, 2 ${most}`,
        abovesOfHours.all
      )

    /** Gaps in the prices since the start of an hour: by model and upstream, the first time of each. */
    const priceGaps = (sinceMs: number): Effect.Effect<ReadonlyArray<PriceGap>, SqlError> =>
      Effect.map(
        sql`SELECT model, upstream, gap, MIN(first_at) AS first_at FROM price_gaps WHERE hour >= ${sinceMs}
          GROUP BY model, upstream, gap ORDER BY 4, 1, 2, 3 ${most}`,
        gaps.all
      )

    /** The processes that serve from this database. */
    const processes: Effect.Effect<number, SqlError> = sql.onDialectOrElse({
      pg: () => Effect.map(sql`SELECT COUNT(*) AS n FROM nodes`, (found) => counts.first(found)?.n ?? 0),
      orElse: () => Effect.succeed(1)
    })

    /** True if a key or an account has limits. */
    const hasLimits: Effect.Effect<boolean, SqlError> = Effect.map(
      sql`SELECT 1 AS n WHERE EXISTS (SELECT 1 FROM keys WHERE limits <> '{}' AND revoked_at IS NULL)
        OR EXISTS (SELECT 1 FROM accounts WHERE limits <> '{}' AND deleted_at IS NULL)`,
      (found) => found.length > 0
    )

    /** When each alert that is not over was raised, by its name. */
    const alertedSince: Effect.Effect<ReadonlyMap<string, number>, SqlError> = Effect.map(
      sql`SELECT name, raised_at FROM alerts`,
      (found) => new Map(alerts.all(found).map(({ name, raised_at }) => [name, raised_at]))
    )

    return { expiring, recentCalls, aboveHolds, priceGaps, processes, hasLimits, alertedSince } as const
  })
}) {}

const expiringKeys = rows("keys", { id: Schema.String, name: Schema.String, expires_at: Schema.Int })
const abovesOfHours = rows("usage_hours", { model: Schema.String, upstream: Schema.String, nano_usd: Schema.Int })
const gaps = rows("price_gaps", {
  model: Schema.String,
  upstream: Schema.String,
  gap: Schema.String,
  first_at: Schema.Int
})
const counts = rows("nodes", { n: Schema.Int })
const alerts = rows("alerts", { name: Schema.String, raised_at: Schema.Int })

type Expiring = ReturnType<typeof expiringKeys.one>
type AboveHolds = ReturnType<typeof abovesOfHours.one>
type PriceGap = ReturnType<typeof gaps.one>
interface RecentCalls {
  readonly upstream: string
  readonly calls: number
  readonly failed: number
  readonly hidden: number
}
