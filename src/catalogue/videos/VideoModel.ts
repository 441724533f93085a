import type { PriceInUsd } from "../../ledger/videoPrice.ts"
import type { SomeVideoBounds } from "../../upstreams/videos/VideoBounds.ts"

/** A seller's price of a model, or the reason that there is none. */
export type Sale = {
  /** The seller's id, as `@pydantic/genai-prices` or `providers.ts` calls it. */
  readonly provider: string
  /** The seller's ids of the model, without the suffix of a snapshot. */
  readonly models: ReadonlyArray<string>
  readonly source: string
  readonly day: string
} & ({ readonly usd: PriceInUsd } | { readonly unpriced: string })

/**
 * A video model: what it makes and what that costs. Requests are checked and completed by `bounds`, the model list and
 * the documents show them, and holds and prices come from `sales`. A bound that is left out is the protocol's, otherwise
 * the specification's.
 */
export interface VideoModel {
  /** The ids that name it, at any seller and with any prefix or suffix. The first model of the table that matches counts. */
  readonly named: RegExp
  readonly bounds: SomeVideoBounds
  readonly sales: ReadonlyArray<Sale>
}

/** Models that make a video of frames or of nothing, not of references. */
export const noReferences = { references: { images: 0, videos: 0, audios: 0 } } as const

/** Volcengine's and Model Studio's Chinese lists are in yuan: 7 are a dollar. */
export const yuan = (amount: number) => Math.round((amount / 7) * 1e6) / 1e6
