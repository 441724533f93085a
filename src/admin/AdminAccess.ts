import { Effect } from "effect"
import type { Clock } from "effect"
import { BadSettings } from "../config/document.ts"
import type { Acting } from "../contract/Acting.ts"
import { AuthInvalid, AuthMissing, RateLimited } from "../contract/Failure.ts"
import { unknownRoute } from "../contract/unknownRoute.ts"
import { parseAllowed } from "../guard/addresses.ts"
import type { Range } from "../guard/addresses.ts"
import { clientAddress } from "../guard/clientAddress.ts"
import { Guesses } from "../guard/Guesses.ts"
import { AdminKeys } from "../people/AdminKeys.ts"

/** A request and the server that received it. */
export interface IncomingRequest {
  readonly request: Request
  readonly server: Pick<Bun.Server<undefined>, "requestIP">
}

/**
 * Authenticates requests to the admin API by its keys.
 *
 * @param isOn false: there is no admin API, and requests with a key get the answer of an unknown route
 * @param proxies address ranges whose `X-Forwarded-For` is trusted
 */
export const makeAdminAccess = (isOn: boolean, proxies: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const keys = yield* AdminKeys
    const trustedProxies = yield* Effect.mapError(
      parseAllowed(proxies, "server.trusted_proxies"),
      ({ message }) => new BadSettings({ message })
    )
    const tries = makeTries(trustedProxies, yield* Effect.clock)
    return { tries, authenticate: isOn ? byKey(keys, tries) : absent } as const
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
 * Accepts admin keys and nothing else. They are looked up by what only this gateway can compute of them, so that the time
 * it takes tells nothing. The right key is never rate limited: someone guessing keys behind the operator's own proxy must
 * not lock the operator out.
 */
const byKey =
  ({ ofProof, proofOf }: AdminKeys, tries: ReturnType<typeof makeTries>) =>
  (headers: Headers, incoming: IncomingRequest): Effect.Effect<Acting, AuthMissing | AuthInvalid | RateLimited> => {
    const authorization = headers.get("authorization")
    const token = authorization === null ? undefined : /^bearer +(\S+)$/i.exec(authorization.trim())?.[1]
    const key = headers.get("x-api-key") ?? undefined
    const given = [token, key].filter((secret) => secret !== undefined)
    if (given.length === 0) return authorization === null ? missing : malformed
    for (const secret of given) {
      const acting = ofProof(proofOf(secret))
      if (acting !== undefined) return Effect.succeed(acting)
    }
    return tries.wrong(tries.from(incoming), wrong)
  }

/** The answer of an unknown route, so the response does not reveal that the path exists. */
const absent = (_: Headers, { request }: IncomingRequest) => Effect.fail(unknownRoute(request))

const missing = Effect.fail(
  new AuthMissing({ message: "Missing Authorization header: send `Authorization: Bearer <GATEWAY_ADMIN_KEY>`" })
)
const malformed = Effect.fail(
  new AuthInvalid({ message: "Malformed Authorization header: expected `Authorization: Bearer <GATEWAY_ADMIN_KEY>`" })
)
const wrong = new AuthInvalid({ message: "This key does not open the admin API" })
