import type { CircuitBreakerRules } from "./CircuitBreakerRules.ts"
import { Pause } from "./Pause.ts"
import { SlidingCount } from "./SlidingCount.ts"

export type CircuitState = "closed" | "open" | "probing"

/** `usual` for one call among many, `probe` for the single one that tests whether the upstream is back. */
export type Pass = "usual" | "probe"

/**
 * Keeps one account's calls from an upstream that fails them. Closed while it answers; open for a while after too many
 * failures in the window; then half open: one call is let through, and its outcome closes or reopens it. Times are
 * passed in, in ms.
 */
export class CircuitBreaker {
  readonly #rules: CircuitBreakerRules
  readonly #calls: SlidingCount
  readonly #failures: SlidingCount
  readonly #pause: Pause
  #state: CircuitState = "closed"

  constructor(rules: CircuitBreakerRules) {
    this.#rules = rules
    this.#calls = new SlidingCount(rules.windowMs)
    this.#failures = new SlidingCount(rules.windowMs)
    this.#pause = new Pause(rules)
  }

  get state(): CircuitState {
    return this.#state
  }

  /** True if it was called within the window. */
  isUsed(now: number): boolean {
    return this.#calls.total(now) > 0
  }

  /** The time until a call may go, in ms, 0 if one may now. During a probe, the first opening's duration. */
  waitMs(now: number): number {
    if (this.#state === "closed") return 0
    return this.#pause.leftMs(now) || (this.#state === "probing" ? this.#rules.openMs : 0)
  }

  /** Lets a call through; undefined if it may not go. Each pass must be returned by one of the three methods below. */
  enter(now: number): Pass | undefined {
    if (this.#state === "closed") return "usual"
    if (this.#state === "probing" || this.#pause.leftMs(now) > 0) return undefined
    this.#state = "probing"
    return "probe"
  }

  recordSuccess(pass: Pass, now: number): void {
    if (pass === "probe") return this.#close()
    this.#calls.add(now)
  }

  recordFailure(pass: Pass, now: number): void {
    if (pass === "probe") return this.open(now)
    // Calls that began before it opened give no new information.
    if (this.#state !== "closed") return
    this.#calls.add(now)
    this.#judge(now)
  }

  /** A call that had succeeded failed in the middle of its answer. */
  brokeOff(now: number): void {
    if (this.#state === "closed") this.#judge(now)
  }

  /** The call was cancelled before its outcome was known. */
  recordCancel(pass: Pass): void {
    if (pass === "probe" && this.#state === "probing") this.#state = "open"
  }

  open(now: number): void {
    this.#pause.begin(now)
    this.#state = "open"
  }

  #judge(now: number): void {
    this.#failures.add(now)
    const calls = this.#calls.total(now)
    const { failureRate, leastCalls } = this.#rules
    if (calls >= leastCalls && this.#failures.total(now) >= calls * failureRate) this.open(now)
  }

  #close(): void {
    this.#state = "closed"
    this.#pause.end()
    this.#calls.clear()
    this.#failures.clear()
  }
}
