import { Clock, Effect, Either, Layer, Option } from "effect"
import * as ApiKey from "../access/ApiKey.ts"
import { IssuedTokens } from "../access/IssuedTokens.ts"
import { IssuedKeys } from "../access/store/IssuedKeys.ts"
import { Keys } from "../access/store/Keys.ts"
import type { Opening } from "../access/store/KeyRow.ts"
import { Configuration } from "../config/Configuration.ts"
import { limitsOf } from "../config/limitsOf.ts"
import type { JwtIssuer } from "../config/sections/JwtIssuer.ts"
import { Settings } from "../config/Settings.ts"
import { smallerLimits } from "../contract/callers/smallerLimits.ts"
import { Unavailable } from "../contract/failures/Failure.ts"
import type { AuthInvalid } from "../contract/failures/Failure.ts"
import { fetchBy } from "../upstreams/auth/fetchBy.ts"
import { jose, makeIssuer } from "./IssuerKeys.ts"
import type { Issuer } from "./IssuerKeys.ts"
import { nameOf } from "./Providers.ts"
import { refusedToken, tokenRefusal } from "./tokenRefusal.ts"
import { claimedBy, isTokenLike, longestToken, misuseOf, subjectOf } from "./TokenRules.ts"

interface Rule extends JwtIssuer {
  readonly signer: Issuer
}

const clockSeconds = 60
/** How long a token counts without being verified again. */
const verifiedMs = 5 * 60_000
/** For an issuer's answer. */
const patienceMs = 10_000
const hourMs = 3_600_000
/** As long as names of keys may be. */
const longestName = 200

/** Opens accounts by the tokens of `sign_in.jwt`. */
export const IssuedTokensLive = Layer.scoped(
  IssuedTokens,
  Effect.gen(function* () {
    const { proxyOf } = yield* Settings
    const { follow } = yield* Configuration
    const keys = yield* Keys
    const issued = yield* IssuedKeys
    let rules: ReadonlyMap<string, ReadonlyArray<Rule>> = new Map()
    let outageMs = hourMs
    /** By what names them: a reload must not forget keys of an issuer that is away. */
    let signers: ReadonlyMap<string, Issuer> = new Map()

    yield* follow(({ value: { sign_in } }) =>
      Effect.gen(function* () {
        const next = new Map<string, Issuer>()
        const made: Array<Rule> = []
        for (const entry of sign_in?.jwt ?? []) {
          const name = `${entry.issuer} ${entry.jwks_uri ?? ""}`
          const signer =
            next.get(name) ??
            signers.get(name) ??
            (yield* makeIssuer(
              entry,
              (url, init) => fetchBy(proxyOf(url), patienceMs)(url, init),
              () => outageMs
            ))
          next.set(name, signer)
          made.push({ ...entry, signer })
        }
        return () => {
          signers = next
          rules = Map.groupBy(made, ({ issuer }) => issuer)
          outageMs = (sign_in?.outage_hours ?? 1) * hourMs
        }
      })
    )

    const open = (token: string): Effect.Effect<Option.Option<Opening>, AuthInvalid | Unavailable> | undefined => {
      if (rules.size === 0 || !isTokenLike(token)) return undefined
      if (token.length > longestToken) return tooLong
      const claimed = claimedBy(token)
      if (claimed === undefined) return undefined
      const ofIssuer = rules.get(claimed.issuer)
      if (ofIssuer === undefined) return asSecret(token)
      const rule = ofIssuer.find(({ audience }) => claimed.audiences.includes(audience)) ?? ofIssuer[0]
      return rule && verify(rule, token)
    }

    /** Operators may choose any text as a key. */
    const asSecret = (token: string) =>
      Effect.filterOrFail(keys.open(ApiKey.hash(token)), Option.isSome, () =>
        refusedToken("the issuer of this token is not known here")
      )

    const verify = (rule: Rule, token: string) =>
      Effect.gen(function* () {
        const nowMs = yield* Clock.currentTimeMillis
        const library = yield* jose
        const { algorithms, keyOf } = yield* Effect.mapError(rule.signer.keys, () => away)
        const { payload, protectedHeader } = yield* Effect.tryPromise({
          try: () =>
            library.jwtVerify(token, keyOf, {
              issuer: rule.issuer,
              audience: rule.audience,
              algorithms: [...algorithms],
              requiredClaims: ["exp"],
              clockTolerance: clockSeconds,
              currentDate: new Date(nowMs)
            }),
          catch: (cause) => {
            // Its newest keys may not have been seen.
            const isUnseen = cause instanceof library.errors.JWKSNoMatchingKey && rule.signer.isAway()
            return (isUnseen ? undefined : tokenRefusal(cause, library)) ?? away
          }
        })
        const misuse = misuseOf(payload, protectedHeader.typ)
        if (misuse !== undefined) return yield* misuse
        const subject = yield* Either.match(subjectOf(rule, payload), { onLeft: Effect.fail, onRight: Effect.succeed })
        const models = rule.models ?? ["*"]
        const found = yield* issued.open(subject, keyName(subject), models)
        return Option.map(found, ({ caller, ...key }) => ({
          ...key,
          caller: {
            ...caller,
            models,
            openedBy: "issuer" as const,
            keyLimits: smallerLimits(caller.keyLimits, rule.limits === undefined ? {} : limitsOf(rule.limits))
          },
          verifiedUntilMs: Math.min((payload.exp ?? 0) * 1_000, nowMs + verifiedMs)
        }))
      })

    return { open }
  })
).pipe(Layer.provide([Keys.Default, IssuedKeys.Default]))

/** The name of a subject's key, for operators. Its issuer chose the subject: it may hold what moves a terminal. */
const keyName = ({ issuer, subject }: { readonly issuer: string; readonly subject: string }): string =>
  `${subject} at ${nameOf(issuer)}`.replaceAll(/\p{C}/gu, "�").slice(0, longestName)

const tooLong = Effect.fail(refusedToken(`this token is longer than ${longestToken} characters`))
const away = new Unavailable({ message: "The issuer of this token does not answer; try again later" })
