import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * The processes that serve from one Postgres, and the money that each of them holds, in nano-dollars. With SQLite there
 * is one process and no row. Times are Unix ms of the database's clock: past `good_until` a node is considered dead.
 * `machine` and `pid` are where it runs, `backend` is the server process of its own connection: without either it is
 * dead at once. Nodes that serve together have one `secret_check`.
 */
export const nodes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE nodes (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    machine TEXT NOT NULL,
    pid BIGINT NOT NULL,
    backend BIGINT NOT NULL,
    version TEXT NOT NULL,
    secret_check TEXT,
    started_at BIGINT NOT NULL,
    renewed_at BIGINT NOT NULL,
    good_until BIGINT NOT NULL
  )`
  yield* sql`CREATE TABLE node_holds (
    node TEXT NOT NULL,
    account TEXT NOT NULL,
    held BIGINT NOT NULL CHECK (held BETWEEN 0 AND 9007199254740991),
    PRIMARY KEY (node, account)
  )`
})
