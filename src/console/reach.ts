import type { HttpApi, HttpApiEndpoint, HttpApiGroup } from "@effect/platform"
import type { AdminApi } from "../admin/Api.ts"
import type { Acting, Within } from "../contract/Acting.ts"
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

/** The records that a role reads or changes with an operation: all, its accounts', its own keys', or none. */
type Reach = "all" | "accounts" | "own" | "none"

/** How far each role reaches; an operator's reach is `all`. */
interface Reaches {
  readonly auditor: "all" | "none"
  readonly manager: Reach
  readonly member: Reach
}

const everybody: Reaches = { auditor: "all", manager: "all", member: "all" }
const reading: Reaches = { auditor: "all", manager: "accounts", member: "own" }
const readingAccounts: Reaches = { auditor: "all", manager: "accounts", member: "none" }
const readingAll: Reaches = { auditor: "all", manager: "none", member: "none" }
const changingOwn: Reaches = { auditor: "none", manager: "accounts", member: "own" }
const changingAccounts: Reaches = { auditor: "none", manager: "accounts", member: "none" }
const operating: Reaches = { auditor: "none", manager: "none", member: "none" }

/**
 * Decides, in one place, who may do what. `none` is a 403. What is `accounts` or `own` is a promise of the service:
 * its lists hold only these records, and another's id is a 404, as one that does not exist.
 */
export const reaches = {
  "adminKeys.list": reading,
  "adminKeys.create": changingOwn,
  "adminKeys.find": readingAccounts,
  "adminKeys.show": reading,
  "adminKeys.update": changingOwn,
  "adminKeys.revoke": changingOwn,
  "adminKeys.rotateSecret": changingOwn,
  "adminKeys.resetBudgets": changingAccounts,
  "adminAccounts.list": readingAccounts,
  "adminAccounts.create": operating,
  "adminAccounts.show": readingAccounts,
  "adminAccounts.update": operating,
  "adminAccounts.suspend": operating,
  "adminAccounts.resume": operating,
  "adminAccounts.delete": operating,
  "adminAccounts.credit": operating,
  "adminAccounts.resetBudgets": operating,
  "adminAccounts.grants": readingAccounts,
  "adminAccounts.members": readingAccounts,
  "adminAccounts.webhookSecrets": changingAccounts,
  "adminAccounts.rotateWebhookSecret": changingAccounts,
  "adminOperations.listTasks": reading,
  "adminOperations.showTask": reading,
  "adminOperations.cancelTask": changingOwn,
  "adminOperations.usage": reading,
  "adminOperations.listRequests": reading,
  "adminOperations.exportRequests": reading,
  "adminOperations.requestHistogram": reading,
  "adminOperations.showRequest": reading,
  "adminOperations.listDeliveries": readingAccounts,
  "adminOperations.redeliver": changingAccounts,
  "adminOperations.upstreams": readingAll,
  "adminOperations.models": everybody,
  "adminOperations.nodes": readingAll,
  "adminOperations.audit": reading,
  "adminOperations.showAudit": reading,
  "adminWatch.overview": reading,
  "adminWatch.attention": readingAll,
  "adminWatch.events": reading,
  "adminWatch.testUpstream": operating,
  "adminWatch.logs": readingAll,
  "adminWatch.followLogs": readingAll,
  "adminOverview.groups": reading,
  "adminOverview.cost": reading,
  "adminConfigurations.list": readingAll,
  "adminConfigurations.show": readingAll,
  "adminConfigurations.apply": operating,
  "adminConfigurations.reapply": operating,
  "adminPrices.refresh": operating,
  "adminPrices.reset": operating,
  "adminSessions.list": readingAll,
  "adminSessions.revoke": operating,
  "pages.metrics": readingAll
} satisfies Record<Operation, Reaches>

/** The roles that reach an operation, and whose records; undefined for one that anyone may ask. */
export const rolesOf = (operation: string): Readonly<Record<string, Reach>> | undefined =>
  isOperation(operation)
    ? Object.fromEntries(
        Object.entries({ operator: "all" as const, ...reaches[operation] }).filter(([, reach]) => reach !== "none")
      )
    : undefined

/** The records that an operation may touch; undefined: all. `none` if the role does not reach it. */
export const reachOf = (
  acting: Pick<Acting, "role" | "accounts" | "person">,
  operation: string
): Within | undefined | "none" => {
  if (acting.role === "operator") return undefined
  if (acting.role === "metrics") return operation === "pages.metrics" ? undefined : "none"
  const row = isOperation(operation) ? reaches[operation] : operating
  switch (reachOfRole(acting, row)) {
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

/** An auditor of some accounts reads what their manager reads. */
const reachOfRole = ({ accounts, role }: Pick<Acting, "role" | "accounts">, row: Reaches): Reach => {
  if (role === "manager" || role === "member") return row[role]
  return row.auditor === "all" && accounts !== "all" ? row.manager : row.auditor
}

const isOperation = (operation: string): operation is Operation => Object.hasOwn(reaches, operation)
