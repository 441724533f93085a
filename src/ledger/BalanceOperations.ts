import type { SqlError } from "@effect/sql/SqlError"
import type { Effect } from "effect"
import type { AccountId, Caller } from "../contract/Caller.ts"
import type { InsufficientBalance, QuotaExceeded } from "../contract/Failure.ts"
import type { Balance, HeldAmount, Hold, Owner } from "./Balances.ts"
import type { Writes } from "../sql/Writes.ts"
import type { EndedHold, StoredHold } from "./store/holds.ts"
import type { UsageRow } from "./store/usageRows.ts"

export type Refused = InsufficientBalance | QuotaExceeded

/** Money set aside for a task. */
export interface TaskMoney {
  /** To be run in the transaction that stores the task: stores its hold with it. */
  readonly stored: Effect.Effect<unknown, SqlError>
  /** To be run where the task could not be stored. */
  readonly undo: Effect.Effect<void>
}

/** Balances and their holds: in the memory of one process, or shared by many in the database. */
export interface BalanceOperations extends Writes<UsageRow> {
  /** True if the money of both is known without a query. */
  readonly knows: (owner: Owner) => boolean
  readonly load: (owner: Owner, nowMs: number) => Effect.Effect<void, SqlError>
  /** Of a known account: whether it may spend no more than its balance. */
  readonly isMetered: (account: AccountId) => boolean
  /** Sets money aside, or says what is short. An own result where nobody is asked. */
  readonly hold: <A>(
    caller: Caller,
    hold: Hold,
    nowMs: number,
    held: (held: HeldAmount) => A
  ) => Effect.Effect<A, Refused>
  /** The request is over: what it held is free, and what it cost spent, by the time its row (with `held`) is stored. */
  readonly settle: (owner: Owner, held: HeldAmount, costNanoUsd: number, nowMs: number) => void
  /** Undoes a charge that could not be stored. */
  readonly unsettle: (owner: Owner, held: HeldAmount, costNanoUsd: number, nowMs: number) => void
  /** The request is over, and cost nothing. */
  readonly release: (owner: Owner, held: HeldAmount, nowMs: number) => void
  /** Sets money aside for a task; the row is what is stored of it. */
  readonly holdForTask: (
    caller: Caller,
    hold: Hold,
    row: StoredHold,
    nowMs: number
  ) => Effect.Effect<TaskMoney, Refused>
  /**
   * In the transaction that ends a task and has removed its hold: pays for what it used.
   * @param row what it used; undefined where nothing is paid for
   * @param committed runs once that is durable
   */
  readonly endTask: (
    hold: EndedHold,
    row: UsageRow | undefined,
    nowMs: number,
    committed: () => void
  ) => Effect.Effect<void, SqlError>
  /** A second way to store rows, for those without a hold, that does not wait for the first. Postgres only. */
  readonly unheld?: Writes<UsageRow>
  /** An account's money, what requests hold included; undefined where there is no such account. */
  readonly balance: (account: AccountId) => Effect.Effect<Balance | undefined, SqlError>
  /** Runs before a request is refused, to apply settlements that are about to release money. */
  readonly beforeRefusing: (settles: Effect.Effect<void>) => void
}
