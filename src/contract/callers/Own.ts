import type { Caller, Holder } from "./Caller.ts"

/** One account's records, or in it those of a few keys. */
export interface Own {
  readonly account: string
  /** Only these keys', by their ids; absent: all of the account's. */
  readonly keys?: ReadonlyArray<string> | undefined
}

/** The maker of a record: the account and the key that it belongs to. */
export type Maker = Pick<Caller, "account" | "key">

/** The records that a holder reaches, for a query. `reachesKey` says the same of one record. */
export const ownOf = ({ account, person }: Holder): Own =>
  person === undefined ? { account } : { account, keys: person.keys }

/** A name that the caller or an upstream chose, such that no two people of an account share it. */
export const ownName = ({ person }: Holder, name: string): string =>
  person === undefined ? name : `${person.id} ${name}`
