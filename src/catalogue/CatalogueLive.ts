import { Layer } from "effect"
import { ConfiguredModels } from "./Configured.ts"
import { PriceRefreshLive } from "./prices/fetched/PriceRefreshLive.ts"
import { FetchedPricesLive, UsedPrices } from "./prices/fetched/UsedPrices.ts"

/** The served models of the configuration, with prices that are fetched and refreshed. */
export const CatalogueLive = PriceRefreshLive.pipe(
  Layer.provideMerge(ConfiguredModels.pipe(Layer.provide(FetchedPricesLive), Layer.provideMerge(UsedPrices.Default)))
)
