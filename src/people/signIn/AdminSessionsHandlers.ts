import { Effect } from "effect"
import { Configuration } from "../../config/Configuration.ts"
import { actorOf } from "../../contract/callers/Acting.ts"
import { handlers } from "../../contract/handlers.ts"
import type { Handlers } from "../../contract/handlers.ts"
import { offsetOf, pagedByOffset } from "../../contract/paging.ts"
import { AdminSessionsApi } from "./Api.ts"
import { SessionAdministration } from "./SessionAdministration.ts"

/** Operations of `/admin/v1/sessions`. */
export const makeAdminSessionsHandlers = Effect.map(
  Effect.all([SessionAdministration, Configuration]),
  ([{ list, revoke }, { current }]): Handlers<typeof AdminSessionsApi> => ({
    list: ({ caller, urlParams }) =>
      Effect.map(list(offsetOf(urlParams), current().value, caller.key), (rows) => pagedByOffset(rows, urlParams)),
    revoke: ({ caller, path }) => revoke(actorOf(caller), path.id, current().value)
  })
)

export const AdminSessionsHandlers = handlers(AdminSessionsApi, makeAdminSessionsHandlers)
