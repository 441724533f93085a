import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** When a task was first seen running (Unix ms), and its final cost in nano-dollars. */
export const taskCosts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE tasks ADD COLUMN started_at BIGINT`
  yield* sql`ALTER TABLE tasks ADD COLUMN cost_nano_usd BIGINT NOT NULL DEFAULT 0`
})
