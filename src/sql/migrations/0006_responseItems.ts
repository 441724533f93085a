import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** The responses that contain items with an upstream's ids. They are deleted with their response. */
export const responseItems = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE response_items (
    account_id TEXT NOT NULL,
    item_id TEXT NOT NULL,
    response_id TEXT NOT NULL REFERENCES responses (id) ON DELETE CASCADE,
    PRIMARY KEY (account_id, item_id)
  )`
  yield* sql`CREATE INDEX response_items_response_id ON response_items (response_id)`
})
