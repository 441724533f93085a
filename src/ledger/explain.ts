import { Option, Schema } from "effect"
import { inputOf } from "../contract/records/measures.ts"
import type { CallCounts } from "../contract/records/HostedCall.ts"
import type { Counts } from "../contract/records/measures.ts"
import { linesOf, sumOf } from "./costLines.ts"
import type { CostLine } from "./costLines.ts"
import { priceFromText } from "./Price.ts"
import type { Price } from "./Price.ts"

/** A row of usage, as far as its cost follows from it. */
export interface ExplainedUsage {
  readonly used: Counts
  readonly calls: CallCounts | null
  /** `Price.text`, as it was applied. */
  readonly price: string
  /** JSON of the lines, if they don't follow from the rest. */
  readonly costLines: string | null
}

/** A cause of the rates of tokens: a field of the price with its value, or the length of the input (`above`). */
interface AppliedFactor {
  readonly of: string
  readonly value?: string | undefined
  /** Absent for rates of its own. */
  readonly factor?: number | undefined
}

export interface Explanation {
  readonly lines: ReadonlyArray<CostLine>
  readonly factors: ReadonlyArray<AppliedFactor>
  /** The sum of the lines, rounded once: the cost, of which at most the hold is charged. */
  readonly nanoUsd: number
}

/**
 * Explains the cost of a row. Undefined if its price is free and its calls are, and for rows of the first versions, which may have counts and
 * prices that are none.
 */
export const explain = ({ calls, costLines, price: text, used }: ExplainedUsage): Explanation | undefined =>
  Option.getOrUndefined(
    Option.liftThrowable(() => {
      const price = priceFromText(text)
      if (price.isFree && costLines === null) return undefined
      const lines =
        costLines === null
          ? linesOf(price, { ...used, ...(calls !== null && { calls }) }, undefined)
          : decodeLines(costLines)
      return { lines, factors: [...stepIn(price, used), ...decodeFactors(text).factors], nanoUsd: sumOf(lines) }
    })()
  )

/** The step of the price that the length of the input chose. */
const stepIn = (price: Price, used: Counts): ReadonlyArray<AppliedFactor> => {
  const step = price.tiers.findLast(({ above }) => inputOf(used) > above)
  return step === undefined ? [] : [{ of: "above", value: String(step.above) }]
}

const Line = Schema.Struct({
  of: Schema.String,
  count: Schema.Int,
  rate: Schema.Int,
  per: Schema.Literal(1_000_000, 24, 1),
  model: Schema.optional(Schema.String)
})
const decodeLines = Schema.decodeSync(Schema.parseJson(Schema.Array(Line)))

const Factors = Schema.Struct({
  factors: Schema.optionalWith(
    Schema.Array(
      Schema.Struct({
        of: Schema.String,
        value: Schema.optional(Schema.String),
        factor: Schema.optional(Schema.Number)
      })
    ),
    { default: () => [] }
  )
})
const decodeFactors = Schema.decodeSync(Schema.parseJson(Factors))
