import type { SqlError } from "@effect/sql/SqlError"
import type { Effect } from "effect"
import type { AccountId, Caller } from "../contract/callers/Caller.ts"
import type { InsufficientBalance, QuotaExceeded, RateLimited } from "../contract/failures/Failure.ts"
import type { Balance, HeldAmount, Hold, Owner } from "./Balances.ts"
import type { Spent } from "./budgets/claims.ts"
import type { Writes } from "../sql/Writes.ts"
import type { EndedHold, StoredHold } from "./store/holds.ts"
import type { UsageRow } from "./store/usageRows.ts"

export type Refused = InsufficientBalance | QuotaExceeded | RateLimited

/** A hold for a task. */
export interface TaskMoney {
  /** Run it in the transaction that stores the task: it stores the hold. */
  readonly stored: Effect.Effect<unknown, SqlError>
  /** Run it if the task could not be stored. */
  readonly undo: Effect.Effect<void>
}

/** More money for a task's hold. */
export interface MoreTaskMoney {
  /** Adds it to the hold, in a commit of its own; false if the hold has ended. */
  readonly added: Effect.Effect<boolean, SqlError>
  /** Run it if it was not added. */
  readonly undo: Effect.Effect<void>
}

/** Balances and their holds: in the memory of one process, or in the database that nodes share. */
export interface BalanceOperations extends Writes<UsageRow> {
  /** True if the account's balance and the budgets that apply are known without a query. */
  readonly knows: (caller: Caller) => boolean
  readonly load: (caller: Caller, nowMs: number) => Effect.Effect<void, SqlError>
  /** True if a known account may spend no more than its balance. */
  readonly isMetered: (account: AccountId) => boolean
  /** Places a hold, or says what is short. Returns the result itself, not an effect, if no query is needed. */
  readonly hold: <A>(
    caller: Caller,
    hold: Hold,
    nowMs: number,
    held: (held: HeldAmount) => A
  ) => Effect.Effect<A, Refused>
  /** Ends a request: releases its hold and charges its use. Call it when its row (with `held`) is stored. */
  readonly settle: (owner: Owner, held: HeldAmount, spent: Spent) => void
  /** Undoes a charge that could not be stored. */
  readonly unsettle: (owner: Owner, held: HeldAmount, spent: Spent) => void
  /** Ends a request without a charge. */
  readonly release: (owner: Owner, held: HeldAmount) => void
  /** Places a hold for a task; the row is stored with it. */
  readonly holdForTask: (
    caller: Caller,
    hold: Hold,
    row: StoredHold,
    nowMs: number
  ) => Effect.Effect<TaskMoney, Refused>
  /**
   * Places more money for a task.
   *
   * @param part the row of the amount alone, until it is added to the task's hold (`id`)
   */
  readonly raiseTaskHold: (
    caller: Caller,
    hold: Hold,
    { id, part }: { readonly id: string; readonly part: StoredHold },
    nowMs: number
  ) => Effect.Effect<MoreTaskMoney, Refused>
  /**
   * Charges a task. Run it in the transaction that ends the task and has removed its hold.
   *
   * @param row the usage; undefined if nothing is charged
   * @param committed runs once that is durable
   */
  readonly endTask: (
    hold: EndedHold,
    row: UsageRow | undefined,
    nowMs: number,
    committed: () => void
  ) => Effect.Effect<void, SqlError>
  /** Stores rows without a hold on a separate path, independent of the other one. Postgres only. */
  readonly unheld?: Writes<UsageRow>
  /** The longest wait for rows that join a commit, in ms. It depends on the cost of a commit. */
  readonly longestPauseMs: number
  /** An account's money, including the holds of requests; undefined if there is no such account. */
  readonly balance: (account: AccountId) => Effect.Effect<Balance | undefined, SqlError>
  /** Runs before a request is refused, to apply settlements that are about to release money. */
  readonly beforeRefusing: (settles: Effect.Effect<void>) => void
}
