import { failedOf } from "./RequestHistogram.ts"
import type { AttemptCounts } from "./attemptCounts.ts"
import { Durations, operatorCosts } from "./Tally.ts"

/** The sums of a group. */
const names = [
  "requests",
  "errors",
  "refused",
  "hang_ups",
  "input_tokens",
  "cache_read_tokens",
  "cache_write_tokens",
  "output_tokens",
  "cost_nano_usd",
  "upstream_cost_nano_usd",
  "above_hold_nano_usd"
] as const

export type GroupSums = Record<(typeof names)[number], number>

const nothing = (): GroupSums => ({
  requests: 0,
  errors: 0,
  refused: 0,
  hang_ups: 0,
  input_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  output_tokens: 0,
  cost_nano_usd: 0,
  upstream_cost_nano_usd: 0,
  above_hold_nano_usd: 0
})

/** The figures of one group, added up from its parts. */
export class Figures {
  readonly sums = nothing()
  readonly took = new Durations()
  readonly attemptsTook: Array<number> = []
  attempts: AttemptCounts = { attempts: 0, failed_attempts: 0, hidden_failures: 0, outpaced_attempts: 0 }

  add(sums: Partial<GroupSums>): void {
    for (const name of names) this.sums[name] += sums[name] ?? 0
  }

  addAttempts({ attempts, failed_attempts, hidden_failures, outpaced_attempts }: AttemptCounts): void {
    this.attempts = {
      attempts: this.attempts.attempts + attempts,
      failed_attempts: this.attempts.failed_attempts + failed_attempts,
      hidden_failures: this.attempts.hidden_failures + hidden_failures,
      outpaced_attempts: this.attempts.outpaced_attempts + outpaced_attempts
    }
  }
}

/** @param isOperator shows the upstream cost */
export const shownFigures = ({ sums, took }: Figures, isOperator: boolean) => {
  const { above_hold_nano_usd, cost_nano_usd, upstream_cost_nano_usd, ...counts } = sums
  const input = sums.input_tokens + sums.cache_read_tokens + sums.cache_write_tokens
  return {
    ...counts,
    failed: failedOf(sums),
    cost_usd: cost_nano_usd / 1e9,
    ...(isOperator ? operatorCosts({ above_hold_nano_usd, upstream_cost_nano_usd }) : {}),
    cache_hit_rate: input === 0 ? null : sums.cache_read_tokens / input,
    ...took.shown()
  }
}
