import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * Events of background responses' streams, several per row, by the number of the last one. They are deleted with their
 * task.
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
