import { Effect } from "effect"
import type { Handlers } from "../contract/handlers.ts"
import { groupsAnswer } from "../requests/groupsAnswer.ts"
import { Administration } from "./Administration.ts"
import type { AdminOverviewApi } from "./OverviewApi.ts"
import { makeOwned } from "./Owned.ts"

/** The operations that need no model of this process. */
export const makeStoredOverview = Effect.map(
  Effect.all([Administration, makeOwned]),
  ([{ groups, reports }, owned]): Pick<Handlers<typeof AdminOverviewApi>, "groups"> => ({
    groups: ({ caller, request, urlParams }) =>
      Effect.flatMap(owned.of(caller, urlParams.account), (own) =>
        reports.ofKey(
          caller.key,
          groupsAnswer(urlParams, request.headers, (asked) => groups.of(asked, own))
        )
      )
  })
)
