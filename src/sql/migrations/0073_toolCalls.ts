import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * Calls of tools of MCP servers. A row is written before its call leaves, with the outcome `unknown`. An approval is used
 * once: by the row that claims it, whose `result` (sealed) is for those who come later with the same one.
 */
export const toolCalls = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE tool_calls (
    id TEXT PRIMARY KEY,
    at BIGINT NOT NULL,
    request_id TEXT NOT NULL,
    account_id TEXT NOT NULL,
    key_id TEXT NOT NULL,
    person_id TEXT,
    server TEXT NOT NULL,
    tool TEXT NOT NULL,
    duration_ms BIGINT NOT NULL DEFAULT 0,
    sent_bytes BIGINT NOT NULL DEFAULT 0,
    received_bytes BIGINT NOT NULL DEFAULT 0,
    outcome TEXT NOT NULL DEFAULT 'unknown',
    cost_nano_usd BIGINT NOT NULL DEFAULT 0,
    approval_id TEXT,
    result TEXT
  )`
  yield* sql`CREATE INDEX tool_calls_at ON tool_calls (at)`
  yield* sql`CREATE INDEX tool_calls_request ON tool_calls (request_id)`
  yield* sql`CREATE UNIQUE INDEX tool_calls_approval ON tool_calls (account_id, approval_id)`
  yield* sql`CREATE INDEX tool_calls_result ON tool_calls (at) WHERE result IS NOT NULL`
})
