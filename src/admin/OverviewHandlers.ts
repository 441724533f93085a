import { Effect } from "effect"
import { Catalogue } from "../catalogue/Catalogue.ts"
import { InvalidRequest } from "../contract/Failure.ts"
import { handlers } from "../contract/handlers.ts"
import { makeOwned } from "./Owned.ts"
import { unpriced } from "../ledger/Price.ts"
import { priceSourceOf } from "../ledger/PriceSource.ts"
import { groupsAnswer } from "../requests/groupsAnswer.ts"
import { RequestGroups } from "../requests/RequestGroups.ts"
import { Reports } from "../requests/Reports.ts"
import { TrafficCosts } from "../requests/TrafficCosts.ts"
import { AdminOverviewApi } from "./OverviewApi.ts"

export const OverviewHandlers = handlers(
  AdminOverviewApi,
  Effect.map(
    Effect.all([Catalogue, RequestGroups, TrafficCosts, Reports, makeOwned]),
    ([catalogue, groups, costs, reports, owned]) => {
      /** The model whose price counts. */
      const targetOf = (id: string) => {
        const model = catalogue.get(id)
        const [route] = model?.routes ?? []
        const complain = (message: string) =>
          Effect.fail(new InvalidRequest({ param: "on", message: `on: ${message}` }))
        if (model === undefined || route === undefined)
          return complain("expected the id of a model that is served here")
        if (model.kind === "video")
          return complain("expected a text or an embedding model: videos are priced by the second")
        if (route.price === unpriced) return complain(`${id} has no price`)
        return Effect.succeed({
          model: id,
          upstream: route.upstream,
          price: route.price,
          priceSource: priceSourceOf(route.pricedBy),
          isLike: (other: string) => (catalogue.get(other)?.kind ?? "text") === model.kind
        })
      }

      return {
        groups: ({ caller, request, urlParams }) =>
          Effect.flatMap(owned.of(caller, urlParams.account), (own) =>
            reports.ofKey(
              caller.key,
              groupsAnswer(urlParams, request.headers, (asked) => groups.of(asked, own))
            )
          ),
        cost: ({ caller, urlParams: { on, ...asked } }) =>
          Effect.flatMap(owned.of(caller, asked.account), (own) =>
            reports.ofKey(
              caller.key,
              Effect.flatMap(targetOf(on), (target) =>
                costs.on(target, { ...asked, owner: own?.account, keys: own?.keys })
              )
            )
          )
      }
    }
  )
)
