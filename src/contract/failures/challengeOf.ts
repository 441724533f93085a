import type { Failure } from "./Failure.ts"

/** The `WWW-Authenticate` header of a refusal, which tells programs how their person signs in. */
export const challengeOf = (failure: Failure): string | undefined =>
  failure._tag === "AuthMissing" || failure._tag === "AuthInvalid" ? failure.challenge : undefined
