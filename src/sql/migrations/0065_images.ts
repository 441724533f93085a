import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** Images of image models, which have their own price. No release has stored any, so that no sum changes. */
export const images = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const table of ["usage", "usage_days", "usage_hours", "usage_unsummed"]) {
    yield* sql`ALTER TABLE ${sql(table)} ADD COLUMN images BIGINT NOT NULL DEFAULT 0`
  }
})
