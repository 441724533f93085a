import type { AccountId, KeyId } from "../contract/callers/Caller.ts"
import { InsufficientBalance } from "../contract/failures/Failure.ts"
import { showUsd } from "../contract/text/showUsd.ts"
import type { Countable, HeldBudget } from "./budgets/claims.ts"

/** An account's money, in nano-dollars. It can still spend `granted - settled - held`. */
export interface Balance {
  /** undefined: the account is unmetered and has no spending limit. */
  readonly granted: number | undefined
  readonly settled: number
  readonly held: number
}

export const available = (balance: Balance): number | undefined =>
  balance.granted === undefined ? undefined : balance.granted - balance.settled - balance.held

type Mutable<A> = { -readonly [K in keyof A]: A[K] }

/**
 * The balances of this process in memory. Every check and change is one synchronous step, so two requests can't spend
 * the same dollar. Balances are read from the database at first use, and changes are written to it afterwards
 * (`Ledger`).
 */
export class Balances {
  private readonly accounts = new Map<AccountId, Mutable<Balance>>()

  of(account: AccountId): Balance | undefined {
    return this.accounts.get(account)
  }

  knows(account: AccountId): boolean {
    return this.accounts.has(account)
  }

  /** Adds values from the database. Known values are newer and stay. */
  learn(account: AccountId, balance: Balance): void {
    if (!this.accounts.has(account)) this.accounts.set(account, { ...balance })
  }

  known(): ReadonlyArray<AccountId> {
    return [...this.accounts.keys()]
  }

  grantedIs(account: AccountId, granted: number | undefined): void {
    const balance = this.accounts.get(account)
    if (balance !== undefined) balance.granted = granted
  }

  /** The failure of a hold that the account's balance does not cover. */
  short(account: AccountId, hold: Hold): InsufficientBalance | undefined {
    const balance = this.accounts.get(account)
    const left = balance === undefined ? undefined : available(balance)
    // An overdrawn account may still use free models.
    return hold.nanoUsd > 0 && left !== undefined && left < hold.nanoUsd ? shortOfBalance(hold, left) : undefined
  }

  hold(account: AccountId, nanoUsd: number): void {
    const balance = this.accounts.get(account)
    if (balance !== undefined) balance.held += nanoUsd
  }

  /** Replaces a hold by its cost (0: releases it). */
  settle(account: AccountId, heldNanoUsd: number, costNanoUsd: number): void {
    const balance = this.accounts.get(account)
    if (balance === undefined) return
    balance.held -= heldNanoUsd
    balance.settled += costNanoUsd
  }
}

/** A hold to place. */
export interface Hold {
  readonly nanoUsd: number
  /** True if no money is counted: nothing is held, and the charge has no bound. */
  readonly isUncounted?: boolean | undefined
  /** Its reason, for the error message. */
  readonly because?: (() => string) | undefined
  /** The request, for budgets; absent if no budget applies. */
  readonly request?: Countable | undefined
}

/** The most that a request may be charged for its hold. */
export const mostCharged = ({ isUncounted, nanoUsd }: Pick<Hold, "isUncounted" | "nanoUsd">): number =>
  isUncounted === true ? Infinity : nanoUsd

/** @param left what the account has left, in nano-dollars; below 0 if it is overdrawn */
export const shortOfBalance = ({ because, nanoUsd }: Hold, left: number): InsufficientBalance =>
  new InsufficientBalance({
    message: `Insufficient balance: ${costly(nanoUsd, because)}, available are $${showUsd(Math.max(0, left))}`
  })

const costly = (nanoUsd: number, because: Hold["because"]) =>
  because === undefined
    ? `the request may cost $${showUsd(nanoUsd)}`
    : `the request may cost $${showUsd(nanoUsd)}, held ${because()}`

/** A request's hold, in nano-dollars. */
export interface HeldAmount {
  readonly nanoUsd: number
  /**
   * The node that placed it: once that node is declared dead, nothing is left to release. Empty if one process has all
   * holds.
   */
  readonly node: string
  /** The amounts that budgets hold for the request; absent if none applies. */
  readonly budgets?: ReadonlyArray<HeldBudget> | undefined
}

/** The account and key that pay. */
export interface Owner {
  readonly account: AccountId
  readonly key: KeyId
}
