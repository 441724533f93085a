import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Layer, Option, Redacted } from "effect"
import type { ConfigError } from "effect"
import { Access } from "./access/Access.ts"
import { DeclaredKeysLive } from "./access/DeclaredKeys.ts"
import { Keys } from "./access/store/Keys.ts"
import { BadSecret, MasterSecret } from "./access/MasterSecret.ts"
import { WebhookSecrets } from "./access/WebhookSecrets.ts"
import { AccountHandlers } from "./account/Handlers.ts"
import { forOperators } from "./admin/forOperators.ts"
import { Administration } from "./admin/Administration.ts"
import { AppliedConfigurationsLive } from "./admin/AppliedConfigurations.ts"
import { AdminApi } from "./admin/Api.ts"
import { AdminHandlers } from "./admin/Handlers.ts"
import { Serving } from "./admin/Serving.ts"
import { GatewayApi } from "./Api.ts"
import { CallbacksLive } from "./callbacks/Callbacks.ts"
import { ChatCompletions } from "./chat/ChatCompletions.ts"
import { ChatHandlers } from "./chat/Handlers.ts"
import { makeChatQuoter } from "./chat/quote.ts"
import { SealExpiry } from "./seals/SealExpiry.ts"
import { SealStore } from "./seals/store/SealStore.ts"
import { Configuration } from "./config/Configuration.ts"
import type { BadSettings } from "./config/document.ts"
import { PublicUrl } from "./config/PublicUrl.ts"
import { ReloadLive } from "./config/Reload.ts"
import { Settings } from "./config/Settings.ts"
import type { Documents } from "./documents/Documents.ts"
import { Embeddings } from "./embeddings/Embeddings.ts"
import { EmbeddingsHandlers } from "./embeddings/Handlers.ts"
import { makeEmbeddingsQuoter } from "./embeddings/quote.ts"
import { HealthHandlers } from "./health/Handlers.ts"
import { Daemons } from "./flow/Daemons.ts"
import { Lifecycle } from "./flow/Lifecycle.ts"
import { MetricsPage } from "./health/MetricsPage.ts"
import { ConsoleApi } from "./console/Api.ts"
import { Doors } from "./console/doors.ts"
import { ConsoleHandlers } from "./console/Handlers.ts"
import { consolePages } from "./console/servedPage.ts"
import { SessionAdministration } from "./console/SessionAdministration.ts"
import { Sessions } from "./console/Sessions.ts"
import { Feed } from "./feed/Feed.ts"
import { docsPages } from "./http/docs.ts"
import type { AddressGuard } from "./guard/AddressGuard.ts"
import { Listening, serve } from "./http/Server.ts"
import type { ListenFailure } from "./http/Server.ts"
import { Idempotency } from "./idempotency/Idempotency.ts"
import { KeptAnswersExpiry } from "./idempotency/store/KeptAnswers.ts"
import { Ledger } from "./ledger/Ledger.ts"
import { Quoters } from "./ledger/Quote.ts"
import { UsageReport } from "./ledger/store/UsageReport.ts"
import { Limits } from "./limits/Limits.ts"
import { RedisUrl } from "./limits/RedisUrl.ts"
import { Commits } from "./sql/Commits.ts"
import { Durability, DurabilityLive } from "./sql/Durability.ts"
import { BurialsLive, Node, SecretCheck } from "./nodes/Node.ts"
import { MessagesHandlers } from "./messages/Handlers.ts"
import { Messages } from "./messages/Messages.ts"
import { makeMessagesQuoter } from "./messages/quote.ts"
import { ThreadRetention, TurnStore } from "./messages/threads/store/TurnStore.ts"
import { ThreadExpiry } from "./messages/threads/ThreadExpiry.ts"
import { Threads } from "./messages/threads/Threads.ts"
import { ConfiguredModels } from "./models/Configured.ts"
import type { OwnModels } from "./models/OwnModels.ts"
import { ModelsHandlers } from "./models/Handlers.ts"
import { Models } from "./models/Models.ts"
import { RequestsLive } from "./requests/RequestsLive.ts"
import { RequestStore } from "./requests/store/RequestStore.ts"
import { BackgroundResponses } from "./responses/background/BackgroundResponses.ts"
import { Compactions } from "./responses/compact/Compactions.ts"
import { makeResponseKind } from "./responses/background/ResponseKind.ts"
import { ResponsesHandlers } from "./responses/Handlers.ts"
import { makeResponsesQuoter } from "./responses/quote.ts"
import { Responses } from "./responses/Responses.ts"
import { ResponseExpiry } from "./responses/ResponseExpiry.ts"
import { ResponseEvents } from "./responses/store/ResponseEvents.ts"
import { ResponseRetention, ResponseStore } from "./responses/store/ResponseStore.ts"
import { AsyncMessages } from "./messages/async/AsyncMessages.ts"
import { CancelRequestsLive } from "./tasks/CancelRequests.ts"
import { TasksHandlers } from "./messages/async/Handlers.ts"
import { Leases } from "./tasks/store/Leases.ts"
import { makeMessageKind } from "./messages/async/MessageKind.ts"
import { OrphanedHoldsLive } from "./tasks/OrphanedHolds.ts"
import { PlatformLive, SandboxLive } from "./Shipped.ts"
import { TaskKinds, taskKinds } from "./tasks/TaskKind.ts"
import { TaskRunnerLive } from "./tasks/TaskRunner.ts"
import { TaskSettings } from "./tasks/TaskSettings.ts"
import { TaskSummaries } from "./tasks/store/TaskSummaries.ts"
import { TaskStore } from "./tasks/store/TaskStore.ts"
import { Custody } from "./videos/custody/Custody.ts"
import { CustodyLive } from "./videos/custody/CustodyLive.ts"
import { makeVideoKind } from "./videos/VideoKind.ts"
import type { FileSources } from "./files/FileSources.ts"
import type { KeptFiles } from "./files/KeptFiles.ts"
import { FilesHandlers } from "./files/Handlers.ts"
import type { AccessLog } from "./telemetry/AccessLog.ts"
import { makeMetrics, Metrics } from "./telemetry/Metrics.ts"
import type { TextUpstreams } from "./upstreams/Upstreams.ts"
import type { VideoUpstreams } from "./upstreams/VideoUpstream.ts"
import { VideosHandlers } from "./videos/Handlers.ts"
import { makeVideosQuoter } from "./videos/quote.ts"
import { makeVideoFamily } from "./videos/videoFamily.ts"
import { VideoTasks } from "./videos/VideoTasks.ts"
import { Verdicts } from "./videos/Verdicts.ts"

/** Bytes a body may have where its family sets no limit of its own. */
const bodyLimit = 32 * 1024 * 1024

const WebhookSecretsLive = Layer.unwrapEffect(
  Effect.map(Settings, ({ webhookSecret }) => WebhookSecrets.layer(Option.getOrUndefined(webhookSecret)))
)

const ModelsLive = Layer.provideMerge(Models.Default, ConfiguredModels)

const RedisLive = Layer.effect(
  RedisUrl,
  Effect.map(Settings, ({ redisUrl }) => redisUrl)
)

/** Conversations are kept as long as responses, by whichever family they came. */
const ThreadsLive = Threads.Default.pipe(
  Layer.provideMerge(TurnStore.Default),
  Layer.provide(
    Layer.effect(
      ThreadRetention,
      Effect.map(Settings, ({ retention }) => retention.responses)
    )
  )
)

const MessagesLive = Layer.provideMerge(Messages.Default, ThreadsLive)

const StoredResponsesLive = Layer.merge(ResponseStore.Default, ResponseEvents.Default).pipe(
  Layer.provideMerge(
    Layer.effect(
      ResponseRetention,
      Effect.map(Settings, ({ retention }) => retention.responses)
    )
  )
)

/** What the engine can run. */
const TaskKindsLive = Layer.effect(
  TaskKinds,
  Effect.map(Effect.all([makeMessageKind, makeResponseKind, Effect.flatMap(makeVideoFamily, makeVideoKind)]), (kinds) =>
    taskKinds(...kinds)
  )
).pipe(
  Layer.provide(Layer.mergeAll(MessagesLive, Ledger.Default, StoredResponsesLive, Verdicts.Default, Custody.Default))
)

const TaskSettingsLive = Layer.effect(
  TaskSettings,
  Effect.map(Settings, ({ retention }) => ({ retention: retention.tasks }))
)

const TasksLive = Leases.Default.pipe(
  Layer.provideMerge(TaskStore.Default),
  Layer.provideMerge(Layer.mergeAll(TaskKindsLive, CallbacksLive))
)

const ResponsesLive = Layer.merge(ResponsesHandlers, ResponseExpiry).pipe(
  Layer.provide(Layer.mergeAll(Responses.Default, BackgroundResponses.Default, Compactions.Default)),
  Layer.provide(StoredResponsesLive)
)

/** What any create body would cost, asked of the family that it belongs to. */
const QuotersLive = Layer.effect(
  Quoters,
  Effect.all({
    "/v1/messages": makeMessagesQuoter,
    "/v1/responses": makeResponsesQuoter,
    "/v1/chat/completions": makeChatQuoter,
    "/v1/embeddings": makeEmbeddingsQuoter,
    "/api/v3/contents/generations/tasks": makeVideosQuoter
  })
).pipe(Layer.provide(Layer.mergeAll(UsageReport.Default, StoredResponsesLive, ThreadsLive, VideoTasks.Default)))

const AccountLive = AccountHandlers.pipe(
  Layer.provide(TaskSummaries.Default),
  Layer.provide(QuotersLive),
  Layer.provide(Layer.mergeAll(Ledger.Default, UsageReport.Default, RequestStore.Default))
)

/** Who may ask what, and who is signed in. */
const ConsoleLive = ConsoleHandlers.pipe(Layer.provideMerge(Doors.Default), Layer.provide(Sessions.Default))

const HandlersLive = Layer.mergeAll(
  AccountLive,
  AdminHandlers.pipe(Layer.provide(Layer.merge(Administration.Default, Serving.Default))),
  Layer.merge(ChatHandlers, SealExpiry).pipe(Layer.provide(ChatCompletions.Default), Layer.provide(SealStore.Default)),
  EmbeddingsHandlers.pipe(Layer.provide(Embeddings.Default)),
  HealthHandlers,
  MessagesHandlers,
  ModelsHandlers,
  ResponsesLive,
  TasksHandlers,
  VideosHandlers.pipe(Layer.provide(VideoTasks.Default)),
  FilesHandlers,
  MetricsPage.Default
).pipe(
  Layer.provide(Feed.Default),
  Layer.provide(Layer.mergeAll(AsyncMessages.Default, ThreadExpiry).pipe(Layer.provideMerge(MessagesLive))),
  // Closed after the server has drained: what runs may come to its end meanwhile.
  Layer.provide(
    Layer.mergeAll(
      TaskRunnerLive,
      CancelRequestsLive,
      CustodyLive.pipe(Layer.provide(Custody.Default)),
      OrphanedHoldsLive.pipe(Layer.provide(Ledger.Default))
    )
  ),
  Layer.provide(TasksLive),
  Layer.provide(Layer.merge(ModelsLive, TaskSettingsLive))
)

/** The operator's contract, with who is signed in. */
const OperatorApi = AdminApi.addHttpApi(ConsoleApi)

/** What is served: the gateway's contract, and the operator's to the operator's key and to whoever is signed in as one. */
const ServerLive = Layer.unwrapEffect(
  Effect.gen(function* () {
    const { adminKey, server } = yield* Settings
    const metrics = yield* MetricsPage
    const { doors } = yield* Doors
    const options = {
      hostname: server.host,
      port: server.port,
      bodyLimit,
      drainDeadline: server.drainDeadline,
      leaveTime: server.leaveTime,
      checkAnswers: server.checkAnswers,
      corsOrigins: server.corsOrigins,
      doors,
      ...(Option.isSome(server.tls) ? { tls: server.tls.value } : {})
    }
    const watched = server.metrics ? { "/metrics": metrics.answer } : {}
    const adminPages = Option.isSome(adminKey)
      ? {
          "/metrics": forOperators(doors["admin-key"], metrics.answer),
          ...watched,
          ...docsPages(OperatorApi, "/admin")
        }
      : watched
    const pages = { ...docsPages(GatewayApi), ...consolePages(), ...adminPages }
    return serve(GatewayApi.addHttpApi(OperatorApi), pages, options)
  })
).pipe(
  Layer.provide(ConsoleLive),
  Layer.provide(Layer.mergeAll(DeclaredKeysLive, Idempotency.Default, KeptAnswersExpiry, RequestsLive))
)

/** Links to the gateway's own files begin with where it listens, unless the operator says otherwise. */
const ListeningLive = Layer.effectDiscard(
  Effect.flatMap(Listening, ({ url }) => Effect.flatMap(PublicUrl, ({ listensOn }) => listensOn(url)))
)

/** Gateways of one database serve together only with one secret: what they sign and derive is each other's. */
const OneSecretLive = Layer.effectDiscard(
  Effect.gen(function* () {
    const other = yield* Effect.orDie((yield* Node).stranger)
    if (other === undefined) return
    return yield* new BadSecret({
      message: `the gateway ${other} serves from the same database with another secret: give both the same GATEWAY_SECRET`
    })
  })
).pipe(Layer.provide(Node.Default))

const SecretCheckLive = Layer.effect(
  SecretCheck,
  Effect.map(MasterSecret, ({ derive }) => Buffer.from(Redacted.value(derive("nodes/secret-check"))).toString("hex"))
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
export type StartFailure = BadSecret | BadSettings | ListenFailure | SqlError | ConfigError.ConfigError

/**
 * The gateway, without what it stands on: it runs with what it is given, and what is forgotten does not compile. Two of
 * them in one process share nothing but the event loop.
 */
export const GatewayCore: Layer.Layer<
  Listening | Keys | WebhookSecrets | SessionAdministration | Lifecycle,
  StartFailure,
  GatewayNeeds
> = Layer.mergeAll(ListeningLive, Layer.provide(AppliedConfigurationsLive, ReloadLive), BurialsLive).pipe(
  Layer.provideMerge(ServerLive),
  Layer.provide(HandlersLive),
  Layer.provideMerge(
    Layer.mergeAll(
      SessionAdministration.Default,
      Access.Default,
      Limits.Default,
      Lifecycle.Default,
      Daemons.Default,
      Durability.Default,
      DurabilityLive
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
