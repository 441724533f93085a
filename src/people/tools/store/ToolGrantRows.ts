import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Schema } from "effect"
import { rows } from "../../../sql/decode.ts"

/** How long one process has a refresh to itself. */
const claimMs = 20_000

/** People's accounts at MCP servers (`mcp_grants`). */
export class ToolGrantRows extends Effect.Service<ToolGrantRows>()("gateway/people/tools/store/ToolGrantRows", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const find = (person: string, server: string): Effect.Effect<ToolGrantRow | undefined, SqlError> =>
      Effect.map(sql`SELECT * FROM mcp_grants WHERE person_id = ${person} AND server = ${server}`, grants.first)

    const ofPerson = (person: string): Effect.Effect<ReadonlyArray<ToolGrantRow>, SqlError> =>
      Effect.map(sql`SELECT * FROM mcp_grants WHERE person_id = ${person} ORDER BY server`, grants.all)

    /** Stores a grant, in the place of an earlier one. Run it in a transaction. */
    const put = (row: ToolGrantRow): Effect.Effect<void, SqlError> =>
      Effect.gen(function* () {
        yield* remove(row.person_id, row.server)
        yield* sql`INSERT INTO mcp_grants ${sql.insert({ ...row })}`
      })

    /** True if there was one. */
    const remove = (person: string, server: string): Effect.Effect<boolean, SqlError> =>
      Effect.map(
        sql`DELETE FROM mcp_grants WHERE person_id = ${person} AND server = ${server} RETURNING server`,
        ({ length }) => length > 0
      )

    const same = ({ person_id, sealed, server }: ToolGrantRow) =>
      sql`person_id = ${person_id} AND server = ${server} AND sealed = ${sealed}`

    /** Removes a grant, unless it was replaced meanwhile. */
    const removeSame = (row: ToolGrantRow): Effect.Effect<unknown, SqlError> =>
      sql`DELETE FROM mcp_grants WHERE ${same(row)}`

    /** Reserves a refresh for this process; false if another has it, or has replaced the tokens. */
    const claim = (row: ToolGrantRow, nowMs: number): Effect.Effect<boolean, SqlError> =>
      Effect.map(
        sql`UPDATE mcp_grants SET claimed_until = ${nowMs + claimMs}
          WHERE ${same(row)} AND claimed_until <= ${nowMs} RETURNING server`,
        ({ length }) => length > 0
      )

    /** The server's sign-in gave new tokens. Nothing changes if the grant was replaced meanwhile. */
    const refreshed = (
      row: ToolGrantRow,
      next: Pick<ToolGrantRow, "sealed" | "expires_at" | "scopes">
    ): Effect.Effect<unknown, SqlError> =>
      sql`UPDATE mcp_grants SET ${sql.update({ ...next, claimed_until: 0, failing_since: null })} WHERE ${same(row)}`

    /** It did not answer. */
    const failed = (row: ToolGrantRow, nowMs: number): Effect.Effect<unknown, SqlError> =>
      sql`UPDATE mcp_grants SET claimed_until = 0, failing_since = COALESCE(failing_since, ${nowMs}) WHERE ${same(row)}`

    /** The server wants more scopes than were granted. */
    const want = (row: ToolGrantRow, wanted: string): Effect.Effect<unknown, SqlError> =>
      sql`UPDATE mcp_grants SET wanted = ${wanted} WHERE ${same(row)}`

    /** Removes the grants of servers that are not these. @param servers by name, with their addresses */
    const keepOnly = (servers: ReadonlyArray<readonly [name: string, url: string]>): Effect.Effect<unknown, SqlError> =>
      servers.length === 0
        ? sql`DELETE FROM mcp_grants`
        : sql`DELETE FROM mcp_grants WHERE NOT ${sql.or(servers.map(([name, url]) => sql`(server = ${name} AND url = ${url})`))}`

    return { find, ofPerson, put, remove, removeSame, claim, refreshed, failed, want, keepOnly } as const
  })
}) {}

const columns = {
  person_id: Schema.String,
  server: Schema.String,
  /** The server's address: its tokens go nowhere else. */
  url: Schema.String,
  issuer: Schema.String,
  /** The tokens and what refreshes them. */
  sealed: Schema.String,
  /** Those that were granted, with spaces between them. */
  scopes: Schema.String,
  /** Those to ask for next time, if the server wants more. */
  wanted: Schema.String,
  expires_at: Schema.NullOr(Schema.Int),
  connected_at: Schema.Int,
  /** A refresh is under way until then. */
  claimed_until: Schema.Int,
  failing_since: Schema.NullOr(Schema.Int)
}
const grants = rows("mcp_grants", columns)
export type ToolGrantRow = Schema.Struct.Type<typeof columns>
