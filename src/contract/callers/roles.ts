import { Role } from "./Acting.ts"
import type { AccountPattern } from "./Acting.ts"

/** Kinds of operations: by what they do, and to whose records. A role reaches all of a kind or none. */
export type OperationKind =
  | "models"
  | "readsOwn"
  | "readsAccounts"
  | "readsAll"
  | "changesOwn"
  | "changesAccounts"
  | "operates"
  | "metrics"

/** The records that a role reads or changes with an operation: all, its accounts', its own keys', or none. */
export type Reach = "all" | "accounts" | "own" | "none"

interface RoleRow {
  /** For people, in Markdown: the table of docs/people.md. */
  readonly may: string
  readonly reach: Readonly<Record<OperationKind, Reach>>
  /** True if rules of `sign_in` give it to people. */
  readonly isForPeople: boolean
  /** True if a key of `admin_keys` may have it. */
  readonly isForKeys: boolean
  /** True if it signs in to the console. */
  readonly hasConsole: boolean
  /** The accounts that it reaches: all whatever the file says, all unless the file names some, or those that it must name. */
  readonly accounts: "all" | "optional" | "required"
  /** True if it is shown recorded bodies without `bodies: true`. */
  readonly seesBodies: boolean
}

/** Default: what a row does not name, its role does not reach. */
const nothing = {
  models: "none",
  readsOwn: "none",
  readsAccounts: "none",
  readsAll: "none",
  changesOwn: "none",
  changesAccounts: "none",
  operates: "none",
  metrics: "none"
} as const

/** All about each role, and the only place that knows their names. */
export const roles = {
  operator: {
    may: "everything",
    reach: {
      models: "all",
      readsOwn: "all",
      readsAccounts: "all",
      readsAll: "all",
      changesOwn: "all",
      changesAccounts: "all",
      operates: "all",
      metrics: "all"
    },
    isForPeople: true,
    isForKeys: true,
    hasConsole: true,
    accounts: "all",
    seesBodies: true
  },
  auditor: {
    may: "read everything and change nothing; recorded bodies only with `bodies: true`. With `accounts`, only what concerns these",
    reach: { ...nothing, models: "all", readsOwn: "all", readsAccounts: "all", readsAll: "all", metrics: "all" },
    isForPeople: true,
    isForKeys: true,
    hasConsole: true,
    accounts: "optional",
    seesBodies: false
  },
  manager: {
    may: "of its `accounts`: read their keys, requests, tasks, callbacks, sums and audit log; make, change, rotate and revoke their keys with budgets; cancel tasks, send callbacks again, rotate webhook secrets",
    reach: {
      ...nothing,
      models: "all",
      readsOwn: "accounts",
      readsAccounts: "accounts",
      changesOwn: "accounts",
      changesAccounts: "accounts"
    },
    isForPeople: true,
    isForKeys: true,
    hasConsole: true,
    accounts: "required",
    seesBodies: false
  },
  member: {
    may: "of a person: make keys of their own in their accounts, and read, rename, rotate and revoke these and what was done with them",
    reach: { ...nothing, models: "all", readsOwn: "own", changesOwn: "own" },
    isForPeople: true,
    isForKeys: false,
    hasConsole: true,
    accounts: "required",
    seesBodies: false
  },
  metrics: {
    may: "`/metrics`, and nothing else",
    reach: { ...nothing, metrics: "all" },
    isForPeople: false,
    isForKeys: true,
    hasConsole: false,
    accounts: "all",
    seesBodies: false
  }
} as const satisfies Record<Role, RoleRow>

/** The reach of a role that reaches all, if the file names its accounts. */
const ofSomeAccounts = {
  models: "all",
  readsOwn: "accounts",
  readsAccounts: "accounts",
  readsAll: "none",
  changesOwn: "accounts",
  changesAccounts: "accounts",
  operates: "none",
  metrics: "none"
} as const satisfies Record<OperationKind, Reach>

const rowOf = (role: Role): RoleRow => roles[role]

/** The records that a role reaches with operations of a kind. */
export const reachOfRole = (
  { accounts, role }: { readonly role: Role; readonly accounts: "all" | ReadonlyArray<AccountPattern> },
  kind: OperationKind
): Reach => {
  const row = rowOf(role)
  const reach = row.reach[kind]
  return reach === "all" && row.accounts === "optional" && accounts !== "all" ? ofSomeAccounts[kind] : reach
}

/** The accounts and the view of recorded bodies that a role has, by what the file says of it. */
export const grantOf = (
  role: Role,
  {
    accounts,
    bodies
  }: { readonly accounts: "all" | ReadonlyArray<AccountPattern> | undefined; readonly bodies: boolean }
): { readonly accounts: "all" | ReadonlyArray<AccountPattern>; readonly bodies: boolean } => {
  const row = rowOf(role)
  return {
    accounts: row.accounts === "all" ? "all" : (accounts ?? (row.accounts === "optional" ? "all" : [])),
    bodies: row.seesBodies || bodies
  }
}

/** True if the file must name the accounts of a role. */
export const needsAccounts = (role: Role): boolean => rowOf(role).accounts === "required"

/** True if a role reaches the keys of its own person alone, and no others of an account. */
export const hasOwnKeysAlone = (role: Role): boolean => rowOf(role).reach.changesOwn === "own"

/** The roles of people, the widest first. */
export const rolesOfPeople: ReadonlyArray<Role> = Role.literals.filter((role) => rowOf(role).isForPeople)

/** The roles of admin keys, the widest first. */
export const rolesOfKeys: ReadonlyArray<Role> = Role.literals.filter((role) => rowOf(role).isForKeys)
