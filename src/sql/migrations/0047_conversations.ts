import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** The conversation of a request; empty if it is not known. Clients choose its name, so it is an account's own. */
export const conversations = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE requests ADD COLUMN conversation TEXT NOT NULL DEFAULT ''`
  yield* sql`CREATE INDEX requests_conversation ON requests (account_id, conversation, id) WHERE conversation <> ''`
})
