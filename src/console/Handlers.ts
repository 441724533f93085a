import { Effect, Layer, Redacted } from "effect"
import { actorOf } from "../contract/Acting.ts"
import { offsetOf, pagedByOffset } from "../contract/paging.ts"
import { isoTime } from "../admin/fields.ts"
import { PublicUrl } from "../config/PublicUrl.ts"
import { Settings } from "../config/Settings.ts"
import { Forbidden, InvalidRequest } from "../contract/Failure.ts"
import { handlers } from "../contract/handlers.ts"
import { AdminSessionsApi, SessionApi } from "./Api.ts"
import { addressOf, SessionAuthenticators } from "./SessionAuthenticators.ts"
import { SessionAdministration } from "./SessionAdministration.ts"
import type { OwnSession } from "./SessionRecord.ts"
import { sessionMs, Sessions } from "./Sessions.ts"
import type { SessionRow } from "./store/SessionStore.ts"
import { cookieFor, csrfOf, tokenIn } from "./token.ts"

/** Characters of the user agent that are stored. */
const maxClientLength = 200

const SessionHandlers = handlers(
  SessionApi,
  Effect.gen(function* () {
    const sessions = yield* Sessions
    const { cookiePlace, tries } = yield* SessionAuthenticators
    const publicUrl = yield* PublicUrl
    const { adminKey } = yield* Settings
    const signedOut: OwnSession = { object: "own_session", signed_in: false, admin: adminKey._tag === "Some" }

    const ownOf = (headers: Headers) =>
      Effect.gen(function* () {
        const token = tokenIn(headers.get("cookie") ?? "", yield* cookiePlace)
        const session = token === undefined ? undefined : yield* sessions.find(token)
        return token === undefined || session === undefined ? undefined : { token, session }
      })

    return {
      show: ({ request }) =>
        Effect.gen(function* () {
          const own = yield* ownOf(request.headers)
          // A session of an API key ends with the key, and while its account is suspended.
          if (own === undefined || !(yield* sessions.isOpen(own.session))) return signedOut
          return signedIn(own.token, own.session, yield* publicUrl.get)
        }),

      open: ({ caller, payload: { key, link }, request }) =>
        Effect.gen(function* () {
          if ((key === undefined) === (link === undefined)) return yield* oneOf
          const address = addressOf(caller)
          yield* tries.signIn(address)
          const visitor = { address, client: (request.headers.get("user-agent") ?? "").slice(0, maxClientLength) }
          const opening =
            key === undefined
              ? sessions.signInByLink(Redacted.make(link ?? ""), visitor)
              : sessions.signIn(Redacted.make(key), visitor)
          const { session, token } = yield* Effect.catchAll(opening, (wrong) => tries.wrong(address, wrong))
          // The browser's former session ends, against session fixation.
          const before = yield* ownOf(request.headers)
          if (before !== undefined) yield* sessions.end(before.session)
          request.replyHeaders["set-cookie"] = cookieFor(token, sessionMs / 1_000, yield* cookiePlace)
          request.replyHeaders["cache-control"] = "no-store"
          return signedIn(token, session, yield* publicUrl.get)
        }),

      close: ({ request }) =>
        Effect.gen(function* () {
          const own = yield* ownOf(request.headers)
          if (own !== undefined) {
            if (request.headers.get("x-gateway-csrf") !== csrfOf(own.token)) return yield* forged
            yield* sessions.end(own.session)
          }
          request.replyHeaders["set-cookie"] = cookieFor(undefined, 0, yield* cookiePlace)
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
    revoke: ({ caller, path }) => revoke(actorOf(caller), path.id)
  }))
)

/** Handlers of the console's endpoints. */
export const ConsoleHandlers = Layer.merge(SessionHandlers, AdminSessionsHandlers)

const signedIn = (token: Redacted.Redacted, session: SessionRow, publicUrl: string): OwnSession => ({
  object: "own_session",
  signed_in: true,
  kind: session.kind === "account" ? "account" : "operator",
  ...(session.account_id === null ? {} : { account_id: session.account_id }),
  ...(session.key_id === null ? {} : { key_id: session.key_id }),
  csrf: csrfOf(token),
  expires_at: isoTime(session.expires_at),
  public_url: publicUrl
})

const oneOf = Effect.fail(new InvalidRequest({ param: null, message: "Expected either key or link" }))
const forged = Effect.fail(
  new Forbidden({ message: "Missing or wrong x-gateway-csrf: send the `csrf` of GET /console/session" })
)
