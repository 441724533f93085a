import { isObject } from "../contract/json.ts"

/** A person, as their provider names them. */
export interface Identity {
  readonly issuer: string
  readonly subject: string
  /** Verified; empty if the provider names none. */
  readonly email: string
  /** Chosen by the person, so no proof of who it is. */
  readonly name: string
  readonly groups: ReadonlyArray<string>
  /** The provider left out the groups, as there are too many for a token. */
  readonly isCut: boolean
}

type Claims = Readonly<Record<string, unknown>>

/** Bounds of what is stored of a person. */
const mostGroups = 1_000
const longestText = 256

/** True if the ID token says everything, so that userinfo need not be asked. */
export const isComplete = (token: Claims, groupsClaim: string): boolean =>
  token[groupsClaim] !== undefined && typeof token["email"] === "string"

/**
 * The person of an ID token and of userinfo, whose subject was compared.
 *
 * @param sources claims, those of the ID token first
 */
export const identityOf = (
  issuer: string,
  subject: string,
  sources: ReadonlyArray<Claims>,
  groupsClaim: string
): Identity => {
  // An address and whether it is verified are believed from one source together.
  const mailed = sources.find(({ email }) => typeof email === "string")
  const listed = sources.find((claims) => claims[groupsClaim] !== undefined)?.[groupsClaim]
  return {
    issuer,
    subject,
    email: mailed?.["email_verified"] === true ? emailOf(mailed["email"]) : "",
    name: sources.map(({ name, preferred_username }) => textOf(name) || textOf(preferred_username)).find(Boolean) ?? "",
    groups: groupsOf(listed),
    isCut: listed === undefined && sources.some((claims) => isCutIn(claims, groupsClaim))
  }
}

/** Microsoft Entra puts an address in place of more than 200 groups. */
const isCutIn = (claims: Claims, groupsClaim: string): boolean => {
  const elsewhere = claims["_claim_names"]
  return (isObject(elsewhere) && elsewhere[groupsClaim] !== undefined) || claims["hasgroups"] === true
}

const groupsOf = (claim: unknown): ReadonlyArray<string> =>
  (Array.isArray(claim) ? claim : [claim])
    .filter((group) => typeof group === "string")
    .filter((group) => group !== "" && group.length <= longestText)
    .slice(0, mostGroups)

const textOf = (claim: unknown): string => (typeof claim === "string" ? claim.slice(0, longestText) : "")

const emailOf = (claim: unknown): string => {
  const email = textOf(claim).toLowerCase()
  return /^[^@\s]+@[^@\s]+$/.test(email) ? email : ""
}
