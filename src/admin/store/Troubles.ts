import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Schema } from "effect"
import { rows } from "../../sql/decode.ts"

/** Problems found in the database; at most 20 rows each. */
export class Troubles extends Effect.Service<Troubles>()("gateway/admin/store/Troubles", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const most = sql.literal("LIMIT 20")

    /** Active keys that expire before `untilMs`. */
    const expiring = (nowMs: number, untilMs: number): Effect.Effect<ReadonlyArray<Expiring>, SqlError> =>
      Effect.map(
        sql`SELECT id, name, expires_at FROM keys WHERE revoked_at IS NULL AND expires_at > ${nowMs}
          AND expires_at < ${untilMs} ORDER BY expires_at ${most}`,
        expiringKeys.all
      )

    /** Requests and errors by upstream, since the start of an hour. A caller's hang-up is not an error. */
    const recentRequests = (sinceMs: number): Effect.Effect<ReadonlyArray<RecentRequests>, SqlError> =>
      Effect.map(
        sql`SELECT upstream, CAST(SUM(requests) AS BIGINT) AS requests, CAST(SUM(errors - hang_ups) AS BIGINT) AS errors
          FROM request_hours WHERE hour >= ${sinceMs} AND upstream <> '' GROUP BY upstream ${most}`,
        upstreams.all
      )

    return { expiring, recentRequests } as const
  })
}) {}

const expiringKeys = rows("keys", { id: Schema.String, name: Schema.String, expires_at: Schema.Int })
const upstreams = rows("request_hours", { upstream: Schema.String, requests: Schema.Int, errors: Schema.Int })

type Expiring = ReturnType<typeof expiringKeys.one>
type RecentRequests = ReturnType<typeof upstreams.one>
