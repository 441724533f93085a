import type { PriceInUsd } from "../../ledger/videoPrice.ts"

/**
 * The price of models at one provider. The figures are those of LiteLLM's published list (1.110.2 of `day`), which names
 * the page `source` for them; those of Seedance with video input are resellers' copies of the provider's table.
 */
export interface Addition {
  /** The provider's id, as `@pydantic/genai-prices` or `providers.ts` calls it. */
  readonly provider: string
  /** The provider's ids of the models, without the suffix of a snapshot. */
  readonly models: ReadonlyArray<string>
  readonly usd: PriceInUsd
  /** Prices of requests with more input tokens than `above`, lowest first. */
  readonly tiers?: ReadonlyArray<{ readonly above: number; readonly usd: PriceInUsd }>
  readonly source: string
  readonly day: string
}
