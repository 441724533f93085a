import type { CircuitBreakerRules } from "./CircuitBreakerRules.ts"

/** The duration of a circuit breaker's openings: twice as long each time in a row, up to a limit. */
export class Pause {
  readonly #rules: CircuitBreakerRules
  #untilMs = 0
  #inARow = 0

  constructor(rules: CircuitBreakerRules) {
    this.#rules = rules
  }

  /** Returns the duration, in ms. */
  begin(now: number): number {
    const { openAtMostMs, openMs } = this.#rules
    const forMs = Math.min(openMs * 2 ** this.#inARow, openAtMostMs)
    this.#untilMs = now + forMs
    this.#inARow++
    return forMs
  }

  leftMs(now: number): number {
    return Math.max(0, this.#untilMs - now)
  }

  /** The next one is short again. */
  end(): void {
    this.#untilMs = 0
    this.#inARow = 0
  }
}
