import type { RoleRule } from "../config/sections/SignIn.ts"
import type { Acting } from "../contract/Acting.ts"
import type { Identity } from "./Claims.ts"

/** The role of a person. */
export type PersonRole = Pick<Acting, "role" | "accounts" | "bodies">

/** The widest first. */
const byReach = ["operator", "auditor", "manager", "member"] as const

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
  for (const role of byReach) {
    const giving = matches.filter(({ rule }) => rule.role === role)
    if (giving.length === 0) continue
    if (role === "operator") return { role, accounts: "all", bodies: true }
    const accounts = accountsOf(giving)
    // Every group's name was unfit for an account.
    if (accounts !== "all" && accounts.length === 0) continue
    return { role, accounts, bodies: giving.some(({ rule }) => rule.bodies === true) }
  }
  return undefined
}

/** The accounts in which a role may have keys: an auditor changes nothing, and spends nothing. */
export const accountsOfKeys = ({ accounts, role }: PersonRole): PersonRole["accounts"] =>
  role === "auditor" ? [] : accounts

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

const accountsOf = (matches: ReadonlyArray<Match>): PersonRole["accounts"] => {
  const accounts = new Set<string>()
  for (const { groups, rule } of matches) {
    if (rule.accounts === undefined) return "all"
    for (const account of rule.accounts) {
      if (!account.includes("{group}")) accounts.add(account)
      // The provider's name of a group must not become a pattern.
      else
        for (const group of groups) if (!group.includes("*")) accounts.add(account.replaceAll("{group}", () => group))
    }
  }
  return [...accounts]
}
