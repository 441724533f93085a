import type * as Jose from "jose"
import { AuthInvalid } from "../contract/failures/Failure.ts"

/** A token that opens nothing, and why: for its sender, who may be anyone. */
export const refusedToken = (why: string): AuthInvalid => new AuthInvalid({ message: `Invalid API key: ${why}` })

const byCode: Readonly<Record<string, string>> = {
  ERR_JWT_EXPIRED: "this token has expired",
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: "the signature of this token is wrong",
  ERR_JOSE_ALG_NOT_ALLOWED: "this token is signed by an algorithm that is not allowed",
  ERR_JWKS_NO_MATCHING_KEY: "its issuer publishes no key that this token is signed with",
  ERR_JWKS_MULTIPLE_MATCHING_KEYS: "this token does not name its key (`kid`), and its issuer has several"
}

const byClaim: Readonly<Record<string, string>> = {
  aud: "this token is for another audience",
  exp: "this token has no end (`exp`)",
  nbf: "this token is not valid yet (`nbf`)"
}

/** Faults of the issuer: of its answer, not of the token. */
const ofIssuer = new Set(["ERR_JOSE_GENERIC", "ERR_JWKS_INVALID", "ERR_JWKS_TIMEOUT"])

/** Why `jose` refuses a token; undefined where its issuer is to blame, or did not answer. */
export const tokenRefusal = (cause: unknown, { errors }: typeof Jose): AuthInvalid | undefined => {
  if (!(cause instanceof errors.JOSEError) || ofIssuer.has(cause.code)) return undefined
  const why = cause instanceof errors.JWTClaimValidationFailed ? byClaim[cause.claim] : byCode[cause.code]
  return refusedToken(why ?? "this token can't be read")
}
