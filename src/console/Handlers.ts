import { Effect, Layer, Redacted } from "effect"
import { Accounts } from "../access/store/Accounts.ts"
import { actorOf } from "../contract/Acting.ts"
import type { Acting } from "../contract/Acting.ts"
import { offsetOf, pagedByOffset } from "../contract/paging.ts"
import { isoTime } from "../admin/fields.ts"
import { Configuration } from "../config/Configuration.ts"
import { PublicUrl } from "../config/PublicUrl.ts"
import { Forbidden, InvalidRequest } from "../contract/Failure.ts"
import { handlers } from "../contract/handlers.ts"
import { AdminKeys } from "../people/AdminKeys.ts"
import { Providers } from "../people/Providers.ts"
import { AdminSessionsApi, SessionApi } from "./Api.ts"
import { makeReachedAccounts } from "./reachedAccounts.ts"
import type { ReachedAccounts } from "./reachedAccounts.ts"
import { ProviderSessions } from "./ProviderSessions.ts"
import { addressOf, SessionAuthenticators } from "./SessionAuthenticators.ts"
import { SessionAdministration } from "./SessionAdministration.ts"
import type { OwnSession } from "./SessionRecord.ts"
import { sessionMs, Sessions } from "./Sessions.ts"
import type { OpenSession } from "./Sessions.ts"
import type { SessionRow } from "./store/SessionStore.ts"
import { cookieFor, csrfOf, tokenIn } from "./token.ts"

/** Characters of the user agent that are stored. */
export const maxClientLength = 200

const SessionHandlers = handlers(
  SessionApi,
  Effect.gen(function* () {
    const sessions = yield* Sessions
    const { cookiePlace, tries } = yield* SessionAuthenticators
    const reached = yield* makeReachedAccounts
    const publicUrl = yield* PublicUrl
    const adminKeys = yield* AdminKeys
    const providers = yield* Providers
    const provided = yield* ProviderSessions

    const signedOut = Effect.map(cookiePlace, ({ path }): OwnSession => ({
      object: "own_session",
      signed_in: false,
      admin: adminKeys.isAny(),
      sign_in: [...(providers.rules()?.providers.values() ?? [])].map(({ issuer, name }) => ({
        name,
        url: `${path}/sign-in?${new URLSearchParams({ issuer })}`
      }))
    }))

    const signedIn = (token: Redacted.Redacted, session: OpenSession, search = ""): Effect.Effect<OwnSession> =>
      Effect.gen(function* () {
        const acting = session.kind === "operator" ? sessions.actingOf(session) : undefined
        const known = typeof acting === "object" ? { ...acting, ...(yield* reached(acting, search)) } : undefined
        return ownSession(token, session, known, yield* publicUrl.get)
      })

    const ownOf = (headers: Headers) =>
      Effect.gen(function* () {
        const token = tokenIn(headers.get("cookie") ?? "", yield* cookiePlace)
        const session = token === undefined ? undefined : yield* sessions.find(token)
        return token === undefined || session === undefined ? undefined : { token, session }
      })

    return {
      show: ({ request, urlParams: { account } }) =>
        Effect.gen(function* () {
          const own = yield* ownOf(request.headers)
          // A session of an API key ends with the key, and while its account is suspended.
          if (own === undefined || !(yield* sessions.isOpen(own.session))) return yield* signedOut
          return yield* signedIn(own.token, own.session, account)
        }),

      open: ({ caller, payload: { key, link }, request }) =>
        Effect.gen(function* () {
          if ((key === undefined) === (link === undefined)) return yield* oneOf
          const address = addressOf(caller)
          // Each writes a session, and an operator's a row of the audit log.
          yield* tries.begun.each(address)
          const visitor = { address, client: (request.headers.get("user-agent") ?? "").slice(0, maxClientLength) }
          const opening =
            key === undefined
              ? sessions.signInByLink(Redacted.make(link ?? ""), visitor)
              : sessions.signIn(Redacted.make(key), visitor)
          const { session, token } = yield* tries.secrets.checked(
            address,
            opening,
            ({ _tag }) => _tag === "AuthInvalid"
          )
          // The browser's former session ends, against session fixation.
          const before = yield* ownOf(request.headers)
          if (before !== undefined) yield* sessions.end(before.session)
          request.replyHeaders["set-cookie"] = cookieFor(token, sessionMs / 1_000, yield* cookiePlace)
          request.replyHeaders["cache-control"] = "no-store"
          return yield* signedIn(token, session)
        }),

      close: ({ request }) =>
        Effect.gen(function* () {
          const own = yield* ownOf(request.headers)
          if (own !== undefined) {
            if (request.headers.get("x-gateway-csrf") !== csrfOf(own.token)) return yield* forged
            yield* sessions.end(own.session)
          }
          request.replyHeaders["set-cookie"] = cookieFor(undefined, 0, yield* cookiePlace)
          const person = own?.session.person
          const url = person === undefined ? undefined : yield* provided.signOutUrl(person)
          const now = yield* signedOut
          return url === undefined ? now : { ...now, provider_sign_out: url }
        })
    }
  })
)

const AdminSessionsHandlers = handlers(
  AdminSessionsApi,
  Effect.map(Effect.all([SessionAdministration, Configuration]), ([{ list, revoke }, { current }]) => ({
    list: ({ caller, urlParams }) =>
      Effect.map(list(offsetOf(urlParams), current().value, caller.key), (rows) => pagedByOffset(rows, urlParams)),
    revoke: ({ caller, path }) => revoke(actorOf(caller), path.id, current().value)
  }))
)

/** Handlers of the console's endpoints. */
export const ConsoleHandlers = Layer.merge(Layer.provide(SessionHandlers, Accounts.Default), AdminSessionsHandlers)

const ownSession = (
  token: Redacted.Redacted,
  session: SessionRow,
  acting: (Pick<Acting, "name" | "person" | "role"> & ReachedAccounts) | undefined,
  publicUrl: string
): OwnSession => ({
  object: "own_session",
  signed_in: true,
  kind: session.kind === "account" ? "account" : "operator",
  ...(session.account_id === null ? {} : { account_id: session.account_id }),
  ...(session.key_id === null ? {} : { key_id: session.key_id }),
  ...(acting === undefined
    ? {}
    : {
        name: acting.name,
        ...(acting.person === undefined ? {} : { person: true }),
        role: acting.role,
        accounts: acting.accounts,
        ...(acting.more_accounts ? { more_accounts: true } : {})
      }),
  csrf: csrfOf(token),
  expires_at: isoTime(session.expires_at),
  public_url: publicUrl
})

const oneOf = Effect.fail(new InvalidRequest({ param: null, message: "Expected either key or link" }))
const forged = Effect.fail(
  new Forbidden({ message: "Missing or wrong x-gateway-csrf: send the `csrf` of GET /console/session" })
)
