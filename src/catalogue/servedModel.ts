import { unpriced } from "../ledger/Price.ts"
import type { Model, ModelEntry } from "./Catalogue.ts"
import { mostOutput } from "./outputLimits.ts"

/** The model of an entry, with the price and the output limit of each route. */
export const servedModel = (entry: ModelEntry): Model => {
  const { price, routes, ...described } = entry
  return {
    ...described,
    routes: routes.map((route) => ({
      ...route,
      price: route.price ?? price ?? unpriced,
      outputLimit: mostOutput(entry, route)
    }))
  }
}
