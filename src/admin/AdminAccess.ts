import { timingSafeEqual } from "node:crypto"
import { Effect, Option, Redacted } from "effect"
import type { Clock } from "effect"
import * as ApiKey from "../access/ApiKey.ts"
import { Keys } from "../access/store/Keys.ts"
import { Configuration } from "../config/Configuration.ts"
import { BadSettings } from "../config/document.ts"
import { Caller } from "../contract/Caller.ts"
import { AuthInvalid, AuthMissing, RateLimited } from "../contract/Failure.ts"
import { unknownRoute } from "../contract/unknownRoute.ts"
import { parseAllowed } from "../guard/addresses.ts"
import type { Range } from "../guard/addresses.ts"
import { clientAddress } from "../guard/clientAddress.ts"
import { Guesses } from "../guard/Guesses.ts"
import { uncounted } from "../limits/Limits.ts"

/** A request and the server that received it. */
export interface IncomingRequest {
  readonly request: Request
  readonly server: Pick<Bun.Server<undefined>, "requestIP">
}

/**
 * Authenticates requests to the admin API, by the key that the configuration has now. Fails with `BadSettings` if the admin key is also an API key.
 *
 * @param key the admin key at the start; without one, requests with a key get the answer of an unknown route
 * @param proxies address ranges whose `X-Forwarded-For` is trusted
 */
export const makeAdminAccess = (key: Option.Option<Redacted.Redacted>, proxies: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const keys = yield* Keys
    const trustedProxies = yield* Effect.mapError(
      parseAllowed(proxies, "server.trusted_proxies"),
      ({ message }) => new BadSettings({ message })
    )
    const tries = makeTries(trustedProxies, yield* Effect.clock)
    if (Option.isNone(key)) return { tries, authenticate: absent, admit: () => uncounted }

    let expected = digest(Redacted.value(key.value))
    const { follow } = yield* Configuration
    yield* follow(({ variables }) =>
      Effect.gen(function* () {
        const next = variables?.GATEWAY_ADMIN_KEY ?? Redacted.value(key.value)
        if (Option.isSome(yield* keys.open(ApiKey.hash(next)))) {
          return yield* new BadSettings({
            message: "GATEWAY_ADMIN_KEY: is also an API key; the admin key must not be one"
          })
        }
        return () => {
          expected = digest(next)
        }
      })
    )
    return { tries, authenticate: byKey(() => expected, tries), admit: () => uncounted }
  })

/**
 * Limits wrong keys and sign-in attempts by client address, to ten a minute each; more get a 429. Sign-in attempts count
 * even if the key is right.
 */
const makeTries = (trusted: ReadonlyArray<Range>, clock: Clock.Clock) => {
  const guesses = new Guesses()
  const signIns = new Guesses()
  const from = ({ request, server }: IncomingRequest): string =>
    clientAddress(server.requestIP(request)?.address, request.headers.get("x-forwarded-for"), trusted)
  /** @param error the failure below the limit */
  const wrong = <E>(address: string, error: E): Effect.Effect<never, E | RateLimited> => {
    const waitMs = guesses.note(address, clock.unsafeCurrentTimeMillis())
    return waitMs === undefined
      ? Effect.fail(error)
      : Effect.fail(
          new RateLimited({ message: "Too many wrong keys from this address", retryAfterSeconds: waitMs / 1_000 })
        )
  }
  /** Each sign-in writes a session and an audit row, so right keys are limited too. */
  const signIn = (address: string): Effect.Effect<void, RateLimited> =>
    Effect.suspend(() => {
      const leftMs = signIns.note(address, clock.unsafeCurrentTimeMillis())
      if (leftMs === undefined) return Effect.void
      return new RateLimited({ message: tooMany, retryAfterSeconds: leftMs / 1_000 })
    })
  return { from, wrong, signIn }
}

const tooMany = "Too many tries to sign in from this address: ten a minute are looked at"

/**
 * Accepts the admin key and nothing else, compared in constant time. The right key is never rate limited: someone guessing
 * keys behind the operator's own proxy must not lock the operator out.
 */
const byKey =
  (expected: () => NodeJS.ArrayBufferView, tries: ReturnType<typeof makeTries>) =>
  (headers: Headers, incoming: IncomingRequest): Effect.Effect<Caller, AuthMissing | AuthInvalid | RateLimited> => {
    const authorization = headers.get("authorization")
    const token = authorization === null ? undefined : /^bearer +(\S+)$/i.exec(authorization.trim())?.[1]
    const key = headers.get("x-api-key") ?? undefined
    const given = [token, key].filter((secret) => secret !== undefined)
    if (given.length === 0) return authorization === null ? missing : malformed
    const isRight = given.some((secret) => timingSafeEqual(digest(secret), expected()))
    return isRight ? operator : tries.wrong(tries.from(incoming), wrong)
  }

/** The answer of an unknown route, so the response does not reveal that the path exists. */
const absent = (_: Headers, { request }: IncomingRequest) => Effect.fail(unknownRoute(request))

const digest = (text: string) => new Bun.CryptoHasher("sha256").update(text).digest()

const operator = Effect.succeed(Caller.unrestricted("", "admin-key"))
const missing = Effect.fail(
  new AuthMissing({ message: "Missing Authorization header: send `Authorization: Bearer <GATEWAY_ADMIN_KEY>`" })
)
const malformed = Effect.fail(
  new AuthInvalid({ message: "Malformed Authorization header: expected `Authorization: Bearer <GATEWAY_ADMIN_KEY>`" })
)
const wrong = new AuthInvalid({ message: "This key does not open the admin API" })
