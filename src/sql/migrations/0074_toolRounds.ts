import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * The rounds with calls of requests that may run again. `owner` is a task's id, or a hash of account, endpoint, key and body.
 * `items` is sealed; `used` has the use of all rounds so far. `due_at` is when a round is removed that goes with no task.
 */
export const toolRounds = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE tool_rounds (
    owner TEXT NOT NULL,
    round BIGINT NOT NULL,
    account_id TEXT NOT NULL,
    items TEXT NOT NULL,
    used TEXT NOT NULL,
    due_at BIGINT,
    PRIMARY KEY (owner, round)
  )`
  yield* sql`CREATE INDEX tool_rounds_due ON tool_rounds (due_at) WHERE due_at IS NOT NULL`
})
