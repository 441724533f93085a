import { join } from "node:path"
import { Effect, Layer, Option } from "effect"
import { Access } from "./access/Access.ts"
import { DeclaredKeysLive } from "./access/DeclaredKeys.ts"
import { Keys } from "./access/Keys.ts"
import { MasterSecret } from "./access/MasterSecret.ts"
import { WebhookSecrets } from "./access/WebhookSecrets.ts"
import { AccountHandlers } from "./account/Handlers.ts"
import { adminAccess } from "./admin/AdminAccess.ts"
import { Administration } from "./admin/Administration.ts"
import { AdminApi } from "./admin/Api.ts"
import { AdminHandlers } from "./admin/Handlers.ts"
import { GatewayApi } from "./Api.ts"
import { CallbacksLive } from "./callbacks/Callbacks.ts"
import { Configuration } from "./config/Configuration.ts"
import { PublicUrl } from "./config/PublicUrl.ts"
import { ReloadLive } from "./config/Reload.ts"
import { Settings } from "./config/Settings.ts"
import { AllowedAddresses, parseAllowed } from "./guard/addresses.ts"
import { AddressGuard } from "./guard/AddressGuard.ts"
import { Resolver } from "./guard/Resolver.ts"
import { HealthHandlers } from "./health/Handlers.ts"
import { Lifecycle } from "./health/Lifecycle.ts"
import { MetricsPage } from "./health/MetricsPage.ts"
import { docsPages } from "./http/docs.ts"
import { Listening, serve } from "./http/Server.ts"
import { Idempotency } from "./idempotency/Idempotency.ts"
import { KeptAnswersExpiry } from "./idempotency/KeptAnswers.ts"
import { Ledger } from "./ledger/Ledger.ts"
import { Quoters } from "./ledger/Quote.ts"
import { UsageReport } from "./ledger/UsageReport.ts"
import { Commits } from "./sql/Commits.ts"
import { MessageWorkLive } from "./messages/asyncWork.ts"
import { MessagesHandlers } from "./messages/Handlers.ts"
import { makeMessagesQuoter } from "./messages/quote.ts"
import { configuredModels } from "./models/Configured.ts"
import { ModelsHandlers } from "./models/Handlers.ts"
import { Models } from "./models/Models.ts"
import { ResponsesHandlers } from "./responses/Handlers.ts"
import { makeResponsesQuoter } from "./responses/quote.ts"
import { ResponseExpiry } from "./responses/ResponseExpiry.ts"
import { ResponseRetention, ResponseStore } from "./responses/ResponseStore.ts"
import * as Database from "./sql/Database.ts"
import { AsyncMessages } from "./tasks/AsyncMessages.ts"
import { CancelRequestsLive } from "./tasks/CancelRequests.ts"
import { TasksHandlers } from "./tasks/Handlers.ts"
import { Leases } from "./tasks/Leases.ts"
import { makeMessageKind } from "./tasks/MessageKind.ts"
import { OrphanedHoldsLive } from "./tasks/OrphanedHolds.ts"
import { TaskKinds, taskKinds } from "./tasks/TaskKind.ts"
import { TaskRunnerLive } from "./tasks/TaskRunner.ts"
import { TaskSettings } from "./tasks/TaskSettings.ts"
import { TaskStore } from "./tasks/TaskStore.ts"
import { makeVideoKind } from "./tasks/VideoKind.ts"
import { KeptFiles } from "./upstreams/KeptFiles.ts"
import { sandboxModels, SandboxTextUpstreams } from "./upstreams/sandbox/SandboxText.ts"
import { Clips } from "./upstreams/sandbox/video/Clips.ts"
import { FilesHandlers } from "./upstreams/sandbox/video/FilesHandlers.ts"
import { sandboxVideoModel, SandboxVideoUpstreams } from "./upstreams/sandbox/video/SandboxVideo.ts"
import { VideosHandlers } from "./videos/Handlers.ts"
import { makeVideosQuoter } from "./videos/quote.ts"
import { makeVideoFamily } from "./videos/videoFamily.ts"
import { VideoTasks } from "./videos/VideoTasks.ts"

/** Bytes a body may have where its family sets no limit of its own. */
const bodyLimit = 32 * 1024 * 1024

const DatabaseLive = Layer.unwrapEffect(
  Effect.map(Settings, (settings) => Database.layer({ url: settings.databaseUrl, exclusive: true }))
)

/** Which callers' addresses may be called. */
const GuardLive = AddressGuard.Default.pipe(
  Layer.provide(
    Layer.effect(
      AllowedAddresses,
      Effect.flatMap(Settings, ({ allowAddresses }) => parseAllowed(allowAddresses, "GATEWAY_ALLOW_ADDRESSES"))
    )
  ),
  Layer.provide(Resolver.Default)
)

const SecretsLive = Layer.unwrapEffect(
  Effect.map(Settings, ({ dataDirectory, secret, webhookSecret }) =>
    WebhookSecrets.layer(Option.getOrUndefined(webhookSecret)).pipe(
      Layer.provideMerge(MasterSecret.layer({ given: secret, directory: dataDirectory }))
    )
  )
)

/** The upstreams that are always there. */
const SandboxLive = Layer.merge(SandboxTextUpstreams, SandboxVideoUpstreams).pipe(Layer.provide(GuardLive))

/** What is served at the gateway's own links: what the sandbox renders, and what is fetched from upstreams. */
const FilesLive = Layer.unwrapEffect(
  Effect.map(Settings, ({ dataDirectory, retention }) =>
    Layer.merge(
      Clips.layer({ directory: join(dataDirectory, "videos"), lifetime: retention.files }),
      KeptFiles.layer({ directory: dataDirectory, lifetime: retention.files })
    )
  )
)

const ModelsLive = Models.Default.pipe(
  Layer.provideMerge(configuredModels([...sandboxModels, sandboxVideoModel])),
  Layer.provide(SandboxLive),
  Layer.provideMerge(FilesLive)
)

const PublicUrlLive = Layer.unwrapEffect(Effect.map(Settings, ({ server }) => PublicUrl.layer(server.publicUrl)))

/** What the engine can run. */
const TaskKindsLive = Layer.effect(
  TaskKinds,
  Effect.map(Effect.all([makeMessageKind, Effect.flatMap(makeVideoFamily, makeVideoKind)]), (kinds) =>
    taskKinds(...kinds)
  )
).pipe(Layer.provide(Layer.merge(MessageWorkLive, Ledger.Default)))

const TaskSettingsLive = Layer.effect(
  TaskSettings,
  Effect.map(Settings, ({ retention }) => ({ retention: retention.tasks }))
)

const TasksLive = Leases.Default.pipe(
  Layer.provideMerge(TaskStore.Default),
  Layer.provideMerge(Layer.mergeAll(TaskKindsLive, CallbacksLive))
)

const StoredResponsesLive = ResponseStore.Default.pipe(
  Layer.provideMerge(
    Layer.effect(
      ResponseRetention,
      Effect.map(Settings, ({ retention }) => retention.responses)
    )
  )
)

const ResponsesLive = Layer.merge(ResponsesHandlers, ResponseExpiry).pipe(Layer.provide(StoredResponsesLive))

/** What any create body would cost, asked of the family that it belongs to. */
const QuotersLive = Layer.effect(
  Quoters,
  Effect.all({
    "/v1/messages": makeMessagesQuoter,
    "/v1/responses": makeResponsesQuoter,
    "/api/v3/contents/generations/tasks": makeVideosQuoter
  })
).pipe(Layer.provide(Layer.mergeAll(UsageReport.Default, StoredResponsesLive, VideoTasks.Default)))

const AccountLive = AccountHandlers.pipe(
  Layer.provide(QuotersLive),
  Layer.provide(Layer.merge(Ledger.Default, UsageReport.Default))
)

const HandlersLive = Layer.mergeAll(
  AccountLive,
  AdminHandlers.pipe(Layer.provide(Administration.Default)),
  HealthHandlers,
  MessagesHandlers,
  ModelsHandlers,
  ResponsesLive,
  TasksHandlers,
  VideosHandlers.pipe(Layer.provide(VideoTasks.Default)),
  FilesHandlers,
  MetricsPage.Default
).pipe(
  Layer.provide(AsyncMessages.Default),
  // Closed after the server has drained: what runs may come to its end meanwhile.
  Layer.provide(
    Layer.mergeAll(TaskRunnerLive, CancelRequestsLive, OrphanedHoldsLive.pipe(Layer.provide(Ledger.Default)))
  ),
  Layer.provide(TasksLive),
  Layer.provide(Layer.mergeAll(GuardLive, ModelsLive, TaskSettingsLive))
)

/** What is served: the gateway's contract, and the operator's where there is a key for it. */
const ServerLive = Layer.unwrapEffect(
  Effect.map(Effect.all([Settings, MetricsPage]), ([{ adminKey, server }, metrics]) => {
    const options = {
      hostname: server.host,
      port: server.port,
      bodyLimit,
      drainDeadline: server.drainDeadline,
      checkAnswers: server.checkAnswers,
      corsOrigins: server.corsOrigins
    }
    const pages = { ...docsPages(GatewayApi), ...metrics.pages }
    return Option.match(adminKey, {
      onNone: () => serve(GatewayApi, pages, options),
      onSome: (key) =>
        serve(
          GatewayApi.addHttpApi(AdminApi),
          { ...pages, ...docsPages(AdminApi, "/admin") },
          { ...options, admin: adminAccess(key) }
        )
    })
  })
).pipe(Layer.provide(Layer.mergeAll(DeclaredKeysLive, Idempotency.Default, KeptAnswersExpiry)))

/** Links to the gateway's own files begin with where it listens, unless the operator says otherwise. */
const ListeningLive = Layer.effectDiscard(
  Effect.flatMap(Listening, ({ url }) => Effect.flatMap(PublicUrl, ({ listensOn }) => listensOn(url)))
)

/** Every Layer put together. What is left to give: settings and where the access log goes. */
export const GatewayLive = Layer.merge(ListeningLive, ReloadLive).pipe(
  Layer.provideMerge(ServerLive),
  Layer.provide(HandlersLive),
  Layer.provideMerge(Layer.mergeAll(Access.Default, Lifecycle.Default, PublicUrlLive)),
  Layer.provideMerge(Layer.mergeAll(Keys.Default, Commits.Default, SecretsLive)),
  Layer.provideMerge(Layer.merge(DatabaseLive, Configuration.Default))
)
