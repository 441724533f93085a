import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * How answers were served, their calls, and what of them had no price. Nullable columns without a default: no row is
 * rewritten, and older nodes leave them out. `cost_lines` explains a cost that the other columns don't.
 */
export const service = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const column of ["service_tier", "speed", "inference_geo", "calls", "price_gap", "cost_lines"]) {
    yield* sql`ALTER TABLE usage ADD COLUMN ${sql(column)} TEXT`
  }
  yield* sql`CREATE TABLE price_gaps (
    hour BIGINT NOT NULL,
    model TEXT NOT NULL,
    upstream TEXT NOT NULL,
    gap TEXT NOT NULL,
    first_at BIGINT NOT NULL,
    PRIMARY KEY (hour, model, upstream, gap)
  )`
})
