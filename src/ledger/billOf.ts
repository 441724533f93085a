import type { Usage } from "../generation/GenerationEvent.ts"
import { costOf } from "./cost.ts"
import { linesOf, otherPricesOf, sumOf, toldLine, toolLines } from "./costLines.ts"
import type { CostLine } from "./costLines.ts"
import { gapOf } from "./priceGap.ts"
import { priceAs, textWith } from "./Price.ts"
import type { Price } from "./Price.ts"

/** The cost of an answer to its caller, before the hold bounds it, and to the operator, whose upstreams run no servers' tools. */
export interface Bill {
  /** `Price.text`, as it applied. */
  readonly price: string
  /** The part of it that has no price. */
  readonly priceGap?: string
  /** The lines of what is due, if they don't follow from the row's counts and its price. */
  readonly costLines?: ReadonlyArray<CostLine>
  readonly dueNanoUsd: number
  /** The provider's own charge if it tells one, otherwise the cost by the price. */
  readonly upstreamCostNanoUsd: number
  /** The provider's charge less the cost by the price; 0 unless they differ by more than 1 %. */
  readonly toldDifferenceNanoUsd: number
}

interface Billing {
  /** When the request arrived, for prices by the hour; undefined if it is not known. */
  readonly atMs: number | undefined
  /** True if the gateway counted the usage. */
  readonly estimated: boolean
  /**
   * The hold, or what it would be where no money is counted; undefined if that is not known. Evaluated only if the
   * provider tells its charge.
   */
  readonly heldNanoUsd: () => number | undefined
}

/**
 * The bill of an answer as it was served. The charge that a provider tells is the operator's cost if it is at most ten
 * times the hold, and the caller's too where the price says so (`told`).
 */
export const billOf = (price: Price, used: Usage, { atMs, estimated, heldNanoUsd }: Billing): Bill => {
  const { gap, price: applied } = priceAs(price, used.served, atMs)
  const computed = costOf(applied, used, atMs)
  const { toldNanoUsd: told } = used
  const isBelieved = told !== undefined && told <= boundOf(heldNanoUsd() ?? computed)
  const due = isBelieved && price.told === true ? told : undefined
  const priceGap = due === undefined ? (gap ?? gapOf(applied, used)) : undefined
  const costLines = due === undefined ? besideLines(applied, used, atMs) : [toldLine(due), ...toolLines(used)]
  return {
    price: used.besides === undefined ? applied.text : textWith(applied, otherPricesOf(price, used, atMs)),
    ...(priceGap !== undefined && { priceGap }),
    ...(costLines !== undefined && { costLines }),
    dueNanoUsd: (due ?? computed) + (used.toolCalls === undefined ? 0 : sumOf(toolLines(used))),
    upstreamCostNanoUsd: isBelieved ? told : computed,
    toldDifferenceNanoUsd:
      told === undefined || estimated || computed === 0 || !differs(told, computed) ? 0 : told - computed
  }
}

/** A row's counts include those of the generations besides, and no calls of servers' tools. */
const besideLines = (applied: Price, used: Usage, atMs: number | undefined): ReadonlyArray<CostLine> | undefined => {
  if (used.toolCalls === undefined && (used.besides === undefined || applied.isFree)) return undefined
  return [...(applied.isFree ? [] : linesOf(applied, used, atMs)), ...toolLines(used)]
}

/** A price without rates holds nothing: then the charge has no bound here. */
const boundOf = (heldNanoUsd: number): number => (heldNanoUsd === 0 ? Infinity : 10 * heldNanoUsd)

/** Both are rounded to a nano-dollar. */
const differs = (told: number, computed: number): boolean => {
  const difference = Math.abs(told - computed)
  return difference > 1 && difference * 100 > computed
}
