import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Schema } from "effect"
import { rows } from "../../sql/decode.ts"

/** The most calls whose durations are read, the latest ones. */
const mostRead = 20_000

/** The calls of a server's tools. */
export interface ServerUse {
  readonly calls: number
  /** Those without an answer of the tool, or with one that says it failed. */
  readonly errors: number
  /** Of the calls that were sent, in ms. */
  readonly durations: ReadonlyArray<number>
}

/** Reads how the tools of servers were used. */
export class ToolUse extends Effect.Service<ToolUse>()("gateway/tools/store/ToolUse", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /** By server, of those that were called since. */
    const since = (sinceMs: number): Effect.Effect<ReadonlyMap<string, ServerUse>, SqlError> =>
      Effect.gen(function* () {
        const counted = counts.all(
          yield* sql`SELECT server, CAST(COUNT(*) AS BIGINT) AS calls,
            CAST(SUM(CASE WHEN outcome IN ('completed', 'denied', 'refused', 'cancelled') THEN 0 ELSE 1 END) AS BIGINT) AS errors
            FROM tool_calls WHERE at >= ${sinceMs} GROUP BY server`
        )
        const timed = times.all(
          yield* sql`SELECT server, duration_ms FROM tool_calls WHERE at >= ${sinceMs}
            AND outcome NOT IN ('denied', 'refused', 'unknown') ORDER BY at DESC LIMIT ${mostRead}`
        )
        const durations = Map.groupBy(timed, ({ server }) => server)
        return new Map(
          counted.map(({ calls, errors, server }) => [
            server,
            { calls, errors, durations: (durations.get(server) ?? []).map((one) => one.duration_ms) }
          ])
        )
      })

    return { since } as const
  })
}) {}

const counts = rows("tool_calls", { server: Schema.String, calls: Schema.Int, errors: Schema.Int })
const times = rows("tool_calls", { server: Schema.String, duration_ms: Schema.Int })
