import { timingSafeEqual } from "node:crypto"
import { Effect, Option, Redacted } from "effect"
import type { Clock } from "effect"
import * as ApiKey from "../access/ApiKey.ts"
import { Keys } from "../access/store/Keys.ts"
import { BadSettings } from "../config/document.ts"
import { Caller } from "../contract/Caller.ts"
import { AuthInvalid, AuthMissing, RateLimited, UnknownRoute } from "../contract/Failure.ts"
import { pathOf } from "../contract/pathOf.ts"
import { parseAllowed } from "../guard/addresses.ts"
import type { Range } from "../guard/addresses.ts"
import { clientAddress } from "../guard/clientAddress.ts"
import { Guesses } from "../guard/Guesses.ts"
import { uncounted } from "../limits/Limits.ts"

/** A request as the server has it. */
export interface Knocking {
  readonly request: Request
  readonly server: Pick<Bun.Server<undefined>, "requestIP">
}

/**
 * The door of the admin API. Fails where its key is an API key too.
 *
 * @param key without one the admin API is not there, as far as keys open it
 * @param proxies ranges whose `X-Forwarded-For` is believed
 */
export const makeAdminAccess = (key: Option.Option<Redacted.Redacted>, proxies: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const keys = yield* Keys
    const trustedProxies = yield* Effect.mapError(
      parseAllowed(proxies, "server.trusted_proxies"),
      ({ message }) => new BadSettings({ message })
    )
    if (Option.isSome(key) && Option.isSome(yield* keys.open(ApiKey.hash(Redacted.value(key.value))))) {
      return yield* new BadSettings({
        message: "GATEWAY_ADMIN_KEY: is an API key too; the key of the admin API must open nothing else"
      })
    }
    const tries = makeTries(trustedProxies, yield* Effect.clock)
    return { tries, authenticate: Option.isNone(key) ? absent : byKey(key.value, tries), admit: () => uncounted }
  })

/**
 * Counts by where they come from: wrong keys, of which ten a minute from one address are told so, and tries to sign in,
 * of which no more are looked at, right or wrong. All others are a 429.
 */
const makeTries = (trusted: ReadonlyArray<Range>, clock: Clock.Clock) => {
  const guesses = new Guesses()
  const signIns = new Guesses()
  const from = ({ request, server }: Knocking): string =>
    clientAddress(server.requestIP(request)?.address, request.headers.get("x-forwarded-for"), trusted)
  /** @param otherwise what the key is told as long as it is not one of too many */
  const wrong = <E>(address: string, otherwise: E): Effect.Effect<never, E | RateLimited> => {
    const waitMs = guesses.note(address, clock.unsafeCurrentTimeMillis())
    return waitMs === undefined
      ? Effect.fail(otherwise)
      : Effect.fail(
          new RateLimited({ message: "Too many wrong keys from this address", retryAfterSeconds: waitMs / 1_000 })
        )
  }
  /** Each leaves a session and a row of the audit log: a right key is no leave to write as many as one likes. */
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
 * Opens the admin API to the operator's key and to nothing else. How long a wrong key takes tells nothing of the right
 * one. The right key opens from anywhere, always: whoever guesses behind the operator's own proxy must not lock the
 * operator out.
 */
const byKey = (key: Redacted.Redacted, tries: ReturnType<typeof makeTries>) => {
  const expected = digest(Redacted.value(key))
  return (headers: Headers, knocking: Knocking): Effect.Effect<Caller, AuthMissing | AuthInvalid | RateLimited> => {
    const authorization = headers.get("authorization")
    const given = authorization === null ? headers.get("x-api-key") : /^bearer +(\S+)$/i.exec(authorization.trim())?.[1]
    if (given === null) return missing
    if (given === undefined) return malformed
    return timingSafeEqual(digest(given), expected) ? operator : tries.wrong(tries.from(knocking), wrong)
  }
}

/** Nothing tells it from a path that no endpoint has. */
const absent = (_: Headers, { request }: Knocking) =>
  Effect.fail(new UnknownRoute({ message: `Invalid URL (${request.method} ${pathOf(request)})` }))

const digest = (text: string) => new Bun.CryptoHasher("sha256").update(text).digest()

const operator = Effect.succeed(Caller.unrestricted("", "admin-key"))
const missing = Effect.fail(
  new AuthMissing({ message: "Missing Authorization header: send `Authorization: Bearer <GATEWAY_ADMIN_KEY>`" })
)
const malformed = Effect.fail(
  new AuthInvalid({ message: "Malformed Authorization header: expected `Authorization: Bearer <GATEWAY_ADMIN_KEY>`" })
)
const wrong = new AuthInvalid({ message: "This key does not open the admin API" })
