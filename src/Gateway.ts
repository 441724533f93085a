import { Providers } from "./people/Providers.ts"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Layer, Option } from "effect"
import type { ConfigError } from "effect"
import type { BadSecret } from "./access/MasterSecret.ts"
import { OneSecretLive, SecretCheckLive } from "./access/OneSecret.ts"
import { Keys } from "./access/store/Keys.ts"
import { WebhookSecrets } from "./access/WebhookSecrets.ts"
import { AppliedConfigurationsLive } from "./admin/AppliedConfigurations.ts"
import { AuditedFileLive } from "./admin/AuditedFile.ts"
import { ApiServer, PublicAddressLive } from "./ApiServer.ts"
import { NodeReaperLive } from "./cluster/Node.ts"
import { Configuration } from "./config/Configuration.ts"
import { EntryPoints } from "./config/EntryPoints.ts"
import type { BadSettings } from "./config/document.ts"
import { ReloadLive } from "./config/Reload.ts"
import { Settings } from "./config/Settings.ts"
import { SessionAdministration } from "./people/signIn/SessionAdministration.ts"
import { Background } from "./flow/Background.ts"
import type { BackgroundWork } from "./flow/Background.ts"
import { Daemons } from "./flow/Daemons.ts"
import { Lifecycle } from "./flow/Lifecycle.ts"
import type { BadAllowList } from "./guard/addresses.ts"
import { handlersOn } from "./Handlers.ts"
import type { Address, ListenFailure } from "./http/Server.ts"
import { RedisUrl } from "./limits/RedisUrl.ts"
import { IssuedTokensLive } from "./people/IssuedTokensLive.ts"
import { FilesLive, KeyNamesLive, shipped } from "./Parts.ts"
import type { Parts } from "./Parts.ts"
import { Commits } from "./sql/Commits.ts"
import type { DatabaseUnavailable } from "./sql/DatabaseUnavailable.ts"
import { DatabaseHealth, DatabaseHealthLive } from "./sql/DatabaseHealth.ts"
import { RequestSeal } from "./tasks/RequestSeal.ts"
import type { StoreFailure } from "./tasks/StoreFailure.ts"
import { makeMetrics, Metrics } from "./telemetry/Metrics.ts"

export { Address } from "./http/Server.ts"
export type { Parts } from "./Parts.ts"

/** Why a gateway does not start; each has a message of one line for the operator. */
export type StartFailure =
  | BadAllowList
  | BadSecret
  | BadSettings
  | ConfigError.ConfigError
  | DatabaseUnavailable
  | ListenFailure
  | SqlError
  | StoreFailure

export interface Options extends Partial<Parts> {
  /** Which daemons run; all by default. `"tasks"` leaves those that tasks and their callbacks need. */
  readonly background?: BackgroundWork
}

/** Forbids every key that names no option. */
type OnlyOptions<Given> = Readonly<Record<Exclude<keyof Given, keyof Options>, never>>

const WebhookSecretsLive = Layer.unwrapEffect(
  Effect.map(Effect.all([Settings, Configuration]), ([{ webhookSecret }, { follow }]) =>
    WebhookSecrets.layer(Option.getOrUndefined(webhookSecret), follow)
  )
)

/** The first key where the operator chose it: it is accepted as soon as the gateway listens. */
const ChosenKeyLive = Layer.effectDiscard(
  Effect.flatMap(Effect.all([Settings, Keys]), ([{ bootstrapKey }, keys]) =>
    Option.isSome(bootstrapKey) ? keys.bootstrap(bootstrapKey) : Effect.void
  )
)

const RedisLive = Layer.effect(
  RedisUrl,
  Effect.map(Settings, ({ redisSentinel, redisUrl }) => Option.orElse(redisUrl, () => redisSentinel))
)

/**
 * A gateway of these parts, which are used everywhere; a part that is left out is the shipped one. It serves until its
 * scope closes, and then drains. Gateways in one process share nothing but the event loop.
 */
export const layer = <const Given extends Options>(
  given?: Given & OnlyOptions<Given>
): Layer.Layer<Address | Keys | WebhookSecrets | SessionAdministration | Lifecycle, StartFailure> => {
  const { background = "all", ...some }: Options = given ?? {}
  const parts: Parts = { ...shipped, ...some }
  const { access, callbackTransport, idempotency, ledger, limits, search, taskStore } = parts
  const { accessLog, addressGuard, database, documents, files, publicUrl, secret, settings } = parts
  const { models, textUpstreams, videoUpstreams } = parts

  const services = Layer.mergeAll(
    SessionAdministration.Default,
    Lifecycle.Default,
    Daemons.Default,
    DatabaseHealth.Default,
    DatabaseHealthLive,
    Layer.mergeAll(access, callbackTransport, idempotency, ledger, limits, search)
  )
  const base = Layer.mergeAll(Keys.Default, Commits.Default, WebhookSecretsLive, OneSecretLive, IssuedTokensLive)
  const upstreams = Layer.mergeAll(textUpstreams, videoUpstreams, models, KeyNamesLive).pipe(
    Layer.provideMerge(FilesLive)
  )

  return Layer.mergeAll(
    PublicAddressLive,
    Layer.provide(AppliedConfigurationsLive, ReloadLive),
    AuditedFileLive,
    NodeReaperLive
  ).pipe(
    Layer.provideMerge(Layer.provide(ApiServer, ChosenKeyLive)),
    Layer.provide(Layer.provide(handlersOn(taskStore), Providers.Default)),
    Layer.provideMerge(services),
    Layer.provideMerge(base),
    Layer.provide(EntryPoints.Default),
    Layer.provide(Layer.merge(SecretCheckLive, RequestSeal.Default)),
    Layer.provideMerge(Configuration.Default),
    Layer.provide(RedisLive),
    Layer.provide(Layer.sync(Metrics, makeMetrics)),
    Layer.provide(upstreams),
    Layer.provide(Layer.mergeAll(database, addressGuard, publicUrl, documents, files, secret)),
    Layer.provide(Layer.merge(accessLog, Layer.succeed(Background, background))),
    Layer.provide(settings)
  )
}
