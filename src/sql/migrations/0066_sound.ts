import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** Characters and seconds, by which models of sound are paid. No release has stored any, so that no sum changes. */
export const sound = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const table of ["usage", "usage_days", "usage_hours", "usage_unsummed"]) {
    yield* sql`ALTER TABLE ${sql(table)} ADD COLUMN characters BIGINT NOT NULL DEFAULT 0`
    yield* sql`ALTER TABLE ${sql(table)} ADD COLUMN audio_seconds BIGINT NOT NULL DEFAULT 0`
  }
})
