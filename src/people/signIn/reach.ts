import type { HttpApi, HttpApiEndpoint, HttpApiGroup } from "@effect/platform"
import type { AdminApi } from "../../admin/Api.ts"
import type { Acting, Within } from "../../contract/callers/Acting.ts"
import { reachOfRole, roles } from "../../contract/callers/roles.ts"
import type { OperationKind, Reach } from "../../contract/callers/roles.ts"
import type { ConsoleApi } from "./Api.ts"

type GroupsOf<Api> = Api extends HttpApi.HttpApi<infer _Id, infer Group, infer _E, infer _R> ? Group : never
type NamesOf<Group> =
  Group extends HttpApiGroup.HttpApiGroup<infer Id, infer Endpoint, infer _E, infer _R, infer _T>
    ? Endpoint extends HttpApiEndpoint.HttpApiEndpoint.Any
      ? `${Id}.${HttpApiEndpoint.HttpApiEndpoint.Name<Endpoint>}`
      : never
    : never

/** An operation that an operator's key or session opens, and the page of metrics. */
export type Operation =
  | NamesOf<GroupsOf<typeof AdminApi>>
  | Exclude<NamesOf<GroupsOf<typeof ConsoleApi>>, `session.${string}`>
  | "pages.metrics"

/**
 * The kind of each operation; `roles` says which roles reach it. `none` there is a 403. What is `accounts` or `own` is a
 * promise of the service: its lists hold only these records, and another's id is a 404, as one that does not exist.
 */
export const kindOf = {
  "adminKeys.list": "readsOwn",
  "adminKeys.create": "changesOwn",
  "adminKeys.find": "readsAccounts",
  "adminKeys.show": "readsOwn",
  "adminKeys.update": "changesOwn",
  "adminKeys.revoke": "changesOwn",
  "adminKeys.rotateSecret": "changesOwn",
  "adminKeys.resetBudgets": "changesAccounts",
  "adminAccounts.list": "readsAccounts",
  "adminAccounts.create": "operates",
  "adminAccounts.show": "readsAccounts",
  "adminAccounts.update": "operates",
  "adminAccounts.suspend": "operates",
  "adminAccounts.resume": "operates",
  "adminAccounts.delete": "operates",
  "adminAccounts.credit": "operates",
  "adminAccounts.resetBudgets": "operates",
  "adminAccounts.grants": "readsAccounts",
  "adminAccounts.members": "readsAccounts",
  "adminAccounts.webhookSecrets": "changesAccounts",
  "adminAccounts.rotateWebhookSecret": "changesAccounts",
  "adminOperations.listTasks": "readsOwn",
  "adminOperations.showTask": "readsOwn",
  "adminOperations.cancelTask": "changesOwn",
  "adminOperations.usage": "readsOwn",
  "adminOperations.listRequests": "readsOwn",
  "adminOperations.exportRequests": "readsOwn",
  "adminOperations.requestHistogram": "readsOwn",
  "adminOperations.showRequest": "readsOwn",
  "adminOperations.listDeliveries": "readsAccounts",
  "adminOperations.redeliver": "changesAccounts",
  "adminOperations.upstreams": "readsAll",
  "adminOperations.models": "models",
  "adminOperations.nodes": "readsAll",
  "adminOperations.audit": "readsOwn",
  "adminOperations.showAudit": "readsOwn",
  "adminWatch.overview": "readsOwn",
  "adminWatch.attention": "readsAll",
  "adminWatch.events": "readsOwn",
  "adminWatch.testUpstream": "operates",
  "adminWatch.logs": "readsAll",
  "adminWatch.followLogs": "readsAll",
  "adminOverview.groups": "readsOwn",
  "adminOverview.cost": "readsOwn",
  "adminConfigurations.list": "readsAll",
  "adminConfigurations.show": "readsAll",
  "adminConfigurations.apply": "operates",
  "adminConfigurations.reapply": "operates",
  "adminPrices.refresh": "operates",
  "adminPrices.reset": "operates",
  "adminTools.list": "readsOwn",
  "adminTools.test": "operates",
  "adminSessions.list": "readsAll",
  "adminSessions.revoke": "operates",
  "pages.metrics": "metrics"
} as const satisfies Record<Operation, OperationKind>

/** The roles that reach an operation, and whose records; undefined for one that anyone may ask. */
export const rolesOf = (operation: string): Readonly<Record<string, Reach>> | undefined => {
  if (!isOperation(operation)) return undefined
  const kind = kindOf[operation]
  const reached = Object.entries(roles).map(([role, { reach }]): readonly [string, Reach] => [role, reach[kind]])
  return Object.fromEntries(reached.filter(([, reach]) => reach !== "none"))
}

/** The records that an operation may touch; undefined: all. `none` if the role does not reach it. */
export const reachOf = (
  acting: Pick<Acting, "role" | "accounts" | "person">,
  operation: string
): Within | undefined | "none" => {
  switch (reachOfRole(acting, isOperation(operation) ? kindOf[operation] : "operates")) {
    case "all":
      return undefined
    case "accounts":
      return { accounts: acting.accounts === "all" ? ["*"] : acting.accounts }
    case "own":
      // Without a person nothing is one's own.
      return { accounts: acting.accounts === "all" ? ["*"] : acting.accounts, person: acting.person ?? "" }
    case "none":
      return "none"
  }
}

const isOperation = (operation: string): operation is Operation => Object.hasOwn(kindOf, operation)
