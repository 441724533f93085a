import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * The events of background responses' streams, some events a row, by the number of the last of them. They last as long
 * as their task.
 */
export const responseEvents = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE response_events (
    response_id TEXT NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
    last INTEGER NOT NULL,
    frames TEXT NOT NULL,
    PRIMARY KEY (response_id, last)
  )`
})
