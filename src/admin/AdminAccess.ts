import { timingSafeEqual } from "node:crypto"
import { Effect, Option, Redacted } from "effect"
import type { Clock } from "effect"
import * as ApiKey from "../access/ApiKey.ts"
import { Keys } from "../access/store/Keys.ts"
import { BadSettings } from "../config/document.ts"
import { AccountId, KeyId, unrestricted } from "../contract/Caller.ts"
import type { Caller } from "../contract/Caller.ts"
import { AuthInvalid, AuthMissing, RateLimited } from "../contract/Failure.ts"
import { parseAllowed } from "../guard/addresses.ts"
import type { Range } from "../guard/addresses.ts"
import { clientAddress } from "../guard/clientAddress.ts"
import { Guesses } from "../guard/Guesses.ts"
import { uncounted } from "../limits/Limits.ts"

interface Options {
  readonly key: Redacted.Redacted
  /** Whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: ReadonlyArray<Range>
  readonly clock: Clock.Clock
}

/** A request as the server has it. */
interface Knocking {
  readonly request: Request
  readonly server: Pick<Bun.Server<undefined>, "requestIP">
}

/**
 * The door of the admin API. Fails where its key is an API key too.
 *
 * @param proxies ranges whose `X-Forwarded-For` is believed
 */
export const makeAdminAccess = (key: Redacted.Redacted, proxies: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const keys = yield* Keys
    const trustedProxies = yield* Effect.mapError(
      parseAllowed(proxies, "server.trusted_proxies"),
      ({ message }) => new BadSettings({ message })
    )
    if (Option.isSome(yield* keys.open(ApiKey.hash(Redacted.value(key))))) {
      return yield* new BadSettings({
        message: "GATEWAY_ADMIN_KEY: is an API key too; the key of the admin API must open nothing else"
      })
    }
    return adminAccess({ key, trustedProxies, clock: yield* Effect.clock })
  })

/**
 * Opens the admin API to the operator's key and to nothing else. How long a wrong key takes tells nothing of the right
 * one. Ten wrong keys a minute from one address are told so, more are a 429; the right key opens from anywhere, always:
 * whoever guesses behind the operator's own proxy must not lock the operator out.
 */
const adminAccess = ({ clock, key, trustedProxies }: Options) => {
  const expected = digest(Redacted.value(key))
  const guesses = new Guesses()
  const authenticate = (
    headers: Headers,
    { request, server }: Knocking
  ): Effect.Effect<Caller, AuthMissing | AuthInvalid | RateLimited> => {
    const authorization = headers.get("authorization")
    const given = authorization === null ? headers.get("x-api-key") : /^bearer +(\S+)$/i.exec(authorization.trim())?.[1]
    if (given === null) return missing
    if (given === undefined) return malformed
    if (timingSafeEqual(digest(given), expected)) return operator
    const from = clientAddress(server.requestIP(request)?.address, headers.get("x-forwarded-for"), trustedProxies)
    const waitMs = guesses.wrong(from, clock.unsafeCurrentTimeMillis())
    return waitMs === undefined
      ? wrong
      : Effect.fail(
          new RateLimited({ message: "Too many wrong keys from this address", retryAfterSeconds: waitMs / 1_000 })
        )
  }
  return { authenticate, admit: () => uncounted }
}

const digest = (text: string) => new Bun.CryptoHasher("sha256").update(text).digest()

const operator = Effect.succeed(unrestricted(AccountId.make(""), KeyId.make("admin-key")))
const missing = Effect.fail(
  new AuthMissing({ message: "Missing Authorization header: send `Authorization: Bearer <GATEWAY_ADMIN_KEY>`" })
)
const malformed = Effect.fail(
  new AuthInvalid({ message: "Malformed Authorization header: expected `Authorization: Bearer <GATEWAY_ADMIN_KEY>`" })
)
const wrong = Effect.fail(new AuthInvalid({ message: "This key does not open the admin API" }))
