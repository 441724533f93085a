import type { PriceInUsd } from "../../ledger/videoPrice.ts"

/** A price in USD, and those of longer inputs: lowest first. */
export interface LengthPrices {
  readonly usd: PriceInUsd
  readonly tiers: ReadonlyArray<{ readonly above: number; readonly usd: PriceInUsd }>
}

/**
 * The price of models at one provider. The figures are those of LiteLLM's published list (1.110.2 of `day`), which names
 * the page `source` for them; those of Seedance with video input,
 * of Wan 2.2 to 2.6, of Kling and of Doubao's Seedance 1 are resellers' copies of the provider's table.
 */
export interface Addition {
  /** The provider's id, as `@pydantic/genai-prices` or `providers.ts` calls it. */
  readonly provider: string
  /** The provider's ids of the models, without the suffix of a snapshot. */
  readonly models: ReadonlyArray<string>
  readonly usd: PriceInUsd
  /** Prices of requests with more input tokens than `above`, lowest first. */
  readonly tiers?: LengthPrices["tiers"]
  readonly source: string
  readonly day: string
}
