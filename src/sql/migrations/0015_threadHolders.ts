import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** The upstream that also stores a thread, under the answer's id. */
export const threadHolders = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE thread_turns ADD COLUMN held_by TEXT`
})
