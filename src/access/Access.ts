import { Effect, Option } from "effect"
import type { Caller, KeyId } from "../contract/callers/Caller.ts"
import { AuthInvalid, AuthMissing, Unavailable } from "../contract/failures/Failure.ts"
import { testDouble } from "../contract/testDouble.ts"
import { Changes } from "../sql/Changes.ts"
import * as ApiKey from "./ApiKey.ts"
import { Keys } from "./store/Keys.ts"
import type { Opening } from "./store/KeyRow.ts"
import { SignInKeys } from "./store/SignInKeys.ts"
import { IssuedTokens } from "./IssuedTokens.ts"
import { LastUsed } from "./LastUsed.ts"
import { SpendingCaps } from "./SpendingCaps.ts"

/** The most callers remembered. Beyond it, the oldest entry is removed. */
const capacity = 65_536

interface Known {
  readonly key: KeyId
  readonly success: Effect.Effect<Caller>
  readonly expiresAtMs: number
}

/** Authenticates callers by their API keys. */
export class Access extends Effect.Service<Access>()("gateway/access/Access", {
  dependencies: [Keys.Default, SignInKeys.Default, Changes.Default, LastUsed.Default, SpendingCaps.Default],
  scoped: Effect.gen(function* () {
    const keys = yield* Keys
    const signInKeys = yield* SignInKeys
    const changes = yield* Changes
    const lastUsed = yield* LastUsed
    const caps = yield* SpendingCaps
    const tokens = yield* IssuedTokens
    const clock = yield* Effect.clock
    /**
     * By the SHA-256 of the secret, by `byToken`, or by the key's id. Only valid keys and tokens are remembered, so strangers cannot fill
     * it. A reload of the configuration is a change, too.
     */
    const known = new Map<string, Known>()
    yield* changes.listen(Effect.sync(() => known.clear()))

    const lookUp = (
      hash: string,
      secret: string | undefined,
      isForTools: boolean
    ): Effect.Effect<Caller, AuthInvalid | Unavailable> =>
      Effect.suspend(() => {
        const isToken = secret !== undefined && ApiKey.isToken(secret)
        const byIssuer = secret === undefined ? undefined : tokens.open(secret)
        return opened(byIssuer ?? (isToken ? signInKeys.open(hash) : keys.open(hash)), {
          isToken,
          isForTools,
          otherwise: isToken ? signedOut : secret !== undefined && ApiKey.isMistyped(secret) ? mistyped : unknown,
          place: byIssuer === undefined && !isToken ? hash : byToken(hash)
        })
      })

    /** The caller of what was found, remembered at its place. */
    const opened = (
      finding: Effect.Effect<Option.Option<Opening>, AuthInvalid | Unavailable>,
      {
        isForTools = false,
        isToken,
        otherwise,
        place
      }: {
        readonly isToken: boolean
        readonly isForTools?: boolean
        readonly otherwise: AuthInvalid
        readonly place: string
      }
    ): Effect.Effect<Caller, AuthInvalid | Unavailable> =>
      Effect.suspend(() => {
        const asked = changes.seen()
        return Effect.flatMap(finding, (found) => {
          if (Option.isNone(found)) return Effect.fail(otherwise)
          const {
            caller,
            expiresAtMs = Infinity,
            held,
            isReplaced = false,
            person,
            revoked,
            suspended,
            verifiedUntilMs = Infinity
          } = found.value
          if (found.value.isForTools === true && !isForTools) return Effect.fail(forToolsAlone)
          if (revoked) return Effect.fail(isToken ? signedOut : revokedKey)
          if (isReplaced) return Effect.fail(replacedSecret)
          if (suspended) return Effect.fail(isToken ? suspendedSignIn : suspendedAccount)
          if (held !== undefined)
            return Effect.fail(held === "away" ? new Unavailable({}) : isToken ? signedOut : heldKey)
          if (expiresAtMs <= clock.unsafeCurrentTimeMillis()) return Effect.fail(isToken ? signedOut : expiredKey)
          lastUsed.note(caller.key, clock.unsafeCurrentTimeMillis())
          return Effect.flatMap(withPerson(caller, person), (caller) => {
            const success = caller.openedBy === "sign-in" ? withSpending(caller) : Effect.succeed(caller)
            // A result that was read before a change must not be remembered after it.
            if (asked === changes.seen()) {
              const at = found.value.isForTools === true ? byTools(place) : place
              remember(known, at, { key: caller.key, success, expiresAtMs: Math.min(expiresAtMs, verifiedUntilMs) })
            }
            return success
          })
        })
      })

    /** A person's key opens what was done with any key of theirs in the account. */
    const withPerson = (caller: Caller, id: string | undefined): Effect.Effect<Caller> =>
      id === undefined
        ? Effect.succeed(caller)
        : Effect.map(keys.ofPerson(id, caller.account), (own) => ({ ...caller, person: { id, keys: own } }))

    /** Programs that a person has signed in are told how much of its budget is used. */
    const withSpending = (caller: Caller): Effect.Effect<Caller> =>
      Effect.map(caps.recent(caller), ([spending]) => ({ ...caller, spending }))

    /**
     * Reads `Authorization: Bearer` and `x-api-key`, otherwise the headers of other clients. Some programs send both of
     * the first, one of them for another service: the one that is a key here counts, `Authorization` if both are. So it
     * is with LiteLLM's own header beside `Authorization`.
     * For a known key the effect has already succeeded, so the server starts no fiber.
     *
     * @param operation what is asked for: some tokens of people open `/mcp` alone
     */
    const authenticate = (
      headers: Headers,
      _knocking?: unknown,
      operation?: { readonly group: string }
    ): Effect.Effect<Caller, AuthMissing | AuthInvalid | Unavailable> => {
      const authorization = headers.get("authorization")
      const token = authorization === null ? null : bearer(authorization)
      const given =
        headers.get("x-api-key") ?? (authorization === null ? keyOfOthers(headers) : headers.get("x-litellm-api-key"))
      // LiteLLM's has `Bearer` in it or not.
      const key = given === null ? null : (bearer(given) ?? given)
      const secret = token ?? key
      if (secret === null) return authorization === null ? missing : malformed
      if (secret === "") return malformed
      const isForTools = operation?.group === "mcp"
      const opened = open(ApiKey.hash(secret), secret, isForTools)
      if (token === null || key === null || key === "") return opened
      return Effect.catchAll(opened, (failure) =>
        Effect.mapError(open(ApiKey.hash(key), key, isForTools), () => failure)
      )
    }

    /**
     * The caller of a key.
     *
     * @param hash of the secret, by `ApiKey.hash`
     * @param secret for a better message if there is no such key
     */
    const open = (
      hash: string,
      secret?: string,
      isForTools = false
    ): Effect.Effect<Caller, AuthInvalid | Unavailable> => {
      const hit =
        known.get(hash) ??
        (secret === undefined ? undefined : known.get(byToken(hash))) ??
        (isForTools ? known.get(byTools(byToken(hash))) : undefined)
      const nowMs = clock.unsafeCurrentTimeMillis()
      if (hit !== undefined && hit.expiresAtMs > nowMs) {
        lastUsed.note(hit.key, nowMs)
        return hit.success
      }
      return lookUp(hash, secret, isForTools)
    }

    /** The caller of a key that work came with, as it is now. Fails if the key would be refused. */
    const ofKey = (id: KeyId): Effect.Effect<Caller, AuthInvalid | Unavailable> => {
      const place = `id ${id}`
      const hit = known.get(place)
      if (hit !== undefined && hit.expiresAtMs > clock.unsafeCurrentTimeMillis()) return hit.success
      return opened(keys.openId(id), { isToken: false, otherwise: unknown, place })
    }

    return { authenticate, open, ofKey } as const
  })
}) {
  /** For tests: a member that is not given dies when it is used. */
  static readonly Test = (given: Partial<Omit<Access, "_tag">>) => testDouble(Access, given)
}

const missing = Effect.fail(new AuthMissing({}))
const malformed = Effect.fail(
  new AuthInvalid({ message: "Malformed Authorization header: expected `Authorization: Bearer <API_KEY>`" })
)
const unknown = new AuthInvalid({ message: "Invalid API key: unknown key" })
const mistyped = new AuthInvalid({ message: "Invalid API key: mistyped or cut off (its checksum does not match)" })
const revokedKey = new AuthInvalid({ message: "Invalid API key: this key was revoked" })
const replacedSecret = new AuthInvalid({
  message: "Invalid API key: its secret was rotated, and the old one no longer works"
})
const suspendedAccount = new AuthInvalid({ message: "Invalid API key: its account is suspended" })
const suspendedSignIn = new AuthInvalid({ message: "The account of this sign-in is suspended" })
const heldKey = new AuthInvalid({ message: "Invalid API key: its owner has to sign in to the console again" })
const signedOut = new AuthInvalid({ message: "This sign-in at the gateway has ended: sign in again" })
const forToolsAlone = new AuthInvalid({ message: "This sign-in is for the tools of /mcp alone" })
const expiredKey = new AuthInvalid({ message: "Invalid API key: this key has expired" })

/** The place of a token among the known ones. A session, which is looked up by its hash alone, must not find it. */
const byToken = (hash: string): string => `token ${hash}`

/** The place of a token that opens `/mcp` alone: other endpoints don't look there. */
const byTools = (place: string): string => `tools ${place}`

/** The headers that may carry a key. */
export const keyHeaders = [
  "authorization",
  "x-api-key",
  "api-key",
  "x-goog-api-key",
  "ocp-apim-subscription-key",
  "x-litellm-api-key"
] as const

/** The headers of Azure's, Google's and LiteLLM's clients. */
const keyOfOthers = (headers: Headers): string | null =>
  headers.get("api-key") ??
  headers.get("x-goog-api-key") ??
  headers.get("ocp-apim-subscription-key") ??
  headers.get("x-litellm-api-key")

/** The token of `Bearer <token>`; null for any other header. */
const bearer = (header: string): string | null => /^bearer +([^\s]+)$/i.exec(header.trim())?.[1] ?? null

const remember = (known: Map<string, Known>, hash: string, entry: Known) => {
  if (known.size >= capacity) {
    const oldest = known.keys().next()
    if (oldest.done !== true) known.delete(oldest.value)
  }
  known.set(hash, entry)
}
