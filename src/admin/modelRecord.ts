import type { Model } from "../models/Catalogue.ts"
import type { ModelRecord } from "./UpstreamRecord.ts"

/** A model as operators see it, its price in dollars. */
export const modelRecord = ({ contextTokens, id, kind, maxOutputTokens, price, routes }: Model): ModelRecord => ({
  object: "model",
  id,
  kind,
  routes: routes.map(({ model, upstream }) => ({ upstream, model })),
  context_tokens: contextTokens ?? null,
  max_output_tokens: maxOutputTokens ?? null,
  price:
    price === undefined
      ? null
      : {
          input: price.rates.input / 1e9,
          cached_input: price.rates.cacheRead / 1e9,
          output: price.rates.output / 1e9,
          per_search: price.search / 1e9,
          per_second: price.videoSecond / 1e9
        }
})
