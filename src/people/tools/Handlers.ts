import { Effect } from "effect"
import { isoTime } from "../../admin/fields.ts"
import { PublicUrl } from "../../config/PublicUrl.ts"
import { handlers } from "../../contract/handlers.ts"
import { InvalidRequest } from "../../contract/failures/Failure.ts"
import { makePersonOf } from "../signIn/personOf.ts"
import type { Asking } from "../signIn/personOf.ts"
import { anyoneIn, SessionAuthenticators } from "../signIn/SessionAuthenticators.ts"
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
    const { cookiePlaceAt } = yield* SessionAuthenticators
    const publicUrl = yield* PublicUrl

    const connect = (asking: Asking, server: string) =>
      Effect.gen(function* () {
        const { entry } = yield* anyoneIn(asking.caller)
        const acting = yield* personOf(asking)
        // A server's sign-in sends browsers back to the public address alone, which it knows.
        if (entry.name === "admin") {
          const location = `${yield* publicUrl.get}/console/tools?${new URLSearchParams({ connect: server })}`
          return { object: "tool_sign_in" as const, location }
        }
        const { cookie, location } = yield* Effect.catchTag(
          connections.begin(acting, server),
          "ConnectFailed",
          ({ message }) => new InvalidRequest({ param: null, message: `${server} can't be connected: ${message}` })
        )
        const { request } = asking
        request.replyHeaders["set-cookie"] = connectCookieFor(cookie, connectMs / 1_000, yield* cookiePlaceAt(entry))
        request.replyHeaders["cache-control"] = "no-store"
        return { object: "tool_sign_in" as const, location }
      })

    return {
      list: (asking) =>
        Effect.gen(function* () {
          const { person } = yield* personOf(asking)
          const found = yield* connections.list(person)
          return { object: "list" as const, data: found.map(({ name, row }) => recordOf(name, row)) }
        }),
      connect: (input) => connect(input, input.path.server),
      disconnect: (input) =>
        Effect.gen(function* () {
          const { server } = input.path
          yield* connections.disconnect(yield* personOf(input), server)
          return recordOf(server, undefined)
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
