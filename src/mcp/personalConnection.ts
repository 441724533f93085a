import { Effect } from "effect"
import type { Redacted, Scope } from "effect"
import { failedEnd } from "./McpClient.ts"
import type { McpClient, McpConnection, McpEnd } from "./McpClient.ts"
import type { McpFailure } from "./McpFailure.ts"
import type { McpServer } from "./McpServer.ts"
import type { Grants, PersonServer, RefusedToken } from "./PersonGrants.ts"

interface Personal {
  readonly server: PersonServer
  readonly person: string | undefined
  readonly reached: (token: Redacted.Redacted) => McpServer
  readonly tokenOf: Grants["tokenOf"]
  readonly connect: McpClient["connect"]
}

/** A connection with a token. */
interface Opened {
  readonly connection: McpConnection
  readonly token: Redacted.Redacted
}

/** The server refused the token: what was asked for was not done. */
interface Refusal {
  readonly challenge?: string | undefined
}

/** A server with a person's own account. A token that the server refuses is replaced once, if it can be. */
export const personalConnection = (by: Personal): Effect.Effect<McpConnection, never, Scope.Scope> =>
  Effect.map(Effect.context<Scope.Scope>(), (context): McpConnection => {
    let opened: Opened | undefined

    const open = (refused?: RefusedToken): Effect.Effect<Opened, McpFailure> =>
      by.tokenOf(by.server, by.person, refused).pipe(
        Effect.flatMap((token) =>
          Effect.map(by.connect(by.reached(token)), (connection): Opened => ({ connection, token }))
        ),
        Effect.tap((next) => Effect.sync(() => (opened = next))),
        Effect.provide(context)
      )
    const now = Effect.suspend(() => (opened === undefined ? open() : Effect.succeed(opened)))

    /** @param refusalOf the refusal of the token in an answer */
    const twice = <A, E>(
      use: (connection: McpConnection) => Effect.Effect<A, E>,
      refusalOf: (answer: A) => Refusal | undefined
    ): Effect.Effect<A, E | McpFailure> =>
      Effect.flatMap(now, ({ connection, token }) =>
        Effect.flatMap(use(connection), (answer) => {
          const refusal = refusalOf(answer)
          if (refusal === undefined) return Effect.succeed(answer)
          return Effect.flatMap(open({ token, challenge: refusal.challenge }), (next) => use(next.connection))
        })
      )

    return {
      list: (admits) =>
        Effect.flatten(
          twice(
            (connection) => Effect.either(connection.list(admits)),
            (answer) => (answer._tag === "Left" && isRefusal(answer.left) ? answer.left : undefined)
          )
        ),
      call: (tool, args, departure) =>
        Effect.catchAll(
          twice(
            (connection) => connection.call(tool, args, departure),
            (end: McpEnd) => (end.failure !== undefined && isDemand(end.failure) ? end.failure : undefined)
          ),
          (failure) => Effect.succeed(failedEnd(failure, 0))
        )
    }
  })

/** A refusal of the token by name. Without that, what refused may lie behind the tool, and a call may have taken effect. */
const isDemand = (failure: McpFailure): boolean => isRefusal(failure) && /\bbearer\b/i.test(failure.challenge ?? "")

const isRefusal = ({ challenge, status }: McpFailure): boolean =>
  status === 401 || (status === 403 && challenge !== undefined && /\binsufficient_scope\b/.test(challenge))
