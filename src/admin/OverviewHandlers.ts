import { Effect } from "effect"
import { handlers } from "../contract/handlers.ts"
import { Administration } from "./Administration.ts"
import { AdminOverviewApi } from "./OverviewApi.ts"
import { makeOwned } from "./Owned.ts"
import { makeStoredOverview } from "./storedOverview.ts"
import { makeTrafficCostOn } from "./TrafficCostOn.ts"

export const OverviewHandlers = handlers(
  AdminOverviewApi,
  Effect.map(
    Effect.all([makeStoredOverview, makeTrafficCostOn, Administration, makeOwned]),
    ([stored, costOn, { reports }, owned]) => ({
      ...stored,
      cost: ({ caller, urlParams: { on, ...asked } }) =>
        Effect.flatMap(owned.of(caller, asked.account), (own) => reports.ofKey(caller.key, costOn(on, asked, own)))
    })
  )
)
