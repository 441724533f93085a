import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** The hash of the id of the program that a token belongs to. NULL: of sign-ins by the device flow, whose programs have none. */
export const tokenClients = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE person_tokens ADD COLUMN client TEXT`
})
