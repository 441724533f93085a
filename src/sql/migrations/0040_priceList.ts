import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** The fetched list of prices and the last try to fetch it: one row at most. */
export const priceList = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE price_list (
    id BIGINT PRIMARY KEY,
    source TEXT,
    fetched_at BIGINT,
    document TEXT,
    tried_at BIGINT NOT NULL,
    failure TEXT
  )`
})
