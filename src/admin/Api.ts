import { HttpApi, OpenApi } from "@effect/platform"
import { version } from "../../package.json"
import { withoutDecodeError } from "../contract/failures/withoutDecodeError.ts"
import { AdminAccountsApi } from "./AccountsApi.ts"
import { AdminConfigurationsApi } from "./ConfigurationsApi.ts"
import { AdminKeysApi } from "./KeysApi.ts"
import { AdminOperationsApi } from "./OperationsApi.ts"
import { AdminOverviewApi } from "./OverviewApi.ts"
import { AdminPricesApi } from "./PricesApi.ts"
import { AdminToolsApi } from "./ToolsApi.ts"
import { AdminWatchApi } from "./WatchApi.ts"

/** The admin API: a contract of its own, opened by the admin key. */
export const AdminApi = withoutDecodeError(
  HttpApi.make("gatewayAdmin")
    .add(AdminKeysApi)
    .add(AdminAccountsApi)
    .add(AdminOperationsApi)
    .add(AdminWatchApi)
    .add(AdminOverviewApi)
    .add(AdminConfigurationsApi)
    .add(AdminPricesApi)
    .add(AdminToolsApi)
)
  .annotate(OpenApi.Title, "Model Gateway: administration")
  .annotate(OpenApi.Version, version)
  .annotate(
    OpenApi.Description,
    `Keys, accounts, tasks, usage and the audit log, for operators of the gateway.

Every request carries the admin key (\`GATEWAY_ADMIN_KEY\`) as \`Authorization: Bearer <KEY>\`; API keys do not work here.
Changes take effect within a second and are recorded in the audit log. Amounts of money have two fields: \`nano_usd\`, an
exact integer, and \`usd\`, the same amount in dollars.`
  )
