import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * Running requests with an `Idempotency-Key` of all nodes, on Postgres; with SQLite they are in memory. A row is
 * deleted when the answer is stored, the request fails, or its node dies.
 */
export const idempotencyClaims = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE idempotency_claims (
    account_id TEXT NOT NULL,
    endpoint TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    body_hash TEXT NOT NULL,
    node TEXT NOT NULL,
    token TEXT NOT NULL,
    PRIMARY KEY (account_id, endpoint, idempotency_key)
  )`
  yield* sql`CREATE UNIQUE INDEX idempotency_claims_token ON idempotency_claims (token)`
  yield* sql`CREATE INDEX idempotency_claims_node ON idempotency_claims (node)`
})
