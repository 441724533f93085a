import { Schema } from "effect"

/** A person's role, or a named admin key's: everything; all reading; accounts; one's own keys; `/metrics` alone. */
export const Role = Schema.Literal("operator", "auditor", "manager", "member", "metrics")
export type Role = typeof Role.Type

/** The author of a change, for the audit log. */
export interface Actor {
  /** The person or the key: `ann@corp.test`, `ci-deploy`, `admin-key`, `cli:root`. */
  readonly name: string
  /** The way in: `session_…`, or the same as the name. */
  readonly via: string
}

/** An actor without a name of its own: a command at the gateway's machine, a changed file. */
export const actorNamed = (name: string): Actor => ({ name, via: name })

/** An account id, or the beginning of several: `team-*`. */
export type AccountPattern = string

/** The caller of the operator's API, and how far the role reaches. */
export interface Acting extends Actor {
  readonly role: Role
  /** The accounts that it reaches, of any role but `operator`. */
  readonly accounts: "all" | ReadonlyArray<AccountPattern>
  /** True if it is shown recorded bodies, as an operator always is. */
  readonly bodies: boolean
  /** Absent for keys and links. */
  readonly person?: string | undefined
}

/** The records that an operation may touch: those of the accounts, or of a person's own keys in them. */
export interface Within {
  readonly accounts: ReadonlyArray<AccountPattern>
  /** The account acted in (`x-gateway-account`), one of them. */
  readonly account?: string | undefined
  /** Only what belongs to this person's keys. */
  readonly person?: string | undefined
}

/** True if nothing has been granted or withdrawn since. */
export const reachesSame = (now: Within | undefined, before: Within | undefined): boolean =>
  now === before || JSON.stringify(now) === JSON.stringify(before)

/** True if an account is one of the patterns'. */
export const reachesAccount = (patterns: ReadonlyArray<AccountPattern>, account: string): boolean =>
  patterns.some((one) => (one.endsWith("*") ? account.startsWith(one.slice(0, -1)) : one === account))

/** The author of a caller's changes. */
export const actorOf = ({ acting, key }: { readonly acting?: Acting | undefined; readonly key: string }): Actor =>
  acting ?? actorNamed(key)
