import { Effect } from "effect"
import type * as Jose from "jose"
import type { JWTPayload } from "jose"
import { isObject } from "../contract/json/json.ts"
import { testDouble } from "../contract/testDouble.ts"
import { algorithms } from "./algorithms.ts"
import { ProviderFailed, Providers } from "./Providers.ts"
import type { Provider } from "./Providers.ts"
import { SignInRefused } from "./SignIns.ts"
import { TakenOnce } from "./store/TakenOnce.ts"

/** The sessions that a provider ends: of a subject, or by its own session. */
export interface Logout {
  readonly issuer: string
  readonly subject: string | undefined
  readonly providerSession: string | undefined
}

const event = "http://schemas.openid.net/event/backchannel-logout"
const clockSeconds = 60
/** The oldest token that counts, in seconds; until then its id is remembered. */
const oldestSeconds = 300

/** Tokens by which a provider ends its sessions (OpenID Connect Back-Channel Logout 1.0, section 2.6). */
export class LogoutTokens extends Effect.Service<LogoutTokens>()("gateway/people/LogoutTokens", {
  dependencies: [TakenOnce.Default],
  effect: Effect.gen(function* () {
    const providers = yield* Providers
    const taken = yield* TakenOnce
    const keys = new WeakMap<Provider, ReturnType<typeof Jose.createRemoteJWKSet>>()

    const keysOf = (provider: Provider, jose: typeof Jose) =>
      Effect.gen(function* () {
        const known = keys.get(provider)
        if (known !== undefined) return known
        const at = yield* providers.ask(provider, async (client) => client.serverMetadata().jwks_uri)
        if (at === undefined) return yield* new ProviderFailed({ message: "it publishes no keys" })
        const made = jose.createRemoteJWKSet(new URL(at), { [jose.customFetch]: providers.fetch })
        keys.set(provider, made)
        return made
      })

    /** Reads a token and uses it up. */
    const take = (token: string): Effect.Effect<Logout, SignInRefused | ProviderFailed> =>
      Effect.gen(function* () {
        const jose = yield* Effect.promise(() => import("jose"))
        const named = yield* Effect.try({ try: () => jose.decodeJwt(token).iss, catch: () => wrong })
        const provider = providers.rules()?.providers.get(named ?? "")
        if (provider === undefined) return yield* wrong
        const { issuer } = provider
        const published = yield* keysOf(provider, jose)
        const { payload } = yield* Effect.tryPromise({
          try: () =>
            jose.jwtVerify(token, published, {
              issuer,
              audience: provider.client_id,
              algorithms: [...algorithms],
              maxTokenAge: oldestSeconds,
              clockTolerance: clockSeconds,
              requiredClaims: ["iat", "jti"]
            }),
          catch: () => wrong
        })
        const logout = { issuer, subject: payload.sub, providerSession: textOf(payload["sid"]) }
        if (!isLogout(payload) || (logout.subject ?? logout.providerSession) === undefined) return yield* wrong
        const untilMs = ((payload.iat ?? 0) + oldestSeconds + clockSeconds) * 1_000
        if (!(yield* taken.take(`logout ${issuer} ${payload.jti}`, untilMs))) return yield* wrong
        return logout
      })

    return { take } as const
  })
}) {
  /** For tests: a member that is not given dies when it is used. */
  static readonly Test = (given: Partial<Omit<LogoutTokens, "_tag">>) => testDouble(LogoutTokens, given)
}

/** An ID token has a nonce; a logout token must not. */
const isLogout = (payload: JWTPayload): boolean =>
  isObject(payload["events"]) && isObject(payload["events"][event]) && payload["nonce"] === undefined

const textOf = (claim: unknown): string | undefined => (typeof claim === "string" && claim !== "" ? claim : undefined)

const wrong = new SignInRefused({ message: "This is no logout token for this gateway." })
