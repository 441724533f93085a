import { Effect } from "effect"
import { Catalogue } from "../catalogue/Catalogue.ts"
import type { Own } from "../contract/callers/Own.ts"
import { InvalidRequest } from "../contract/failures/Failure.ts"
import { kinds } from "../contract/kinds.ts"
import { unpriced } from "../ledger/Price.ts"
import { priceSourceOf } from "../ledger/PriceSource.ts"
import { TrafficCosts } from "../requests/TrafficCosts.ts"
import type { TrafficAsked } from "../requests/TrafficCosts.ts"

/** The price of past requests, of an owner or of all, on another model that is served here. */
export const makeTrafficCostOn = Effect.map(Effect.all([Catalogue, TrafficCosts]), ([catalogue, costs]) => {
  const targetOf = (id: string) => {
    const model = catalogue.get(id)
    const [route] = model?.routes ?? []
    const complain = (message: string) => Effect.fail(new InvalidRequest({ param: "on", message: `on: ${message}` }))
    if (model === undefined || route === undefined) return complain("expected the id of a model that is served here")
    if (!kinds[model.kind].isByTokens)
      return complain(`expected a model that is priced by its tokens alone: ${id} is ${kinds[model.kind].named}`)
    if (route.price === unpriced) return complain(`${id} has no price`)
    return Effect.succeed({
      model: id,
      upstream: route.upstream,
      price: route.price,
      priceSource: priceSourceOf(route.pricedBy),
      isLike: (other: string) => (catalogue.get(other)?.kind ?? "text") === model.kind
    })
  }

  return (id: string, asked: TrafficAsked, own: Own | undefined) =>
    Effect.flatMap(targetOf(id), (target) => costs.on(target, { ...asked, owner: own?.account, keys: own?.keys }))
})
