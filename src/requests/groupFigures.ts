import { Struct } from "effect"
import { inputIn, measuresIn } from "../contract/records/measures.ts"
import { addSums, noSums, outcomeMeasures } from "../sums/Sums.ts"
import type { Sums } from "../sums/Sums.ts"
import { failedOf } from "./RequestHistogram.ts"
import { Durations, operatorCosts } from "./Tally.ts"

/** The figures of one group, added up from its parts. */
export class Figures {
  readonly sums = noSums()
  readonly took = new Durations()
  readonly attemptsTook: Array<number> = []

  add(sums: Partial<Readonly<Sums>>): void {
    addSums(this.sums, sums)
  }
}

const tokens = measuresIn("usage_hours")

/** @param isOperator shows the upstream cost */
export const shownFigures = ({ sums, took }: Figures, isOperator: boolean) => {
  const input = inputIn(sums)
  return {
    ...Struct.pick(sums, ...outcomeMeasures, ...tokens),
    failed: failedOf(sums),
    cost_usd: sums.cost_nano_usd / 1e9,
    ...(isOperator ? operatorCosts(sums) : {}),
    cache_hit_rate: input === 0 ? null : sums.cache_read_tokens / input,
    ...took.shown()
  }
}
