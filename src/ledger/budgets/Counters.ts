import type { AccountId } from "../../contract/callers/Caller.ts"
import type { CounterRow } from "../store/budgetCounters.ts"
import { other, spentIn } from "./claims.ts"
import type { Claim, HeldBudget, Spent } from "./claims.ts"
import { isOwn, mostOwn } from "./own.ts"
import type { Short } from "./refusals.ts"

interface Step {
  used: number
  forgiven: number
  held: number
  readonly endsAt: number
}

interface Counter {
  readonly account: string
  readonly isOwn: boolean
  /** By their beginnings. */
  readonly steps: Map<number, Step>
}

/** How often ended steps are removed, in ms; sooner if an account has no room. */
const [sweepMs, soonerMs] = [60_000, 1_000]

/**
 * The counters of budgets in the memory of the one process that serves a SQLite file. As for balances, every check and
 * change is one synchronous step.
 */
export class Counters {
  private readonly counters = new Map<string, Counter>()
  private readonly learned = new Set<string>()
  private readonly own = new Map<string, number>()
  private sweptMs = 0

  /** The number of counters. */
  get size(): number {
    return this.counters.size
  }

  knows(budget: string): boolean {
    return this.learned.has(budget)
  }

  /** Adds a budget's rows from the database. Values that are known are newer and stay. */
  learn(budget: string, found: ReadonlyArray<CounterRow>): void {
    if (this.learned.has(budget)) return
    this.learned.add(budget)
    for (const { account_id, ends_at, forgiven, step, subject, used } of found) {
      const known = this.stepOf({ budget, subject, step, account: account_id, endsAt: ends_at })
      known.used += used
      known.forgiven = forgiven
    }
  }

  /** A reset. */
  forgive({ budget, forgiven, step, subject }: CounterRow): void {
    const known = this.counters.get(idOf(budget, subject))?.steps.get(step)
    if (known !== undefined) known.forgiven = forgiven
  }

  /** The claims, those without room for a counter of their own at the account's shared one. */
  placed(claims: ReadonlyArray<Claim>, nowMs: number): ReadonlyArray<Claim> {
    if (nowMs - this.sweptMs >= sweepMs || nowMs < this.sweptMs) this.sweep(nowMs)
    if (!claims.some(({ subject }) => isOwn(subject))) return claims
    return distinct(claims.map((claim) => (this.hasRoom(claim, nowMs) ? claim : { ...claim, subject: other })))
  }

  private hasRoom({ meter, subject }: Claim, nowMs: number): boolean {
    if (!isOwn(subject) || this.counters.has(idOf(meter.id, subject))) return true
    if (this.ownOf(meter.account) < mostOwn) return true
    if (nowMs - this.sweptMs >= soonerMs) this.sweep(nowMs)
    return this.ownOf(meter.account) < mostOwn
  }

  private ownOf(account: AccountId): number {
    return this.own.get(account) ?? 0
  }

  /** The first claim that its budget does not cover. */
  short(claims: ReadonlyArray<Claim>): Short | undefined {
    for (const claim of claims) {
      const { amount, meter, place, subject } = claim
      let used = 0
      let oldest: number | undefined
      for (const [at, step] of this.counters.get(idOf(meter.id, subject))?.steps ?? []) {
        const counted = at < place.since ? 0 : step.used - step.forgiven + step.held
        used += counted
        if (counted > 0 && (oldest === undefined || at < oldest)) oldest = at
      }
      const left = meter.budget.limit - used
      if (amount > left) return { claim, left, oldest }
    }
    return undefined
  }

  hold(held: ReadonlyArray<HeldBudget>): void {
    for (const one of held) this.stepOf(one).held += one.amount
  }

  /** Ends held amounts. */
  settle(held: ReadonlyArray<HeldBudget>, spent: Spent): void {
    for (const one of held) {
      const step = this.stepOf(one)
      step.held -= one.amount
      step.used += spentIn(one, spent)
    }
  }

  /** Takes back what could not be stored. */
  unsettle(held: ReadonlyArray<HeldBudget>, spent: Spent): void {
    for (const one of held) this.stepOf(one).used -= spentIn(one, spent)
  }

  private stepOf({
    account,
    budget,
    endsAt,
    step: at,
    subject
  }: Omit<HeldBudget, "unit" | "amount" | "account"> & { readonly account: string }) {
    const id = idOf(budget, subject)
    let counter = this.counters.get(id)
    if (counter === undefined) {
      counter = { account, isOwn: isOwn(subject), steps: new Map() }
      this.counters.set(id, counter)
      if (counter.isOwn) this.own.set(account, (this.own.get(account) ?? 0) + 1)
    }
    let step = counter.steps.get(at)
    if (step === undefined) counter.steps.set(at, (step = { used: 0, forgiven: 0, held: 0, endsAt }))
    return step
  }

  private sweep(nowMs: number): void {
    this.sweptMs = nowMs
    for (const [id, { account, isOwn, steps }] of this.counters) {
      for (const [at, { endsAt }] of steps) if (endsAt <= nowMs) steps.delete(at)
      if (steps.size > 0) continue
      this.counters.delete(id)
      if (!isOwn) continue
      const left = (this.own.get(account) ?? 1) - 1
      if (left > 0) this.own.set(account, left)
      else this.own.delete(account)
    }
  }
}

const idOf = (budget: string, subject: string): string => `${budget} ${subject}`

/** Several tags of a request may share a counter, which counts the request once. */
export const distinct = (claims: ReadonlyArray<Claim>): ReadonlyArray<Claim> =>
  claims.filter(
    ({ meter, subject }, index) =>
      claims.findIndex((one) => one.meter.id === meter.id && one.subject === subject) === index
  )
