import { Effect, Layer, Redacted } from "effect"
import { offsetOf, pagedByOffset } from "../contract/paging.ts"
import { isoTime } from "../admin/fields.ts"
import { PublicUrl } from "../config/PublicUrl.ts"
import { Settings } from "../config/Settings.ts"
import { Forbidden, InvalidRequest } from "../contract/Failure.ts"
import { handlers } from "../contract/handlers.ts"
import { AdminSessionsApi, SessionApi } from "./Api.ts"
import { addressOf, Doors } from "./doors.ts"
import { SessionAdministration } from "./SessionAdministration.ts"
import type { OwnSession } from "./SessionRecord.ts"
import { sessionMs, Sessions } from "./Sessions.ts"
import type { SessionRow } from "./store/SessionStore.ts"
import { cookieFor, csrfOf, tokenIn } from "./token.ts"

/** As much of a browser's name as a list shows. */
const longestClient = 200

const SessionHandlers = handlers(
  SessionApi,
  Effect.gen(function* () {
    const sessions = yield* Sessions
    const { tries } = yield* Doors
    const publicUrl = yield* PublicUrl
    const { adminKey, server } = yield* Settings
    const signedOut: OwnSession = { object: "own_session", signed_in: false, admin: adminKey._tag === "Some" }

    /** A browser sends a `Secure` cookie where it came by TLS, which somebody before the gateway may speak. */
    const isSecure = Effect.map(publicUrl.get, (url) => server.tls._tag === "Some" || url.startsWith("https:"))

    const ownOf = (headers: Headers) =>
      Effect.gen(function* () {
        const token = tokenIn(headers.get("cookie") ?? "")
        const session = token === undefined ? undefined : yield* sessions.find(token)
        return token === undefined || session === undefined ? undefined : { token, session }
      })

    return {
      show: ({ request }) =>
        Effect.map(ownOf(request.headers), (own) => (own === undefined ? signedOut : signedIn(own.token, own.session))),

      open: ({ caller, payload: { key, link }, request }) =>
        Effect.gen(function* () {
          if ((key === undefined) === (link === undefined)) return yield* oneOf
          const address = addressOf(caller)
          const visitor = { address, client: (request.headers.get("user-agent") ?? "").slice(0, longestClient) }
          const opening =
            key === undefined
              ? sessions.signInByLink(Redacted.make(link ?? ""), visitor)
              : sessions.signIn(Redacted.make(key), visitor)
          const { session, token } = yield* Effect.catchAll(opening, (wrong) => tries.wrong(address, wrong))
          // Whatever the browser had before is over, so that nobody else has what it has now.
          const before = yield* ownOf(request.headers)
          if (before !== undefined) yield* sessions.end(before.session)
          request.replyHeaders["set-cookie"] = cookieFor(token, sessionMs / 1_000, yield* isSecure)
          request.replyHeaders["cache-control"] = "no-store"
          return signedIn(token, session)
        }),

      close: ({ request }) =>
        Effect.gen(function* () {
          const own = yield* ownOf(request.headers)
          if (own !== undefined) {
            if (request.headers.get("x-gateway-csrf") !== csrfOf(own.token)) return yield* forged
            yield* sessions.end(own.session)
          }
          request.replyHeaders["set-cookie"] = cookieFor(undefined, 0, yield* isSecure)
          return signedOut
        })
    }
  })
)

const AdminSessionsHandlers = handlers(
  AdminSessionsApi,
  Effect.map(SessionAdministration, ({ list, revoke }) => ({
    list: ({ caller, urlParams }) =>
      Effect.map(list(offsetOf(urlParams), caller.key), (rows) => pagedByOffset(rows, urlParams)),
    revoke: ({ caller, path }) => revoke(caller.key, path.id)
  }))
)

/** The handlers of what the console adds. */
export const ConsoleHandlers = Layer.merge(SessionHandlers, AdminSessionsHandlers)

const signedIn = (token: Redacted.Redacted, session: SessionRow): OwnSession => ({
  object: "own_session",
  signed_in: true,
  kind: session.kind === "account" ? "account" : "operator",
  ...(session.account_id === null ? {} : { account_id: session.account_id }),
  ...(session.key_id === null ? {} : { key_id: session.key_id }),
  csrf: csrfOf(token),
  expires_at: isoTime(session.expires_at)
})

const oneOf = Effect.fail(new InvalidRequest({ param: null, message: "Expected either key or link" }))
const forged = Effect.fail(
  new Forbidden({ message: "Missing or wrong x-gateway-csrf: send the `csrf` of GET /console/session" })
)
