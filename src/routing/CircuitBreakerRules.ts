/** When a circuit opens and how long it stays open. */
export interface CircuitBreakerRules {
  /** Calls are judged over this long, in ms. */
  readonly windowMs: number
  /** It takes as many calls in the window to judge an upstream at all. */
  readonly leastCalls: number
  /** The part of them that may fail. */
  readonly failureRate: number
  /** How long nobody is let through at first, and at most after probes have failed, in ms. */
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
