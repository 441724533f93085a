import { timingSafeEqual } from "node:crypto"
import { Effect, Redacted } from "effect"
import { AccountId, KeyId, unrestricted } from "../contract/Caller.ts"
import type { Caller } from "../contract/Caller.ts"
import { AuthInvalid, AuthMissing } from "../contract/Failure.ts"

/** Opens the admin API to the operator's key and to nothing else. How long a wrong key takes tells nothing of the right one. */
export const adminAccess = (key: Redacted.Redacted) => {
  const expected = digest(Redacted.value(key))
  const authenticate = (headers: Headers): Effect.Effect<Caller, AuthMissing | AuthInvalid> => {
    const authorization = headers.get("authorization")
    const given = authorization === null ? headers.get("x-api-key") : /^bearer +(\S+)$/i.exec(authorization.trim())?.[1]
    if (given === null) return missing
    if (given === undefined) return malformed
    return timingSafeEqual(digest(given), expected) ? operator : wrong
  }
  return { authenticate, admit: () => Effect.void }
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
