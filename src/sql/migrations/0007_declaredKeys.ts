import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * Keys of the configuration file: `declared` is `here` while the file has them and `removed` after, null for other
 * keys. `declared_nano_usd` is the balance that the file last gave an account, so that a restart grants no more.
 */
export const declaredKeys = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE keys ADD COLUMN declared TEXT`
  yield* sql`CREATE UNIQUE INDEX keys_declared ON keys (name) WHERE declared IS NOT NULL`
  yield* sql`ALTER TABLE accounts ADD COLUMN declared_nano_usd BIGINT`
})
