import type { AccountId, Budget, Caller, KeyId } from "../contract/Caller.ts"
import { InsufficientBalance, QuotaExceeded } from "../contract/Failure.ts"
import { showUsd } from "../contract/showUsd.ts"

/** An account's money, in nano-dollars. It can still spend `granted - settled - held`. */
export interface Balance {
  /** undefined: the account is unmetered and has no spending limit. */
  readonly granted: number | undefined
  readonly settled: number
  readonly held: number
}

export const available = (balance: Balance): number | undefined =>
  balance.granted === undefined ? undefined : balance.granted - balance.settled - balance.held

/** A key's spending in the current UTC day and month, and its holds. */
export interface Spending {
  readonly day: number
  readonly month: number
  readonly held: number
}

type Mutable<A> = { -readonly [K in keyof A]: A[K] }

/**
 * The balances of this process in memory. Every check and change is one synchronous step, so two requests can't spend
 * the same dollar. Balances are read from the database at first use, and changes are written to it afterwards
 * (`Ledger`).
 */
export class Balances {
  private readonly accounts = new Map<AccountId, Mutable<Balance>>()
  private readonly keys = new Map<KeyId, Mutable<Spending> & { dayEndsMs: number; monthEndsMs: number }>()

  of(account: AccountId): Balance | undefined {
    return this.accounts.get(account)
  }

  knows(caller: Owner): boolean {
    return this.accounts.has(caller.account) && this.keys.has(caller.key)
  }

  /** Adds values from the database. Known values are newer and stay. */
  learn(account: AccountId, balance: Balance): void {
    if (!this.accounts.has(account)) this.accounts.set(account, { ...balance })
  }

  learnKey(key: KeyId, spending: Spending, nowMs: number): void {
    if (this.keys.has(key)) return
    this.keys.set(key, { ...spending, dayEndsMs: endOf("day", nowMs), monthEndsMs: endOf("month", nowMs) })
  }

  known(): ReadonlyArray<AccountId> {
    return [...this.accounts.keys()]
  }

  grantedIs(account: AccountId, granted: number | undefined): void {
    const balance = this.accounts.get(account)
    if (balance !== undefined) balance.granted = granted
  }

  /** Places a hold, or says what is short. */
  hold(caller: Caller, hold: Hold, nowMs: number): InsufficientBalance | QuotaExceeded | undefined {
    const { nanoUsd } = hold
    const balance = this.accounts.get(caller.account)
    const left = balance === undefined ? undefined : available(balance)
    // An overdrawn account may still use free models.
    if (nanoUsd > 0 && left !== undefined && left < nanoUsd) return shortOfBalance(hold, left)
    const { budget } = caller
    const spending = this.spendingOf(caller.key, nowMs)
    if (nanoUsd > 0 && budget !== undefined && spending !== undefined) {
      const left = budget.nanoUsd - spending[budget.period] - spending.held
      if (left < nanoUsd) return shortOfBudget(hold, budget, left, nowMs)
    }
    if (balance !== undefined) balance.held += nanoUsd
    if (spending !== undefined) spending.held += nanoUsd
    return undefined
  }

  /** Replaces a hold by its cost (0: releases it). */
  settle({ account, key }: Owner, heldNanoUsd: number, costNanoUsd: number, nowMs: number): void {
    const balance = this.accounts.get(account)
    if (balance !== undefined) {
      balance.held -= heldNanoUsd
      balance.settled += costNanoUsd
    }
    const spending = this.spendingOf(key, nowMs)
    if (spending !== undefined) {
      spending.held -= heldNanoUsd
      spending.day += costNanoUsd
      spending.month += costNanoUsd
    }
  }

  private spendingOf(key: KeyId, nowMs: number) {
    const spending = this.keys.get(key)
    if (spending === undefined) return undefined
    if (nowMs >= spending.dayEndsMs) {
      spending.day = 0
      spending.dayEndsMs = endOf("day", nowMs)
    }
    if (nowMs >= spending.monthEndsMs) {
      spending.month = 0
      spending.monthEndsMs = endOf("month", nowMs)
    }
    return spending
  }
}

/** A hold to place. */
export interface Hold {
  readonly nanoUsd: number
  /** Its reason, for the error message. */
  readonly because?: () => string
}

/** @param left what the account has left, in nano-dollars; below 0 if it is overdrawn */
export const shortOfBalance = ({ because, nanoUsd }: Hold, left: number): InsufficientBalance =>
  new InsufficientBalance({
    message: `Insufficient balance: ${costly(nanoUsd, because)}, available are $${showUsd(Math.max(0, left))}`
  })

/** @param left what the key's budget has left, in nano-dollars; below 0 where more was spent */
export const shortOfBudget = (
  { because, nanoUsd }: Hold,
  { nanoUsd: limit, period }: Budget,
  left: number,
  nowMs: number
): QuotaExceeded => {
  const name = `${period === "day" ? "daily" : "monthly"} budget of this API key ($${showUsd(limit)})`
  const again = `begins again at ${new Date(endOf(period, nowMs)).toISOString().replace(".000", "")}`
  return new QuotaExceeded({
    message:
      left <= 0
        ? `The ${name} is used up; it ${again}`
        : `The ${name} has $${showUsd(left)} left, and ${costly(nanoUsd, because)}; it ${again}`
  })
}

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
}

/** The account and key that pay. */
export interface Owner {
  readonly account: AccountId
  readonly key: KeyId
}

/** The first moment of the next UTC day or month. */
const endOf = (period: Budget["period"], nowMs: number): number => {
  const now = new Date(nowMs)
  return period === "day"
    ? Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1)
    : Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)
}
