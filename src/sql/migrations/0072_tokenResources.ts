import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** The address that a token of a person's program opens alone: the gateway's `/mcp`. NULL: all that its key opens. */
export const tokenResources = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE person_tokens ADD COLUMN resource TEXT`
})
