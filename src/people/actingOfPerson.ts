import type { Acting } from "../contract/callers/Acting.ts"
import type { SignInRules } from "./Providers.ts"
import { roleOf } from "./roleOf.ts"
import type { Person } from "./store/People.ts"

/**
 * Whom a person acts as, by the rules of now and what their provider said last. `away`: the provider has not answered for
 * longer than people may work on. Undefined: they have to sign in again.
 *
 * @param via the session
 */
export const actingOfPerson = (
  person: Person,
  rules: SignInRules | undefined,
  via: string,
  nowMs: number
): Acting | "away" | undefined => {
  if (rules === undefined || person.ended_at !== null) return undefined
  const held = heldOf(person, rules, nowMs)
  if (held !== null) return held === "away" ? held : undefined
  const role = roleOf(rules.roles, person)
  return role === undefined ? undefined : { ...role, name: nameOfPerson(person), via, person: person.id }
}

/** The reason that a person can't work on for now, if there is one: `over` until they sign in again. */
export const heldOf = (
  { failing_since, issuer, refresh_token, seen_at }: Person,
  rules: SignInRules | undefined,
  nowMs: number
): Person["held"] => {
  if (rules === undefined || !rules.providers.has(issuer)) return "over"
  const { outageMs, recheckMs } = rules
  if (refresh_token === null && seen_at + recheckMs <= nowMs) return "over"
  return failing_since !== null && failing_since + outageMs <= nowMs ? "away" : null
}

/** For the audit log and the console: an address that the provider verified, otherwise its own id of the person. */
export const nameOfPerson = ({ email, issuer, subject }: Pick<Person, "email" | "issuer" | "subject">): string =>
  email === "" ? `${subject} at ${new URL(issuer).host}` : email
