import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** Sums of rerank units. No release has stored any, so that there is nothing to compute from `usage`. */
export const rerankSums = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const table of ["usage_days", "usage_hours", "usage_unsummed"]) {
    yield* sql`ALTER TABLE ${sql(table)} ADD COLUMN rerank_units BIGINT NOT NULL DEFAULT 0`
  }
})
