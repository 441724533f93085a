import { Struct } from "effect"
import { addSums, noSums, outcomeMeasures } from "../sums/Sums.ts"
import type { Sums } from "../sums/Sums.ts"
import { outcomeOf } from "./outcome.ts"
import { failedOf } from "./RequestHistogram.ts"
import type { SampledRequest } from "./store/RequestSums.ts"

/** Percentiles of requests' times. Refusals, and requests whose client left before, have no first byte. */
export class Durations {
  readonly #firstByte: Array<number> = []
  readonly #duration: Array<number> = []

  add({ duration_ms, first_byte_ms, status, upstream }: Timed): void {
    if (status < 400 && upstream !== "" && first_byte_ms > 0) this.#firstByte.push(first_byte_ms)
    this.#duration.push(duration_ms)
  }

  shown() {
    return { first_byte_ms: percentiles(this.#firstByte), duration_ms: percentiles(this.#duration) }
  }
}

type Timed = Pick<SampledRequest, "duration_ms" | "first_byte_ms" | "status" | "upstream">

/** The counts of a request that represents several. */
export const countsOf = (row: SampledRequest, every: number): Partial<Sums> => {
  const outcome = outcomeOf(row)
  return {
    requests: every,
    errors: outcome === "finished" ? 0 : every,
    refused: outcome === "refused" ? every : 0,
    hang_ups: outcome === "hang_up" ? every : 0
  }
}

/** The median and the 95th percentile; null without times. */
export const percentiles = (times: ReadonlyArray<number>) => {
  if (times.length === 0) return null
  const sorted = Float64Array.from(times).sort()
  const at = (part: number) => sorted[Math.ceil(sorted.length * part) - 1] ?? 0
  return { p50: at(0.5), p95: at(0.95) }
}

/** The costs of a sum that only operators see. */
export const operatorCosts = ({
  above_hold_nano_usd: above,
  upstream_cost_nano_usd: cost
}: Pick<Sums, "above_hold_nano_usd" | "upstream_cost_nano_usd">) => ({
  upstream_cost_usd: cost / 1e9,
  ...(above > 0 && { above_hold_usd: above / 1e9 })
})

/** Sums by step. */
export class Tally {
  readonly total = noSums()
  readonly steps: ReadonlyArray<Sums>
  readonly took = new Durations()
  readonly #from: number
  readonly #step: number

  constructor(fromMs: number, stepMs: number, count: number) {
    this.#from = fromMs
    this.#step = stepMs
    this.steps = Array.from({ length: count }, noSums)
  }

  stepOf(atMs: number): number {
    return Math.floor((atMs - this.#from) / this.#step)
  }

  add(atMs: number, sums: Partial<Sums>): void {
    const step = this.steps[this.stepOf(atMs)]
    if (step === undefined) return
    addSums(step, sums)
    addSums(this.total, sums)
  }
}

/** @param isOperator shows the upstream cost */
export const shownSums = (sums: Sums, isOperator: boolean) => ({
  ...Struct.pick(sums, ...outcomeMeasures, "input_tokens", "output_tokens"),
  failed: failedOf(sums),
  cost_usd: sums.cost_nano_usd / 1e9,
  ...(isOperator ? operatorCosts(sums) : {})
})
