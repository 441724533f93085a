import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Schema } from "effect"
import { hourSlices } from "../../ledger/store/hourSlices.ts"
import { rows } from "../../sql/decode.ts"

const mostOfAKind = 20

/** Problems found in the database; some rows of a kind at most. */
export class Troubles extends Effect.Service<Troubles>()("gateway/admin/store/Troubles", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const most = sql.literal(`LIMIT ${mostOfAKind}`)
    const inHours = hourSlices(sql, "request_hours")

    /** Active keys that expire before `untilMs`. */
    const expiring = (nowMs: number, untilMs: number): Effect.Effect<ReadonlyArray<Expiring>, SqlError> =>
      Effect.map(
        sql`SELECT id, name, expires_at FROM keys WHERE revoked_at IS NULL AND expires_at > ${nowMs}
          AND expires_at < ${untilMs} ORDER BY expires_at ${most}`,
        expiringKeys.all
      )

    /** Calls and their failures by upstream, since the start of an hour. `hidden`: another route answered instead. */
    const recentCalls = (sinceMs: number): Effect.Effect<ReadonlyArray<RecentCalls>, SqlError> =>
      Effect.suspend(() => {
        const found = new Map<string, RecentCalls>()
        const add = (sums: RecentCalls) => found.set(sums.upstream, added(sums, found.get(sums.upstream)))
        const reading = inHours({ fromMs: sinceMs }, (within) =>
          Effect.map(
            sql`SELECT upstream, CAST(SUM(attempts) AS BIGINT) AS calls,
                CAST(SUM(failed_attempts) AS BIGINT) AS failed, CAST(SUM(hidden_failures) AS BIGINT) AS hidden
              FROM request_hours WHERE ${within} AND attempts > 0 GROUP BY upstream`,
            (some) => upstreams.all(some).forEach(add)
          )
        )
        return Effect.map(reading, () => [...found.values()].slice(0, mostOfAKind))
      })

    /** Costs above holds since the start of an hour, by model and upstream, of `leastNanoUsd` or more. */
    const aboveHolds = (sinceMs: number, leastNanoUsd: number): Effect.Effect<ReadonlyArray<AboveHolds>, SqlError> =>
      Effect.map(
        sql`SELECT model, upstream, CAST(SUM(above_hold_nano_usd) AS BIGINT) AS nano_usd FROM usage_hours
          WHERE hour >= ${sinceMs} AND above_hold_nano_usd > 0 GROUP BY model, upstream
          HAVING SUM(above_hold_nano_usd) >= ${leastNanoUsd} ORDER BY 3 DESC, 1, 2 ${most}`,
        abovesOfHours.all
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

    return { expiring, recentCalls, aboveHolds, processes, hasLimits, alertedSince } as const
  })
}) {}

const expiringKeys = rows("keys", { id: Schema.String, name: Schema.String, expires_at: Schema.Int })
const upstreams = rows("request_hours", {
  upstream: Schema.String,
  calls: Schema.Int,
  failed: Schema.Int,
  hidden: Schema.Int
})
const abovesOfHours = rows("usage_hours", { model: Schema.String, upstream: Schema.String, nano_usd: Schema.Int })
const added = (one: RecentCalls, other: RecentCalls | undefined): RecentCalls =>
  other === undefined
    ? one
    : {
        upstream: one.upstream,
        calls: one.calls + other.calls,
        failed: one.failed + other.failed,
        hidden: one.hidden + other.hidden
      }
const counts = rows("nodes", { n: Schema.Int })
const alerts = rows("alerts", { name: Schema.String, raised_at: Schema.Int })

type Expiring = ReturnType<typeof expiringKeys.one>
type AboveHolds = ReturnType<typeof abovesOfHours.one>
type RecentCalls = ReturnType<typeof upstreams.one>
