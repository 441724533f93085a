import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** Alerts that have been raised and are not over: `name` is the state that they tell, `seen_at` when a node last saw it. */
export const alerts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE alerts (
    name TEXT PRIMARY KEY,
    id TEXT NOT NULL,
    level TEXT NOT NULL,
    what TEXT NOT NULL,
    target TEXT,
    message TEXT NOT NULL,
    raised_at BIGINT NOT NULL,
    seen_at BIGINT NOT NULL
  )`
})
