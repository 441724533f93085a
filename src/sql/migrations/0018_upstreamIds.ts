import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** The owners of objects that an upstream keeps under its own ids. */
export const upstreamIds = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE upstream_ids (
    upstream TEXT NOT NULL,
    id TEXT NOT NULL,
    account_id TEXT NOT NULL,
    given_at BIGINT NOT NULL,
    PRIMARY KEY (upstream, id)
  )`
})
