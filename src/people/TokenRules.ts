import { Either } from "effect"
import type { JWTPayload } from "jose"
import type { JwtIssuer } from "../config/sections/JwtIssuer.ts"
import { AccountId } from "../contract/callers/Caller.ts"
import type { AuthInvalid } from "../contract/failures/Failure.ts"
import { isObject } from "../contract/json/json.ts"
import { refusedToken } from "./tokenRefusal.ts"

/** The most characters of a token; the header is read before anything is verified. */
export const longestToken = 8_192
const longestSubject = 256

interface Claimed {
  readonly issuer: string
  readonly audiences: ReadonlyArray<unknown>
}

/** A text in the form of a JWT, which no generated key has. */
export const isTokenLike = (text: string): boolean => {
  const first = text.indexOf(".")
  const second = text.indexOf(".", first + 1)
  return first > 0 && second > 0 && !text.includes(".", second + 1) && !/^gwt?_/.test(text)
}

/** The claims of a token before it is verified; undefined for a text that is none. */
export const claimedBy = (token: string): Claimed | undefined => {
  const [header = "", payload = ""] = token.split(".")
  const claims = partOf(payload)
  if (partOf(header) === undefined || claims === undefined) return undefined
  const { aud, iss } = claims
  return { issuer: typeof iss === "string" ? iss : "", audiences: Array.isArray(aud) ? aud : [aud] }
}

const partOf = (text: string) => {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, "base64url").toString("utf8"))
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Kinds of tokens (RFC 9068, 7519). Others are signed by the same keys: logout tokens, proofs, events. */
const types = /^(?:application\/)?(?:at\+)?jwt$/i

/** Why a verified token is no access token for a bearer; undefined where it is one. */
export const misuseOf = ({ cnf, events, nonce }: JWTPayload, typ: unknown): AuthInvalid | undefined => {
  if (nonce !== undefined) return refusedToken("this is an ID token (`nonce`); send an access token")
  if (events !== undefined || (typ !== undefined && (typeof typ !== "string" || !types.test(typ)))) {
    return refusedToken("this is no access token (`typ`)")
  }
  return cnf === undefined
    ? undefined
    : refusedToken("this token is bound to a key of its client (`cnf`), which is not checked here")
}

/** Whom a verified token names, and the account that it opens. */
export const subjectOf = (
  { account, issuer, subject: claim = "sub" }: JwtIssuer,
  payload: JWTPayload
): Either.Either<
  { readonly issuer: string; readonly claim: string; readonly subject: string; readonly account: AccountId },
  AuthInvalid
> => {
  const subject = payload[claim]
  if (typeof subject !== "string" || subject === "" || subject.length > longestSubject) {
    return Either.left(
      refusedToken(
        `this token's claim "${claim}" is no text of 1 to ${longestSubject} characters, which names its subject`
      )
    )
  }
  return Either.map(accountOf(account, payload), (id) => ({ issuer, claim, subject, account: AccountId.make(id) }))
}

const accountOf = (account: JwtIssuer["account"], payload: JWTPayload): Either.Either<string, AuthInvalid> => {
  if (typeof account === "string") return Either.right(account)
  const { claim, otherwise = "refuse", values } = account
  const claimed = payload[claim]
  const known = new Map(Object.entries(values))
  const accounts = new Set(
    (Array.isArray(claimed) ? claimed : [claimed]).flatMap((value) => {
      const id = typeof value === "string" ? known.get(value) : undefined
      return id === undefined ? [] : [id]
    })
  )
  const [first = otherwise, second] = accounts
  if (second !== undefined) {
    return Either.left(refusedToken(`this token's claim "${claim}" stands for several accounts`))
  }
  return first === "refuse" && accounts.size === 0
    ? Either.left(refusedToken(`this token's claim "${claim}" stands for no account`))
    : Either.right(first)
}
