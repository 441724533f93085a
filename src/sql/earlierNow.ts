import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Clock, Effect, Schema } from "effect"
import { rows } from "./decode.ts"

/**
 * The time in Unix ms by this machine's clock or by that of Postgres, whichever is earlier: what one node deletes because
 * its clock is ahead is lost for all.
 */
export const earlierNow = (sql: SqlClient.SqlClient): Effect.Effect<number, SqlError> =>
  sql.onDialectOrElse({
    pg: () =>
      Effect.zipWith(
        Clock.currentTimeMillis,
        sql`SELECT (EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::bigint AS now`,
        (here, found) => Math.min(here, times.one(found[0]).now)
      ),
    orElse: () => Clock.currentTimeMillis
  })

const times = rows("upkeep", { now: Schema.Int })
