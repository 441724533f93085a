import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Layer, Option } from "effect"
import type { ConfigError } from "effect"
import { Access } from "./access/Access.ts"
import { Keys } from "./access/store/Keys.ts"
import type { BadSecret, MasterSecret } from "./access/MasterSecret.ts"
import { WebhookSecrets } from "./access/WebhookSecrets.ts"
import { AppliedConfigurationsLive } from "./admin/AppliedConfigurations.ts"
import { Configuration } from "./config/Configuration.ts"
import type { BadSettings } from "./config/document.ts"
import type { PublicUrl } from "./config/PublicUrl.ts"
import { ReloadLive } from "./config/Reload.ts"
import { Settings } from "./config/Settings.ts"
import type { Documents } from "./documents/Documents.ts"
import { Daemons } from "./flow/Daemons.ts"
import { Lifecycle } from "./flow/Lifecycle.ts"
import { SessionAdministration } from "./console/SessionAdministration.ts"
import type { AddressGuard } from "./guard/AddressGuard.ts"
import type { Listening, ListenFailure } from "./http/Server.ts"
import { Limits } from "./limits/Limits.ts"
import { RedisUrl } from "./limits/RedisUrl.ts"
import type { StoreFailure } from "./tasks/StoreFailure.ts"
import { Commits } from "./sql/Commits.ts"
import { DatabaseHealth, DatabaseHealthLive } from "./sql/DatabaseHealth.ts"
import { NodeReaperLive } from "./cluster/Node.ts"
import type { OwnModels } from "./catalogue/OwnModels.ts"
import { PlatformLive, SandboxLive } from "./Shipped.ts"
import type { FileSources } from "./files/FileSources.ts"
import type { KeptFiles } from "./files/KeptFiles.ts"
import type { AccessLog } from "./telemetry/AccessLog.ts"
import { makeMetrics, Metrics } from "./telemetry/Metrics.ts"
import type { TextUpstreams } from "./upstreams/Upstreams.ts"
import type { VideoUpstreams } from "./upstreams/VideoUpstream.ts"
import { OneSecretLive, SecretCheckLive } from "./access/OneSecret.ts"
import { HandlersLive } from "./Families.ts"
import { ListeningLive, ServerLive } from "./Served.ts"

const WebhookSecretsLive = Layer.unwrapEffect(
  Effect.map(Settings, ({ webhookSecret }) => WebhookSecrets.layer(Option.getOrUndefined(webhookSecret)))
)

const RedisLive = Layer.effect(
  RedisUrl,
  Effect.map(Settings, ({ redisUrl }) => redisUrl)
)

/** What a gateway stands on. */
export type GatewayNeeds =
  | Settings
  | AccessLog
  | SqlClient.SqlClient
  | MasterSecret
  | TextUpstreams
  | VideoUpstreams
  | OwnModels
  | FileSources
  | KeptFiles
  | AddressGuard
  | Documents
  | PublicUrl

/** Why a gateway does not start; each has a message of one line for the operator. */
export type StartFailure = BadSecret | BadSettings | ListenFailure | SqlError | StoreFailure | ConfigError.ConfigError

/**
 * The gateway, without what it stands on: it runs with what it is given, and what is forgotten does not compile. Two of
 * them in one process share nothing but the event loop.
 */
export const GatewayCore: Layer.Layer<
  Listening | Keys | WebhookSecrets | SessionAdministration | Lifecycle,
  StartFailure,
  GatewayNeeds
> = Layer.mergeAll(ListeningLive, Layer.provide(AppliedConfigurationsLive, ReloadLive), NodeReaperLive).pipe(
  Layer.provideMerge(ServerLive),
  Layer.provide(HandlersLive),
  Layer.provideMerge(
    Layer.mergeAll(
      SessionAdministration.Default,
      Access.Default,
      Limits.Default,
      Lifecycle.Default,
      Daemons.Default,
      DatabaseHealth.Default,
      DatabaseHealthLive
    )
  ),
  Layer.provideMerge(Layer.mergeAll(Keys.Default, Commits.Default, WebhookSecretsLive, OneSecretLive)),
  Layer.provide(SecretCheckLive),
  Layer.provideMerge(Configuration.Default),
  Layer.provide(RedisLive),
  Layer.provide(Layer.sync(Metrics, makeMetrics))
)

/** The gateway as it is shipped. What is left to give: settings and where the access log goes. */
export const GatewayLive = GatewayCore.pipe(Layer.provide(SandboxLive), Layer.provide(PlatformLive))
