import { Schema } from "effect"
import { showUsd } from "../contract/text/showUsd.ts"

/**
 * An amount in the API's answers. The integer is authoritative; amounts never exceed what a JSON number represents
 * exactly (nine million dollars).
 */
export const Money = Schema.Struct({
  nano_usd: Schema.Int.annotations({ description: "Nano-dollars (10⁻⁹ USD), a whole number: exact." }),
  usd: Schema.String.annotations({ description: "The same in dollars, with every digit that matters: `0.00125`." })
}).annotations({ identifier: "Money" })
export type Money = typeof Money.Type

export const money = (nanoUsd: number): Money => ({ nano_usd: nanoUsd, usd: showUsd(nanoUsd) })

/** The part of a cost above its hold, as a field that account holders do not see. */
export const aboveHold = Schema.optional(Schema.Number).annotations({
  description:
    "The part of the cost above what was held, in dollars, which is not charged; for operators only, absent if there is none."
})

/** The operator's cost, as a field that account holders do not see. */
export const upstreamCost = Schema.optional(Schema.Number).annotations({
  description: "The operator's cost at the upstreams, in dollars; for operators only."
})
