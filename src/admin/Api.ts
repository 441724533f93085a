import { HttpApi, OpenApi } from "@effect/platform"
import { version } from "../../package.json"
import { withoutDecodeError } from "../contract/withoutDecodeError.ts"
import { AdminAccountsApi } from "./AccountsApi.ts"
import { AdminConfigurationsApi } from "./ConfigurationsApi.ts"
import { AdminKeysApi } from "./KeysApi.ts"
import { AdminOperationsApi } from "./OperationsApi.ts"
import { AdminWatchApi } from "./WatchApi.ts"

/** What those who run the gateway can do over HTTP. A contract of its own, with a key of its own. */
export const AdminApi = withoutDecodeError(
  HttpApi.make("gatewayAdmin")
    .add(AdminKeysApi)
    .add(AdminAccountsApi)
    .add(AdminOperationsApi)
    .add(AdminWatchApi)
    .add(AdminConfigurationsApi)
)
  .annotate(OpenApi.Title, "Model Gateway: administration")
  .annotate(OpenApi.Version, version)
  .annotate(
    OpenApi.Description,
    `Keys, accounts, tasks, usage and the audit log, for those who run the gateway.

Every request carries the operator's key (\`GATEWAY_ADMIN_KEY\`), as \`Authorization: Bearer <KEY>\`; API keys open nothing
here. What changes is in effect within a second, and leaves a row in the audit log. Money is told twice: \`nano_usd\`, a
whole number and exact, and \`usd\`, the same in dollars.`
  )
