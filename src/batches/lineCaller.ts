import { Schema } from "effect"
import { Limits } from "../contract/callers/Caller.ts"
import type { Caller } from "../contract/callers/Caller.ts"
import { smallerLimits } from "../contract/callers/smallerLimits.ts"
import type { JsonObject } from "../contract/fields.ts"

/** The limits of an issuer's token, which its key does not have; undefined for other callers. A batch keeps them. */
export const tokenLimitsOf = ({ keyLimits, openedBy }: Caller): Limits | undefined =>
  openedBy === "issuer" ? keyLimits : undefined

/**
 * The caller of a batch's lines.
 *
 * @param caller of its key, as it is now
 */
export const lineCaller = (caller: Caller, { tokenLimits }: JsonObject): Caller =>
  isLimits(tokenLimits) ? { ...caller, keyLimits: smallerLimits(caller.keyLimits, tokenLimits) } : caller

const isLimits = Schema.is(Limits)
