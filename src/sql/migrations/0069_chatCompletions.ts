import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * Chat completions that requests had stored. The long columns come last: a list reads the others of many rows, and
 * SQLite reads a row from its beginning.
 */
export const chatCompletions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE chat_completions (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL,
    key_id TEXT NOT NULL,
    model TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    metadata TEXT NOT NULL,
    completion TEXT NOT NULL,
    messages TEXT NOT NULL
  )`
  yield* sql`CREATE INDEX chat_completions_account ON chat_completions (account_id, created_at, id)`
  yield* sql`CREATE INDEX chat_completions_expires_at ON chat_completions (expires_at)`
})
