import { Effect } from "effect"
import { isoTime } from "../../admin/fields.ts"
import { handlers } from "../../contract/handlers.ts"
import type { Incoming } from "../../contract/handlers.ts"
import { InvalidRequest } from "../../contract/failures/Failure.ts"
import { makePersonOf } from "../signIn/personOf.ts"
import { SessionAuthenticators } from "../signIn/SessionAuthenticators.ts"
import { connectCookieFor } from "../signIn/token.ts"
import { ToolsApi } from "./Api.ts"
import type { ToolConnection } from "./Api.ts"
import type { ToolGrantRow } from "./store/ToolGrantRows.ts"
import { connectMs, ToolConnections } from "./ToolConnections.ts"

export const ToolsHandlers = handlers(
  ToolsApi,
  Effect.gen(function* () {
    const connections = yield* ToolConnections
    const personOf = yield* makePersonOf
    const { cookiePlace } = yield* SessionAuthenticators

    const connect = (request: Incoming, server: string) =>
      Effect.gen(function* () {
        const { cookie, location } = yield* Effect.catchTag(
          connections.begin(yield* personOf(request), server),
          "ConnectFailed",
          ({ message }) => new InvalidRequest({ param: null, message: `${server} can't be connected: ${message}` })
        )
        request.replyHeaders["set-cookie"] = connectCookieFor(cookie, connectMs / 1_000, yield* cookiePlace)
        request.replyHeaders["cache-control"] = "no-store"
        return { object: "tool_sign_in" as const, location }
      })

    return {
      list: ({ request }) =>
        Effect.gen(function* () {
          const { person } = yield* personOf(request)
          const found = yield* connections.list(person)
          return { object: "list" as const, data: found.map(({ name, row }) => recordOf(name, row)) }
        }),
      connect: ({ path, request }) => connect(request, path.server),
      disconnect: ({ path, request }) =>
        Effect.gen(function* () {
          yield* connections.disconnect(yield* personOf(request), path.server)
          return recordOf(path.server, undefined)
        })
    }
  })
)

const recordOf = (server: string, row: ToolGrantRow | undefined): ToolConnection => ({
  object: "tool_connection",
  server,
  connected_at: row === undefined ? null : isoTime(row.connected_at),
  scopes: row === undefined || row.scopes === "" ? [] : row.scopes.split(" "),
  wants_more: row !== undefined && row.wanted !== "",
  failing_since: row?.failing_since == null ? null : isoTime(row.failing_since)
})
