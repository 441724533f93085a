import { isObject } from "../contract/json/json.ts"

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
const longestSubject = 255

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
  // OpenID Connect Core, section 2. It names the person for ever, so it is not cut.
  if (subject.length > longestSubject || hasControls(subject)) {
    throw new Error(`its name of the person (sub) has more than ${longestSubject} characters, or control characters`)
  }
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
    .filter((group) => group !== "" && group.length <= longestText && !hasControls(group))
    .slice(0, mostGroups)

/** For people to read. Databases take no NUL, and terminals obey control characters. */
const textOf = (claim: unknown): string =>
  typeof claim === "string" ? claim.slice(0, longestText).replaceAll(controls, "") : ""

/** An address gives a role by its end, so a long one is none: its beginning could end in another domain. */
const emailOf = (claim: unknown): string => {
  const email = typeof claim === "string" && claim.length <= longestText ? claim.toLowerCase() : ""
  return /^[^@\s]+@[^@\s]+$/.test(email) && !hasControls(email) ? email : ""
}

const controls = /\p{C}/gu
const hasControls = (text: string): boolean => /\p{C}/u.test(text)
