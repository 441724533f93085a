import { Effect, Redacted } from "effect"
import type { Acting } from "../../contract/callers/Acting.ts"
import { isoTime } from "../../admin/fields.ts"
import type { EntryPoint } from "../../config/EntryPoints.ts"
import { publicPath } from "../../config/publicPath.ts"
import { PublicUrl } from "../../config/PublicUrl.ts"
import { Forbidden, InvalidRequest } from "../../contract/failures/Failure.ts"
import { AdminKeys } from "../../access/AdminKeys.ts"
import { Providers } from "../Providers.ts"
import { makeReachedAccounts } from "./reachedAccounts.ts"
import type { ReachedAccounts } from "./reachedAccounts.ts"
import { ProviderSessions } from "./ProviderSessions.ts"
import type { Asking } from "./personOf.ts"
import { anyoneIn, SessionAuthenticators } from "./SessionAuthenticators.ts"
import type { SignIn } from "./Api.ts"
import type { OwnSession } from "./SessionRecord.ts"
import { maxClientLength, sessionMs, Sessions } from "./Sessions.ts"
import type { OpenSession } from "./Sessions.ts"
import type { SessionRow } from "./store/SessionStore.ts"
import { cookieFor, csrfOf, tokenIn } from "./token.ts"

/** The session of a browser, by its cookie. */
export const makeOwnSession = Effect.gen(function* () {
  const sessions = yield* Sessions
  const { cookiePlaceAt, tries } = yield* SessionAuthenticators
  const reached = yield* makeReachedAccounts
  const publicUrl = yield* PublicUrl
  const adminKeys = yield* AdminKeys
  const providers = yield* Providers
  const provided = yield* ProviderSessions

  const signedOut = (entry: EntryPoint) =>
    Effect.map(entry.url, (url): OwnSession => ({
      object: "own_session",
      signed_in: false,
      admin: entry.name !== "public" && adminKeys.isAny(),
      sign_in: [...(providers.rules()?.providers.values() ?? [])].map(({ issuer, name }) => ({
        name,
        url: `${publicPath(url)}/sign-in?${new URLSearchParams({ issuer })}`
      }))
    }))

  const signedIn = (
    { name }: EntryPoint,
    { session, token }: { readonly session: OpenSession; readonly token: Redacted.Redacted },
    search = ""
  ): Effect.Effect<OwnSession> =>
    Effect.gen(function* () {
      const acting = session.kind === "operator" ? sessions.actingOf(session) : undefined
      const known =
        typeof acting === "object" ? { ...acting, ...(yield* reached(acting, search, name === "public")) } : undefined
      return ownSession(token, session, known, yield* publicUrl.get)
    })

  const ownOf = (entry: EntryPoint, headers: Headers) =>
    Effect.gen(function* () {
      const token = tokenIn(headers.get("cookie") ?? "", yield* cookiePlaceAt(entry))
      const session = token === undefined ? undefined : yield* sessions.find(token, entry.name)
      return token === undefined || session === undefined ? undefined : { token, session }
    })

  const show = ({ caller, request }: Asking, search: string | undefined) =>
    Effect.gen(function* () {
      const { entry } = yield* anyoneIn(caller)
      const own = yield* ownOf(entry, request.headers)
      // A session of an API key ends with the key, and while its account is suspended.
      if (own === undefined || !(yield* sessions.isOpen(own.session))) return yield* signedOut(entry)
      return yield* signedIn(entry, own, search)
    })

  /** Signs in by a key or by a link. */
  const open = ({ caller, request }: Asking, { key, link }: SignIn) =>
    Effect.gen(function* () {
      if ((key === undefined) === (link === undefined)) return yield* oneOf
      const { address, entry } = yield* anyoneIn(caller)
      // Each writes a session, and an operator's a row of the audit log.
      yield* tries.begun.each(address)
      const client = (request.headers.get("user-agent") ?? "").slice(0, maxClientLength)
      const visitor = { address, client, entry: entry.name }
      const opening =
        key === undefined
          ? sessions.signInByLink(Redacted.make(link ?? ""), visitor)
          : sessions.signIn(Redacted.make(key), visitor)
      const { session, token } = yield* tries.secrets.checked(address, opening, ({ _tag }) => _tag === "AuthInvalid")
      // The browser's former session ends, against session fixation.
      const before = yield* ownOf(entry, request.headers)
      if (before !== undefined) yield* sessions.end(before.session)
      request.replyHeaders["set-cookie"] = cookieFor(token, sessionMs / 1_000, yield* cookiePlaceAt(entry))
      request.replyHeaders["cache-control"] = "no-store"
      return yield* signedIn(entry, { session, token })
    })

  const close = ({ caller, request }: Asking) =>
    Effect.gen(function* () {
      const { entry } = yield* anyoneIn(caller)
      const own = yield* ownOf(entry, request.headers)
      if (own !== undefined) {
        if (request.headers.get("x-gateway-csrf") !== csrfOf(own.token)) return yield* forged
        yield* sessions.end(own.session)
      }
      request.replyHeaders["set-cookie"] = cookieFor(undefined, 0, yield* cookiePlaceAt(entry))
      const person = own?.session.person
      const url = person === undefined ? undefined : yield* provided.signOutUrl(person, entry)
      const now = yield* signedOut(entry)
      return url === undefined ? now : { ...now, provider_sign_out: url }
    })

  return { show, open, close } as const
})

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
