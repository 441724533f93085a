/** A request's settled amounts. */
export interface Settlement {
  readonly atMs: number
  readonly costNanoUsd: number
  readonly upstreamCostNanoUsd: number
  /** The part of the cost above the hold, which is not charged. */
  readonly aboveHoldNanoUsd: number
  /** The provider's own charge less the cost by the price, if they differ by more than 1 %. */
  readonly toldDifferenceNanoUsd?: number | undefined
  /** The part of it that has no price (`Service`). */
  readonly priceGap?: string | undefined
}
