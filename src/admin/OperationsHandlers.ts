import { Effect } from "effect"
import type { Caller } from "../contract/callers/Caller.ts"
import { handlers } from "../contract/handlers.ts"
import { wholeList } from "../contract/paging.ts"
import { Administration } from "./Administration.ts"
import { AdminOperationsApi } from "./OperationsApi.ts"
import { Serving } from "./Serving.ts"
import { makeStoredOperations } from "./storedOperations.ts"

/** Operations of `/admin/v1/tasks`, `/usage`, `/requests` and others. */
export const OperationsHandlers = handlers(
  AdminOperationsApi,
  Effect.map(
    Effect.all([makeStoredOperations(Effect.succeed(true)), Serving, Administration]),
    ([stored, serving, { reports }]) => ({
      ...stored,
      upstreams: () => Effect.map(serving.upstreams, wholeList),
      models: ({ caller, urlParams: { since } }) =>
        // Use is that of all accounts.
        reports.ofKey(caller.key, Effect.map(serving.models(seesAll(caller) ? since : undefined), wholeList))
    })
  )
)

const seesAll = ({ acting }: Caller): boolean => acting === undefined || acting.accounts === "all"
