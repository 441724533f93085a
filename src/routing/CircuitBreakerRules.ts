/** When a circuit breaker opens, and for how long. */
export interface CircuitBreakerRules {
  /** The window in which calls are counted, in ms. */
  readonly windowMs: number
  /** The fewest calls in the window that can open it. */
  readonly leastCalls: number
  /** The failure rate that opens it. */
  readonly failureRate: number
  /** The duration of an opening, in ms: the first, and the longest after failed probes. */
  readonly openMs: number
  readonly openAtMostMs: number
}

export const usualRules: CircuitBreakerRules = {
  windowMs: 30_000,
  leastCalls: 10,
  failureRate: 0.5,
  openMs: 5_000,
  openAtMostMs: 60_000
}
