import type { AccountId } from "../contract/callers/Caller.ts"
import { CircuitBreaker } from "./CircuitBreaker.ts"
import type { CircuitState, Pass } from "./CircuitBreaker.ts"
import type { CircuitBreakerRules } from "./CircuitBreakerRules.ts"
import { Pause } from "./Pause.ts"
import { Recent } from "./Recent.ts"
import { SlidingCount } from "./SlidingCount.ts"

/** The most accounts remembered per upstream. */
const mostAccounts = 1_024
/** The most concurrent probes, each of another account, so that one that hangs does not block recovery. */
const mostProbes = 2

/** A call that was let through. Return it by `succeeded`, `failed` or `abandoned`. */
export interface Permit {
  readonly account: AccountId
  readonly own: AccountCircuit
  readonly pass: Pass
  /** True if it tests for every account whether the upstream is back. */
  readonly isProbe: boolean
}

/** An account's circuit breaker, with its share of all failures. */
class AccountCircuit extends CircuitBreaker {
  readonly #failures: SlidingCount
  #period = 0

  constructor(rules: CircuitBreakerRules) {
    super(rules)
    this.#failures = new SlidingCount(rules.windowMs)
  }

  /** @param period the current period: failures of earlier ones are dropped */
  addFailure(period: number, now: number): void {
    if (period !== this.#period) this.#failures.clear()
    this.#period = period
    this.#failures.add(now)
  }

  failuresOf(period: number, now: number): number {
    return period === this.#period ? this.#failures.total(now) : 0
  }
}

/**
 * The circuit breakers of an upstream. An account's failures may be the fault of its requests, so they open the breaker
 * for that account alone. It opens for every account if calls of several accounts fail or the upstream is unreachable.
 * Times are passed in, in ms.
 */
export class UpstreamCircuitBreaker {
  readonly #rules: CircuitBreakerRules
  readonly #opened: (forMs: number) => void
  readonly #accounts = new Recent<AccountCircuit>(mostAccounts)
  readonly #calls: SlidingCount
  readonly #failures: SlidingCount
  readonly #pause: Pause
  #isOpen = false
  /** Increases with each closing, so that earlier failures no longer count. */
  #period = 0
  /** The account with the most failures. */
  #worst: AccountCircuit | undefined
  /** The probing accounts, and when each began. */
  readonly #probes = new Map<AccountId, number>()
  /** The first account whose probe failed. A second account's failure reopens the breaker. */
  #failedProbe: AccountId | undefined
  #waryUntil = 0

  /** @param opened called each time it opens for every account, with the duration in ms */
  constructor(rules: CircuitBreakerRules, opened: (forMs: number) => void = () => {}) {
    this.#rules = rules
    this.#opened = opened
    this.#calls = new SlidingCount(rules.windowMs)
    this.#failures = new SlidingCount(rules.windowMs)
    this.#pause = new Pause(rules)
  }

  /** Its state for all callers. It also counts as open if the breaker of every recently active account is open. */
  state(now: number): CircuitState {
    if (this.#isOpen) return this.#probes.size > 0 ? "probing" : "open"
    const used = [...this.#accounts.values()].filter((own) => own.state !== "closed" || own.isUsed(now))
    const first = used[0]?.state ?? "closed"
    return used.every(({ state }) => state !== "closed") ? first : "closed"
  }

  /** The number of accounts whose own breaker is open. */
  get openAccounts(): number {
    return [...this.#accounts.values()].filter(({ state }) => state !== "closed").length
  }

  /** The time until a call may go, in ms, 0 if one may now. Without an account, until any may. */
  waitMs(now: number, account?: AccountId): number {
    const forAll = this.#isOpen ? this.#pause.leftMs(now) || (this.#probes.size > 0 ? this.#rules.openMs : 0) : 0
    if (account !== undefined) return Math.max(forAll, this.#accounts.get(account)?.waitMs(now) ?? 0)
    if (this.#isOpen || this.state(now) === "closed") return forAll
    const waits = [...this.#accounts.values()].filter(({ state }) => state !== "closed").map((own) => own.waitMs(now))
    return Math.min(...waits)
  }

  /** True if it keeps every account's calls back. */
  get isOpenForAll(): boolean {
    return this.#isOpen
  }

  /** Lets a call of the account through; undefined if it may not go. */
  enter(account: AccountId, now: number): Permit | undefined {
    const isProbe = this.#isOpen
    if (isProbe && !this.#mayProbe(account, now)) return undefined
    const own = this.#ownOf(account)
    const pass = own.enter(now)
    if (pass === undefined) return undefined
    if (isProbe) this.#probes.set(account, now)
    return { account, own, pass, isProbe }
  }

  recordSuccess({ isProbe, own, pass }: Permit, now: number): void {
    own.recordSuccess(pass, now)
    this.#waryUntil = 0
    if (isProbe && this.#isOpen) return this.#close()
    this.#calls.add(now)
  }

  /** @param isUnreachable true if the upstream was not reached, which no account can cause */
  recordFailure(permit: Permit, now: number, isUnreachable: boolean): void {
    const { account, isProbe, own, pass } = permit
    if (isUnreachable) own.recordCancel(pass)
    else own.recordFailure(pass, now)
    if (this.#isOpen) {
      if (isProbe && this.#pause.leftMs(now) === 0) this.#probeFailed(account, own, now, isUnreachable)
      return
    }
    this.#calls.add(now)
    this.#judge(isUnreachable ? undefined : own, now)
  }

  /** A call that had succeeded failed in the middle of its answer. */
  brokeOff({ own }: Permit, now: number): void {
    own.brokeOff(now)
    if (!this.#isOpen) this.#judge(own, now)
  }

  /** The call was cancelled before its outcome was known. */
  recordCancel({ account, isProbe, own, pass }: Permit): void {
    own.recordCancel(pass)
    if (isProbe) this.#probes.delete(account)
  }

  /**
   * Another process found the upstream failing. The next failure here opens the breaker too, unless a call succeeds
   * first. The hint expires after the first opening's duration.
   */
  hinted(now: number): void {
    if (!this.#isOpen) this.#waryUntil = now + this.#rules.openMs
  }

  #ownOf(account: AccountId): AccountCircuit {
    let own = this.#accounts.get(account)
    if (own === undefined) this.#accounts.set(account, (own = new AccountCircuit(this.#rules)))
    return own
  }

  #mayProbe(account: AccountId, now: number): boolean {
    if (this.#pause.leftMs(now) > 0) return false
    for (const [other, since] of this.#probes) if (now - since >= this.#rules.openMs) this.#probes.delete(other)
    return this.#probes.size < mostProbes && !this.#probes.has(account)
  }

  #probeFailed(account: AccountId, own: AccountCircuit, now: number, isUnreachable: boolean): void {
    this.#probes.delete(account)
    const isOfSeveral = this.#failedProbe !== undefined && this.#failedProbe !== account
    if (isUnreachable || isOfSeveral) return this.#open(now)
    this.#failedProbe = account
    if (own.state === "closed") own.open(now)
  }

  #judge(own: AccountCircuit | undefined, now: number): void {
    this.#failures.add(now)
    if (own !== undefined) {
      own.addFailure(this.#period, now)
      if (own.failuresOf(this.#period, now) >= this.#failuresOfWorst(now)) this.#worst = own
    }
    if (now < this.#waryUntil || this.#isFailing(now)) this.#open(now)
  }

  /** True if too many calls failed, even without those of the account with the most failures. */
  #isFailing(now: number): boolean {
    const { failureRate, leastCalls } = this.#rules
    const calls = this.#calls.total(now)
    const ofWorst = this.#failuresOfWorst(now)
    const others = this.#failures.total(now) - ofWorst
    return calls >= leastCalls && others > 0 && others >= (calls - ofWorst) * failureRate
  }

  #failuresOfWorst(now: number): number {
    return this.#worst?.failuresOf(this.#period, now) ?? 0
  }

  #open(now: number): void {
    this.#isOpen = true
    this.#waryUntil = 0
    this.#probes.clear()
    this.#failedProbe = undefined
    this.#opened(this.#pause.begin(now))
  }

  #close(): void {
    this.#isOpen = false
    this.#period++
    this.#worst = undefined
    this.#probes.clear()
    this.#failedProbe = undefined
    this.#pause.end()
    this.#calls.clear()
    this.#failures.clear()
  }
}
