import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * Models that a key or an account may not use, the upstreams that may serve a key (null for all), and whether its
 * requests may choose their route. Lists are JSON. An account's rules come from the configuration file.
 */
export const modelRules = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE keys ADD COLUMN not_models TEXT`
  yield* sql`ALTER TABLE keys ADD COLUMN upstreams TEXT`
  yield* sql`ALTER TABLE keys ADD COLUMN choose_route INTEGER NOT NULL DEFAULT 0`
  yield* sql`ALTER TABLE accounts ADD COLUMN declared_models TEXT`
  yield* sql`ALTER TABLE accounts ADD COLUMN declared_not_models TEXT`
})
