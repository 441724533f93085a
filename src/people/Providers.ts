import { Data, Effect, Redacted } from "effect"
import type * as OpenIdClient from "openid-client"
import { Configuration } from "../config/Configuration.ts"
import { isLoopback } from "../config/loopback.ts"
import type { OidcProvider, RoleRule } from "../config/sections/SignIn.ts"
import { Settings } from "../config/Settings.ts"
import type { LoadedFile, GatewaySettings } from "../config/Settings.ts"
import { signInProblem } from "../config/signInProblem.ts"
import { withoutSlash } from "../config/withoutSlash.ts"
import { testDouble } from "../contract/testDouble.ts"
import { fetchBy } from "../upstreams/auth/fetchBy.ts"

/** A provider that did not answer, or whose answer is not to be believed. The message is for the operator's log. */
export class ProviderFailed extends Data.TaggedError("ProviderFailed")<{
  readonly message: string
  /** The provider's own word for its refusal: `invalid_grant`. */
  readonly refusal?: string | undefined
  /** The status of its answer, where that has a word for the refusal. */
  readonly status?: number
}> {}

/**
 * True if a refresh token counts no more. Dex answers `invalid_request` where RFC 6749, section 5.2, has `invalid_grant`: with
 * 400 it means the token, with 500 a failure of its own.
 */
export const isTokenOver = ({ refusal, status }: ProviderFailed): boolean =>
  refusal === "invalid_grant" || (refusal === "invalid_request" && status === 400)

/** A provider of the configuration. */
export interface Provider extends OidcProvider {
  /** Its label, otherwise its host, for links and pages. */
  readonly name: string
}

/** `sign_in`, as it is now. */
export interface SignInRules {
  readonly providers: ReadonlyMap<string, Provider>
  readonly roles: ReadonlyArray<RoleRule>
  readonly outageMs: number
  readonly recheckMs: number
}

const hourMs = 3_600_000

/** How long a provider's metadata is used; its keys are fetched anew by themselves. */
const metadataMs = hourMs

/** How soon a provider that did not tell its metadata is asked again. */
const retryMs = 10_000

const silent = new ProviderFailed({ message: "it did not answer" })

/** For a call with its discovery. */
const patience = "20 seconds"

/** `openid-client`, loaded by the first call: most gateways never need it. */
export type Library = typeof OpenIdClient
const library = Effect.promise(() => import("openid-client"))

/** A provider as discovered. */
export type Client = OpenIdClient.Configuration

interface Discovered {
  readonly at: number
  readonly client: Client
}

/** The OpenID Connect providers, as the configuration has them now. */
export class Providers extends Effect.Service<Providers>()("gateway/people/Providers", {
  scoped: Effect.gen(function* () {
    const { proxyOf, server } = yield* Settings
    let rules: SignInRules | undefined
    const discovered = new Map<Provider, Discovered>()
    const failures = new Map<Provider, { readonly at: number; readonly failure: ProviderFailed }>()
    /** One at a time asks a provider for its metadata. */
    const gates = new WeakMap<Provider, Effect.Semaphore>()
    const clock = yield* Effect.clock

    const { follow } = yield* Configuration
    yield* follow((file) =>
      Effect.gen(function* () {
        const problem = signInProblem(file, server)
        if (problem !== undefined) return yield* problem
        const next = rulesOf(file)
        return () => {
          rules = next
          discovered.clear()
          failures.clear()
        }
      })
    )

    const knownClient = (provider: Provider): Client | undefined => {
      const known = discovered.get(provider)
      return known !== undefined && known.at + metadataMs > clock.unsafeCurrentTimeMillis() ? known.client : undefined
    }

    /**
     * A provider's metadata, with the client that speaks with it. Anyone can send a logout token with a provider's name,
     * so one that did not answer is asked again after ten seconds.
     */
    const clientOf = (provider: Provider): Effect.Effect<Client, ProviderFailed> =>
      Effect.suspend(() => {
        const known = knownClient(provider)
        return known === undefined ? gateOf(provider).withPermits(1)(discoveredClient(provider)) : Effect.succeed(known)
      })

    const gateOf = (provider: Provider): Effect.Semaphore => {
      const gate = gates.get(provider) ?? Effect.unsafeMakeSemaphore(1)
      gates.set(provider, gate)
      return gate
    }

    const discoveredClient = (provider: Provider): Effect.Effect<Client, ProviderFailed> =>
      Effect.suspend(() => {
        const known = knownClient(provider)
        if (known !== undefined) return Effect.succeed(known)
        const at = clock.unsafeCurrentTimeMillis()
        const before = failures.get(provider)
        if (before !== undefined && before.at + retryMs > at) return before.failure
        const isCurrent = () => rules?.providers.get(provider.issuer) === provider
        const noteFailure = (failure: ProviderFailed) =>
          Effect.sync(() => {
            if (isCurrent()) failures.set(provider, { at: clock.unsafeCurrentTimeMillis(), failure })
          })
        return discover(provider, proxyOf).pipe(
          Effect.tap((client) => {
            if (isCurrent()) discovered.set(provider, { at, client })
          }),
          Effect.tapError(noteFailure),
          Effect.onInterrupt(() => noteFailure(silent))
        )
      })

    return {
      /**
       * Fails if a provider does not answer now. One that hangs may still take a refresh token later and replace it, by an
       * answer that comes too late: its person would be signed out.
       */
      awake: (provider: Provider): Effect.Effect<void, ProviderFailed> => Effect.asVoid(discover(provider, proxyOf)),
      /** Undefined: people do not sign in here. */
      rules: () => rules,
      /** Runs a call to a provider. */
      ask: <A>(
        provider: Provider,
        call: (client: Client, library: Library) => Promise<A>
      ): Effect.Effect<A, ProviderFailed> =>
        Effect.flatMap(clientOf(provider), (found) => attempt((library) => call(found, library))).pipe(
          Effect.timeoutFail({
            duration: patience,
            onTimeout: () => silent
          })
        ),
      /** A `fetch` by the gateway's rules. */
      fetch: (url: string, init: RequestInit) => fetchBy(proxyOf(url))(url, init)
    } as const
  })
}) {
  /** For tests: a member that is not given dies when it is used. */
  static readonly Test = (given: Partial<Omit<Providers, "_tag">>) => testDouble(Providers, given)
}

const rulesOf = ({ value: { sign_in } }: Pick<LoadedFile, "value">): SignInRules | undefined =>
  sign_in?.oidc === undefined
    ? undefined
    : {
        providers: new Map(
          sign_in.oidc.map((entry) => [entry.issuer, { ...entry, name: entry.label ?? nameOf(entry.issuer) }])
        ),
        roles: sign_in.roles ?? [],
        outageMs: (sign_in.outage_hours ?? 1) * hourMs,
        recheckMs: (sign_in.recheck_hours ?? 12) * hourMs
      }

/** The host, with the path by which providers tell their tenants apart. */
export const nameOf = (issuer: string): string => {
  const { host, pathname } = new URL(issuer)
  return host + withoutSlash(pathname)
}

/** Fetches what a provider publishes about itself. */
export const discover = (
  { client_id, client_secret, issuer }: OidcProvider,
  proxyOf: GatewaySettings["proxyOf"]
): Effect.Effect<Client, ProviderFailed> =>
  attempt((client) =>
    client.discovery(
      new URL(issuer),
      client_id,
      Redacted.value(client_secret),
      bySecret(Redacted.value(client_secret), client),
      {
        [client.customFetch]: (url, { body, headers, method }) =>
          fetchBy(proxyOf(url))(url, { body: textOf(body), headers, method }),
        execute: [
          // Without it, the ID token's signature is not looked at: `alg: none` and a stranger's key would be taken.
          client.enableNonRepudiationChecks,
          ...(isLoopback(issuer) ? [client.allowInsecureRequests] : [])
        ]
      }
    )
  )

/** `client_secret_basic` is what every provider takes that says nothing else. */
const bySecret =
  (secret: string, client: Library): OpenIdClient.ClientAuth =>
  (server, metadata, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported
    const isBasic = methods === undefined || methods.includes("client_secret_basic")
    const add = isBasic ? client.ClientSecretBasic(secret) : client.ClientSecretPost(secret)
    add(server, metadata, body, headers)
  }

const textOf = (body: OpenIdClient.FetchBody): string | null =>
  body === undefined || body === null
    ? null
    : typeof body === "string" || body instanceof URLSearchParams
      ? body.toString()
      : null

const attempt = <A>(call: (client: Library) => Promise<A>): Effect.Effect<A, ProviderFailed> =>
  Effect.flatMap(library, (client) =>
    Effect.tryPromise({ try: () => call(client), catch: (cause) => failureOf(cause, client) })
  )

const failureOf = (cause: unknown, client: Library): ProviderFailed => {
  if (cause instanceof client.ResponseBodyError) {
    return new ProviderFailed({ message: `it answers ${cause.error}`, refusal: cause.error, status: cause.status })
  }
  if (cause instanceof client.AuthorizationResponseError) {
    return new ProviderFailed({ message: `it answers ${cause.error}`, refusal: cause.error })
  }
  const code = cause instanceof client.ClientError ? cause.code : undefined
  const inner = cause instanceof Error && code === undefined && cause.cause instanceof Error ? cause.cause : cause
  const message = inner instanceof Error ? inner.message : "it can't be asked"
  return new ProviderFailed({ message: code === undefined ? message : `${message} (${code})` })
}
