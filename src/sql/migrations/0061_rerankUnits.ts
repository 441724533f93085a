import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** Rerank units, which have their own price. */
export const rerankUnits = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE usage ADD COLUMN rerank_units BIGINT NOT NULL DEFAULT 0`
})
