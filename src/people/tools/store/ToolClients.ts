import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Schema } from "effect"
import { rows } from "../../../sql/decode.ts"

/** The gateway's registrations at the sign-ins of MCP servers, by issuer (`mcp_clients`). */
export class ToolClients extends Effect.Service<ToolClients>()("gateway/people/tools/store/ToolClients", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const find = (issuer: string): Effect.Effect<string | undefined, SqlError> =>
      Effect.map(sql`SELECT sealed FROM mcp_clients WHERE issuer = ${issuer}`, (found) => clients.first(found)?.sealed)

    const put = (issuer: string, sealed: string): Effect.Effect<unknown, SqlError> =>
      sql`INSERT INTO mcp_clients ${sql.insert({ issuer, sealed })}
        ON CONFLICT (issuer) DO UPDATE SET sealed = excluded.sealed`

    const remove = (issuer: string): Effect.Effect<unknown, SqlError> =>
      sql`DELETE FROM mcp_clients WHERE issuer = ${issuer}`

    return { find, put, remove } as const
  })
}) {}

const clients = rows("mcp_clients", { sealed: Schema.String })
