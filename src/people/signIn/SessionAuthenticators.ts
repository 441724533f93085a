import { Context, Effect, Layer } from "effect"
import { Access, keyHeaders } from "../../access/Access.ts"
import { hasSecret } from "../../access/store/KeyRow.ts"
import { Keys } from "../../access/store/Keys.ts"
import { makeAdminAccess } from "../../admin/AdminAccess.ts"
import { makeOwned } from "../../admin/Owned.ts"
import type { EntryPoint } from "../../config/EntryPoints.ts"
import { publicPath } from "../../config/publicPath.ts"
import { PublicUrl } from "../../config/PublicUrl.ts"
import { Settings } from "../../config/Settings.ts"
import { reachesAccount } from "../../contract/callers/Acting.ts"
import type { Acting } from "../../contract/callers/Acting.ts"
import { Caller } from "../../contract/callers/Caller.ts"
import { AuthInvalid, AuthMissing, Forbidden, Unavailable } from "../../contract/failures/Failure.ts"
import { isForeign } from "../../guard/foreign.ts"
import { Limits, uncounted } from "../../limits/Limits.ts"
import { hasAdminKey } from "../../access/AdminKeys.ts"
import { toolsScope } from "../toolsScope.ts"
import { Providers } from "../Providers.ts"
import { reachOf } from "./reach.ts"
import { Sessions } from "./Sessions.ts"
import type { OpenSession } from "./Sessions.ts"
import { csrfOf, tokenIn } from "./token.ts"
import type { CookiePlace } from "./token.ts"

interface Connection {
  readonly request: Request
  readonly server: Pick<Bun.Server<undefined>, "requestIP">
}

/** The endpoint that is asked for. */
interface Operated {
  readonly group: string
  readonly name: string
}

/** The account that a person, or a key of several accounts, acts in. */
const accountHeader = "x-gateway-account"

/** Names the key that an operator's session uses where an API key is asked for. */
const keyHeader = "x-gateway-key-id"

type Opened = Effect.Effect<Caller, AuthInvalid | Forbidden | Unavailable>

const make = Effect.gen(function* () {
  const { adminKey, file, server } = yield* Settings
  const access = yield* Access
  const limits = yield* Limits
  const keys = yield* Keys
  const owned = yield* makeOwned
  const sessions = yield* Sessions
  const publicUrl = yield* PublicUrl
  const providers = yield* Providers
  const isOn = hasAdminKey({ adminKey }, file) || file.value.sign_in?.oidc !== undefined
  const byKey = yield* makeAdminAccess(isOn, server.trustedProxies)

  /** The place of the page's cookie. A proxy in front of the gateway may terminate TLS. */
  const cookiePlaceAt = ({ hasTls, name, url }: EntryPoint) =>
    Effect.map(url, (url): CookiePlace => ({
      entry: name,
      isSecure: hasTls || url.startsWith("https:"),
      path: publicPath(url)
    }))

  /** The session of a request's cookie; undefined where it has none. */
  const sessionOf = (entry: EntryPoint, cookie: string, { headers, method }: Pick<Request, "headers" | "method">) =>
    Effect.gen(function* () {
      const token = tokenIn(cookie, yield* cookiePlaceAt(entry))
      if (token === undefined) return undefined
      if (isForeign(headers, yield* entry.url)) return yield* foreign
      const session = yield* sessions.find(token, entry.name)
      if (session === undefined) return undefined
      if (method !== "GET" && method !== "HEAD" && headers.get("x-gateway-csrf") !== csrfOf(token)) {
        return yield* forged
      }
      return session
    })

  const asCaller = (
    session: OpenSession | undefined,
    { headers, method }: Pick<Request, "headers" | "method">
  ): Effect.Effect<Caller, AuthMissing | AuthInvalid | Forbidden | Unavailable> => {
    if (session === undefined) return over
    if (session.kind === "account") return access.open(session.opened_with)
    const acting = sessions.actingOf(session)
    if (acting === undefined) return over
    if (acting === "away") return away
    const id = headers.get(keyHeader)
    if (id === null) return unnamed
    // A role acts as those keys alone whose secrets it could get.
    const reached = reachOf(acting, "adminKeys.rotateSecret")
    if (reached === "none") return outOfReach(acting)
    return Effect.flatMap(Effect.either(owned.key({ within: reached }, id)), (own) =>
      own._tag === "Left"
        ? noKey
        : Effect.flatMap(Effect.orDie(keys.find(id)), (key): Opened => {
            if (key === undefined) return noKey
            // Requests carry the name of the person or the program whose key it is.
            const isTheirs = key.person_id === null ? hasSecret(key) : key.person_id === acting.person
            return isTheirs || method !== "POST" ? access.open(key.hash) : anothers
          })
    )
  }

  /** The one who acts in a request's operator session, if it has one. */
  const actingIn = (entry: EntryPoint, request: Pick<Request, "headers" | "method">) =>
    Effect.map(sessionOf(entry, request.headers.get("cookie") ?? "", request), (session) =>
      session?.kind === "operator" ? sessions.actingOf(session) : undefined
    )

  /** Tells programs without a key of theirs how their person signs in, if people do so here (RFC 9728). */
  const withChallenge = (failure: AuthMissing | AuthInvalid | Unavailable) =>
    failure._tag === "Unavailable" || (providers.rules()?.providers.size ?? 0) === 0
      ? Effect.fail(failure)
      : Effect.flatMap(publicUrl.get, (url) => Effect.fail(challenged(failure, url)))

  const callersAt = (entry: EntryPoint) => ({
    authenticate: (headers: Headers, connection: Connection, operation: Operated) => {
      const { request } = connection
      // A public address without the console has no page that asks by a cookie.
      const cookie = entry.name !== "public" && headers.has("cookie") ? cookieWithoutKey(headers) : null
      if (cookie === null) {
        const caller = access.authenticate(headers, connection, operation)
        return operation.group === "mcp" ? Effect.catchAll(caller, withChallenge) : caller
      }
      return Effect.flatMap(sessionOf(entry, cookie, request), (session) =>
        asCaller(session, { headers, method: request.method })
      )
    },
    admit: limits.admit
  })

  const operatorsAt = (entry: EntryPoint) => ({
    authenticate: (headers: Headers, connection: Connection, { group, name }: Operated) => {
      const cookie = headers.has("cookie") ? cookieWithoutKey(headers) : null
      const acting =
        cookie === null
          ? byKey.authenticate(headers, connection)
          : Effect.gen(function* () {
              const session = yield* sessionOf(entry, cookie, connection.request)
              if (session === undefined) return yield* byKey.authenticate(headers, connection)
              if (session.kind !== "operator") return yield* notOperator
              const acting = sessions.actingOf(session)
              return acting === "away" ? yield* away : (acting ?? (yield* over))
            })
      return Effect.flatMap(acting, (acting) => {
        const within = reachOf(acting, `${group}.${name}`)
        if (within === "none") return outOfReach(acting)
        const account = headers.get(accountHeader) ?? undefined
        if (within !== undefined && account !== undefined && !reachesAccount(within.accounts, account)) {
          return Effect.fail(new Forbidden({ message: `${accountHeader}: no account of yours` }))
        }
        const reached = within === undefined ? undefined : { ...within, account }
        return Effect.succeed<Caller>({ ...Caller.unrestricted("", acting.via), acting, within: reached })
      })
    },
    admit: () => uncounted
  })

  /** Accepts any caller: a program, or the gateway's own page. */
  const anyoneAt = (entry: EntryPoint) => ({
    authenticate: (headers: Headers, connection: Connection) =>
      Effect.flatMap(entry.url, (own): Effect.Effect<Anyone, Forbidden> =>
        isForeign(headers, own)
          ? foreign
          : Effect.succeed({ ...anonymous, address: byKey.tries.from(connection), entry })
      ),
    admit: () => uncounted
  })

  return {
    actingIn,
    tries: byKey.tries,
    cookiePlaceAt,
    authenticatorsAt: (entry: EntryPoint) => ({
      "api-key": callersAt(entry),
      "admin-key": operatorsAt(entry),
      anyone: anyoneAt(entry)
    })
  } as const
})

/**
 * Authenticates by key or, without one, by the cookie of a session. An operator's session opens `/admin/v1`, and
 * callers' endpoints as the key that it names; an account's opens what its API key opens. Changes need the session's
 * CSRF token, and requests from other sites are refused.
 */
export class SessionAuthenticators extends Context.Tag("gateway/people/signIn/SessionAuthenticators")<
  SessionAuthenticators,
  Effect.Effect.Success<typeof make>
>() {
  static readonly Default = Layer.scoped(SessionAuthenticators, make)
}

/** The caller of an endpoint that anyone may ask. */
interface Anyone extends Caller {
  /** The client's address. */
  readonly address: string
  /** The address of the gateway that it asks. */
  readonly entry: EntryPoint
}

const isAnyone = (caller: Caller): caller is Anyone => "entry" in caller

/** The caller, with the findings of the authenticator of `anyone`. */
export const anyoneIn = (caller: Caller): Effect.Effect<Anyone> =>
  isAnyone(caller) ? Effect.succeed(caller) : Effect.dieMessage("not an endpoint that anyone may ask")

/** The cookies of a request that brings no key. */
const cookieWithoutKey = (headers: Headers): string | null =>
  keyHeaders.some((name) => headers.has(name)) ? null : headers.get("cookie")

const challenged = (failure: AuthMissing | AuthInvalid, url: string): AuthMissing | AuthInvalid => {
  const told = `Bearer resource_metadata="${url}/.well-known/oauth-protected-resource/mcp", scope="${toolsScope}"`
  const { message } = failure
  return failure._tag === "AuthMissing"
    ? new AuthMissing({ message, challenge: told })
    : new AuthInvalid({ message, challenge: `${told}, error="invalid_token"` })
}

const anonymous = Caller.unrestricted("", "")

const foreign = Effect.fail(new Forbidden({ message: "Requests with a session must come from the gateway's own page" }))
const forged = Effect.fail(
  new Forbidden({ message: "Missing or wrong x-gateway-csrf: send the `csrf` of GET /console/session" })
)
const notOperator = Effect.fail(
  new Forbidden({ message: "This session belongs to an API key, which has no access to the admin API" })
)
const outOfReach = ({ role }: Pick<Acting, "role">) =>
  Effect.fail(new Forbidden({ message: `The role ${role} does not reach this operation` }))
const away = Effect.fail(new Unavailable({}))
const over = Effect.fail(new AuthMissing({ message: "Not signed in: send a key, or sign in again" }))
const noKey = Effect.fail(new AuthInvalid({ message: `${keyHeader}: no such key` }))
const anothers = Effect.fail(
  new Forbidden({
    message: `${keyHeader}: this key is another person's or program's, whose name its requests carry; choose a key of the account`
  })
)
const unnamed = Effect.fail(
  new AuthMissing({ message: `An operator's session names the key to use: send \`${keyHeader}: key_…\`` })
)
