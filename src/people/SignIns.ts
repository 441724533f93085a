import { Clock, Data, Effect, Option, Redacted, Schema } from "effect"
import { MasterSecret } from "../access/MasterSecret.ts"
import type { EntryPoint } from "../config/EntryPoints.ts"
import { testDouble } from "../contract/testDouble.ts"
import { identityOf, isComplete } from "./Claims.ts"
import type { Identity } from "./Claims.ts"
import { Providers } from "./Providers.ts"
import type { Client, Library, Provider, ProviderFailed } from "./Providers.ts"
import { makeSeal } from "../access/sealed.ts"
import { TakenOnce } from "./store/TakenOnce.ts"

/** How long a person may take at the provider. */
export const signInMs = 10 * 60_000

/** A sign-in that does not count. The message is for the person, and names no secret. */
export class SignInRefused extends Data.TaggedError("SignInRefused")<{ readonly message: string }> {}

/** A provider's answer at the end of a sign-in. */
export interface Completed {
  readonly identity: Identity
  readonly refreshToken: string | undefined
  readonly idToken: string
  /** The provider's own session, which it may end by itself. */
  readonly providerSession: string | undefined
  readonly returnTo: string
  /** The session that the browser had before; it ends. */
  readonly earlier: string | undefined
}

const Begun = Schema.Struct({
  issuer: Schema.String,
  state: Schema.String,
  nonce: Schema.String,
  verifier: Schema.String,
  returnTo: Schema.String,
  earlier: Schema.optionalWith(Schema.String, { exact: true }),
  expiresAtMs: Schema.Number
})
const BegunText = Schema.parseJson(Begun)
const readBegun = Schema.decodeUnknownOption(BegunText)
const writeBegun = Schema.encodeSync(BegunText)

const defaultScopes = ["openid", "email", "profile", "offline_access"]
const purpose = "sign-in/browser"

/** Sign-ins by a provider, from the browser's first step to the last. What is between lies in its cookie, sealed. */
export class SignIns extends Effect.Service<SignIns>()("gateway/people/SignIns", {
  dependencies: [TakenOnce.Default],
  effect: Effect.gen(function* () {
    const providers = yield* Providers
    const taken = yield* TakenOnce
    const { derive } = yield* MasterSecret
    const { open, seal } = makeSeal(derive(purpose))
    const callbackUrl = ({ url }: EntryPoint) => Effect.map(url, (url) => `${url}/sign-in/callback`)
    /** The purpose of a cookie's seal: the cookie of another address does not open. */
    const aboutOf = ({ name }: EntryPoint) => (name === "whole" ? purpose : `${purpose}/${name}`)

    const providerOf = (issuer: string): Effect.Effect<Provider, SignInRefused> => {
      const provider = providers.rules()?.providers.get(issuer)
      return provider === undefined
        ? Effect.fail(new SignInRefused({ message: "This gateway knows no such provider." }))
        : Effect.succeed(provider)
    }

    /**
     * Begins a sign-in.
     *
     * @returns the provider's page, and what the browser keeps until it comes back
     */
    const begin = (
      entry: EntryPoint,
      { earlier, issuer, returnTo }: { issuer: string; returnTo: string; earlier: string | undefined }
    ) =>
      Effect.gen(function* () {
        const provider = yield* providerOf(issuer)
        const redirectUri = yield* callbackUrl(entry)
        const [state, nonce, verifier] = [randomText(), randomText(), randomText()]
        const location = yield* providers.ask(provider, async (configuration, client) =>
          client.buildAuthorizationUrl(configuration, {
            ...provider.parameters,
            redirect_uri: redirectUri,
            scope: (provider.scopes ?? defaultScopes).join(" "),
            state,
            nonce,
            code_challenge: new Bun.CryptoHasher("sha256").update(verifier).digest("base64url"),
            code_challenge_method: "S256"
          })
        )
        const expiresAtMs = (yield* Clock.currentTimeMillis) + signInMs
        const begun = { issuer, state, nonce, verifier, returnTo, expiresAtMs }
        const cookie = seal(writeBegun(earlier === undefined ? begun : { ...begun, earlier }), aboutOf(entry))
        return { location: location.href, cookie: Redacted.make(cookie) }
      })

    /**
     * Ends a sign-in: takes its state, once, and exchanges the code.
     *
     * @param cookie of {@link begin} at the same address
     * @param query of the callback
     */
    const complete = (entry: EntryPoint, cookie: Redacted.Redacted | undefined, query: URLSearchParams) =>
      Effect.gen(function* (): Effect.fn.Return<Completed, SignInRefused | ProviderFailed> {
        const text = cookie === undefined ? undefined : open(Redacted.value(cookie), aboutOf(entry))
        const begun = Option.getOrUndefined(readBegun(text))
        const nowMs = yield* Clock.currentTimeMillis
        if (begun === undefined || begun.expiresAtMs <= nowMs || query.get("state") !== begun.state) {
          return yield* notBegun
        }
        const provider = yield* providerOf(begun.issuer)
        if (!(yield* taken.take(`state ${begun.state}`, begun.expiresAtMs))) return yield* doneBefore
        const url = new URL(yield* callbackUrl(entry))
        url.search = query.toString()
        const claim = provider.groups_claim ?? "groups"
        return yield* providers.ask(provider, async (configuration, client) => {
          const tokens = await client.authorizationCodeGrant(configuration, url, {
            expectedState: begun.state,
            expectedNonce: begun.nonce,
            pkceCodeVerifier: begun.verifier,
            idTokenExpected: true
          })
          const token = tokens.claims()
          if (token === undefined || tokens.id_token === undefined) throw new Error("no ID token")
          const sources = [token, ...(await userInfo(configuration, client, tokens.access_token, token, claim))]
          return {
            identity: identityOf(provider.issuer, token.sub, sources, claim),
            refreshToken: tokens.refresh_token,
            idToken: tokens.id_token,
            providerSession: typeof token["sid"] === "string" ? token["sid"] : undefined,
            returnTo: begun.returnTo,
            earlier: begun.earlier
          }
        })
      })

    return { begin, complete } as const
  })
}) {
  /** For tests: a member that is not given dies when it is used. */
  static readonly Test = (given: Partial<Omit<SignIns, "_tag">>) => testDouble(SignIns, given)
}

/** 256 bits. */
const randomText = (): string => Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url")

/** Userinfo, where the ID token leaves something open; its subject is compared. */
export const userInfo = async (
  configuration: Client,
  client: Library,
  accessToken: string,
  token: { readonly sub: string; readonly [claim: string]: unknown },
  groupsClaim: string
): Promise<ReadonlyArray<Readonly<Record<string, unknown>>>> =>
  isComplete(token, groupsClaim) || configuration.serverMetadata().userinfo_endpoint === undefined
    ? []
    : [await client.fetchUserInfo(configuration, accessToken, token.sub)]

const notBegun = Effect.fail(
  new SignInRefused({ message: "This sign-in was not begun in this browser, or it took longer than ten minutes." })
)
const doneBefore = Effect.fail(new SignInRefused({ message: "This sign-in was completed before." }))
