import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** The upstream's key whose organisation keeps an object, by name; null for that of the only or first key. */
export const upstreamKeys = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE upstream_ids ADD COLUMN upstream_key TEXT`
})
