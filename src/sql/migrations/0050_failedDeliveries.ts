import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** Finds the few deliveries that failed for good among many. */
export const failedDeliveries = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`CREATE INDEX deliveries_failed ON deliveries (changed_at) WHERE state = 'failed'`
)
