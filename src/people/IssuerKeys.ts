import { Clock, Effect } from "effect"
import type { JWTVerifyGetKey } from "jose"
import type { JwtIssuer } from "../config/sections/JwtIssuer.ts"
import { isLoopback } from "../config/loopback.ts"
import { withoutSlash } from "../config/withoutSlash.ts"
import { isObject } from "../contract/json/json.ts"
import { promiseRunner } from "../credentials/promiseRunner.ts"
import type { Source } from "../credentials/Source.ts"
import { algorithms } from "./algorithms.ts"
import { ProviderFailed } from "./Providers.ts"

/** `jose`, loaded by the first token. */
export const jose = Effect.promise(() => import("jose"))

/** The means to verify what an issuer signs. */
export interface IssuerKeys {
  readonly algorithms: ReadonlyArray<string>
  readonly keyOf: JWTVerifyGetKey
}

export interface Issuer {
  /** Its keys; fetched where they are not known or ten minutes old. */
  readonly keys: Effect.Effect<IssuerKeys, ProviderFailed>
  /** True if it did not answer when it was last asked. */
  readonly isAway: () => boolean
}

/** How soon an issuer that did not answer is asked again: while its last answer counts, requests seldom wait for it. */
const retryMs = 10_000
const seldomMs = 60_000

/** How long its metadata counts. */
const metadataMs = 3_600_000

/**
 * The public keys of an issuer of tokens. Anyone can send a token with the issuer's name and an unknown `kid`, so fetches
 * are bounded: one in 30 s, and one in ten while the issuer does not answer.
 *
 * @param outageMs how long the last answer counts while the issuer does not answer
 */
export const makeIssuer = (
  { issuer, jwks_uri }: Pick<JwtIssuer, "issuer" | "jwks_uri">,
  fetch: Source["fetch"],
  outageMs: () => number
): Effect.Effect<Issuer> =>
  Effect.gen(function* () {
    const run = promiseRunner(yield* Effect.runtime())
    const metadata = steady(discover(issuer, jwks_uri, fetch), { issuer, outageMs, freshMs: metadataMs })
    let known: { readonly url: string; readonly keyOf: JWTVerifyGetKey; readonly isAway: () => boolean } | undefined

    const keys = Effect.gen(function* () {
      const { createRemoteJWKSet, customFetch } = yield* jose
      const { algorithms, url } = yield* metadata.read
      if (known?.url !== url) {
        const set = steady(keySet(url, fetch), { issuer, outageMs, freshMs: 0 })
        const fetched = { [customFetch]: async () => Response.json(await run(set.read)) }
        known = { url, keyOf: createRemoteJWKSet(new URL(url), fetched), isAway: set.isAway }
      }
      return { algorithms, keyOf: known.keyOf }
    })
    return { keys, isAway: () => metadata.isAway() || known?.isAway() === true }
  })

/** The metadata and keys that an issuer publishes, asked for once. */
export const publishedBy = ({ issuer, jwks_uri }: Pick<JwtIssuer, "issuer" | "jwks_uri">, fetch: Source["fetch"]) =>
  Effect.flatMap(discover(issuer, jwks_uri, fetch), (metadata) =>
    Effect.map(keySet(metadata.url, fetch), ({ keys }) => ({ ...metadata, keys }))
  )

interface Metadata {
  readonly url: string
  readonly algorithms: ReadonlyArray<string>
}

const discover = (
  issuer: string,
  given: string | undefined,
  fetch: Source["fetch"]
): Effect.Effect<Metadata, ProviderFailed> =>
  given !== undefined
    ? Effect.succeed({ url: given, algorithms })
    : Effect.flatMap(json(`${withoutSlash(issuer)}/.well-known/openid-configuration`, fetch), (metadata) => {
        const { id_token_signing_alg_values_supported: named, issuer: itself, jwks_uri: url } = metadata
        const failWith = (message: string) => Effect.fail(new ProviderFailed({ message }))
        if (itself !== issuer)
          return failWith("it calls itself by another name: issuer has to be the same, with its slash")
        if (typeof url !== "string" || !URL.canParse(url)) return failWith("it publishes no keys")
        if (new URL(url).protocol !== "https:" && !(isLoopback(issuer) && isLoopback(url))) {
          return failWith("its keys are not at an https:// address")
        }
        const narrowed = Array.isArray(named) ? algorithms.filter((one) => named.includes(one)) : algorithms
        return narrowed.length === 0
          ? failWith("it names no algorithm that the gateway takes")
          : Effect.succeed({ url, algorithms: narrowed })
      })

const keySet = (url: string, fetch: Source["fetch"]) =>
  Effect.flatMap(json(url, fetch), ({ keys }) =>
    Array.isArray(keys) && keys.every(isObject)
      ? Effect.succeed({ keys })
      : Effect.fail(new ProviderFailed({ message: "what it publishes is no set of keys" }))
  )

const json = (url: string, fetch: Source["fetch"]) => {
  const failureOf = (words: string) => new ProviderFailed({ message: words })
  return Effect.tryPromise({
    try: async (): Promise<unknown> => {
      const answer = await fetch(url, { method: "GET", headers: { accept: "application/json" } })
      return answer.status === 200 ? await answer.json() : answer.status
    },
    catch: (cause) => failureOf(cause instanceof Error && cause.message !== "" ? cause.message : "it can't be asked")
  }).pipe(
    Effect.filterOrFail(isObject, (value) =>
      failureOf(
        typeof value === "number" ? `${new URL(url).pathname} answers ${value}` : "its answer is no JSON object"
      )
    )
  )
}

/** Reads at most one at a time. While reading fails, the last value counts for a while, and the next try waits. */
const steady = <A>(
  read: Effect.Effect<A, ProviderFailed>,
  { freshMs, issuer, outageMs }: { issuer: string; outageMs: () => number; freshMs: number }
) => {
  const alone = Effect.unsafeMakeSemaphore(1)
  let last: { readonly value: A; readonly atMs: number } | undefined
  let failed: { readonly why: ProviderFailed; readonly atMs: number } | undefined

  // A client that leaves must not let the next one ask again.
  const attempt = (nowMs: number) =>
    read.pipe(
      Effect.tap((value) =>
        Effect.sync(() => {
          last = { value, atMs: nowMs }
          failed = undefined
        })
      ),
      Effect.tapError((why) => {
        failed = { why, atMs: nowMs }
        return Effect.annotateLogs(Effect.logWarning(`${issuer} can't be asked for its keys: ${why.message}`), {
          event: "sign_in.provider_failed"
        })
      }),
      Effect.uninterruptible
    )

  const current = Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    if (last !== undefined && failed === undefined && last.atMs + freshMs > nowMs) return last.value
    const isUsable = last !== undefined && last.atMs + outageMs() > nowMs
    const waitMs = isUsable ? seldomMs : retryMs
    const next = failed !== undefined && failed.atMs + waitMs > nowMs ? Effect.fail(failed.why) : attempt(nowMs)
    return yield* Effect.catchAll(next, (why) =>
      last !== undefined && isUsable ? Effect.succeed(last.value) : Effect.fail(why)
    )
  })
  return { read: alone.withPermits(1)(current), isAway: () => failed !== undefined }
}
