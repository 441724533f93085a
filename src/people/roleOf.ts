import type { RoleRule } from "../config/sections/SignIn.ts"
import type { Acting } from "../contract/callers/Acting.ts"
import { grantOf, roles, rolesOfPeople } from "../contract/callers/roles.ts"
import type { Identity } from "./Claims.ts"

/** The role of a person. */
export type PersonRole = Pick<Acting, "role" | "accounts" | "bodies">

/**
 * The role by the rules that match a person: the widest one, with the accounts of all rules that give it. Accounts of a
 * narrower role don't count, since the wider one would then reach them too.
 *
 * @returns undefined if no rule matches
 */
export const roleOf = (
  rules: ReadonlyArray<RoleRule>,
  person: Pick<Identity, "email" | "groups">
): PersonRole | undefined => {
  const matches = rules.flatMap((rule) => {
    const groups = matchedGroups(rule, person)
    return groups === undefined ? [] : [{ rule, groups }]
  })
  for (const role of rolesOfPeople) {
    const giving = matches.filter(({ rule }) => rule.role === role)
    if (giving.length === 0) continue
    const bodies = giving.some(({ rule }) => rule.bodies === true)
    const grant = grantOf(role, { accounts: accountsOf(giving), bodies })
    // Every group's name was unfit for an account.
    if (grant.accounts.length > 0) return { role, ...grant }
  }
  return undefined
}

/** The accounts in which people of a role may have keys: one that changes none, such as an auditor's, spends nothing. */
export const accountsOfKeys = ({ accounts, role }: PersonRole): PersonRole["accounts"] =>
  roles[role].reach.changesOwn === "none" ? [] : accounts

interface Match {
  readonly rule: RoleRule
  readonly groups: ReadonlyArray<string>
}

/** The groups by which a rule matches; none for an e-mail. Undefined if it does not match. */
const matchedGroups = (
  { domain, email, group }: RoleRule,
  person: Pick<Identity, "email" | "groups">
): ReadonlyArray<string> | undefined => {
  if (group !== undefined) {
    const groups = person.groups.filter((one) =>
      group.endsWith("*") ? one.startsWith(group.slice(0, -1)) : one === group
    )
    return groups.length === 0 ? undefined : groups
  }
  if (person.email === "") return undefined
  const isTheirs =
    email === undefined
      ? person.email.endsWith(`@${(domain ?? "").toLowerCase()}`)
      : person.email === email.toLowerCase()
  return isTheirs ? [] : undefined
}

/** Undefined if a rule names none. */
const accountsOf = (matches: ReadonlyArray<Match>): ReadonlyArray<string> | undefined => {
  const accounts = new Set<string>()
  for (const { groups, rule } of matches) {
    if (rule.accounts === undefined) return undefined
    for (const account of rule.accounts) {
      if (!account.includes("{group}")) accounts.add(account)
      // The provider's name of a group must not become a pattern.
      else
        for (const group of groups) if (!group.includes("*")) accounts.add(account.replaceAll("{group}", () => group))
    }
  }
  return [...accounts]
}
