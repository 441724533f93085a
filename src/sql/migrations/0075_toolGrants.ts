import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * People's accounts at MCP servers, with their tokens sealed, and the gateway's own registrations at the sign-ins of these
 * servers, by issuer.
 */
export const toolGrants = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE mcp_grants (
    person_id TEXT NOT NULL,
    server TEXT NOT NULL,
    url TEXT NOT NULL,
    issuer TEXT NOT NULL,
    sealed TEXT NOT NULL,
    scopes TEXT NOT NULL,
    wanted TEXT NOT NULL,
    expires_at BIGINT,
    connected_at BIGINT NOT NULL,
    claimed_until BIGINT NOT NULL,
    failing_since BIGINT,
    PRIMARY KEY (person_id, server)
  )`
  yield* sql`CREATE TABLE mcp_clients (
    issuer TEXT PRIMARY KEY,
    sealed TEXT NOT NULL
  )`
})
