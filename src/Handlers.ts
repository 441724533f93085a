import { Effect, Layer } from "effect"
import { AccountHandlers } from "./account/Handlers.ts"
import { AlertsLive } from "./admin/AlertsLive.ts"
import { Administration } from "./admin/Administration.ts"
import { AdminHandlers } from "./admin/Handlers.ts"
import { Serving } from "./admin/Serving.ts"
import { CallbacksLive } from "./callbacks/Callbacks.ts"
import { ChatHandlers } from "./chat/Handlers.ts"
import { makeChatQuoter } from "./chat/quote.ts"
import { ReasoningSignatureExpiry } from "./ownership/ReasoningSignatureExpiry.ts"
import { ReasoningSignatures } from "./ownership/store/ReasoningSignatures.ts"
import { Settings } from "./config/Settings.ts"
import { EmbeddingsHandlers } from "./embeddings/Handlers.ts"
import { makeEmbeddingsQuoter } from "./embeddings/quote.ts"
import { HealthHandlers } from "./health/Handlers.ts"
import { MetricsPage } from "./health/MetricsPage.ts"
import { Feed } from "./feed/Feed.ts"
import { Quoters } from "./ledger/Quote.ts"
import { StoredHolds } from "./ledger/store/StoredHolds.ts"
import { BudgetReport } from "./ledger/store/BudgetReport.ts"
import { UsageReport } from "./ledger/store/UsageReport.ts"
import { MessagesHandlers } from "./messages/Handlers.ts"
import { makeMessagesQuoter } from "./messages/quote.ts"
import { ThreadExpiry } from "./messages/threads/ThreadExpiry.ts"
import { ConfiguredModels } from "./catalogue/Configured.ts"
import { PriceRefreshLive } from "./catalogue/prices/fetched/PriceRefreshLive.ts"
import { FetchedPricesLive, UsedPrices } from "./catalogue/prices/fetched/UsedPrices.ts"
import { ModelsHandlers } from "./catalogue/Handlers.ts"
import { Dispatch } from "./dispatch/Dispatch.ts"
import type { Parts } from "./Parts.ts"
import { Pipeline } from "./pipeline/Pipeline.ts"
import { RequestGroups } from "./requests/RequestGroups.ts"
import { RequestOverview } from "./requests/RequestOverview.ts"
import { RequestUsage } from "./requests/RequestUsage.ts"
import { Reports } from "./requests/Reports.ts"
import { RequestStore } from "./requests/store/RequestStore.ts"
import { makeResponseKind } from "./responses/background/ResponseKind.ts"
import { makeResponsesQuoter } from "./responses/quote.ts"
import { AsyncMessages } from "./messages/async/AsyncMessages.ts"
import { CancelRequestsLive } from "./tasks/CancelRequests.ts"
import { TasksHandlers } from "./messages/async/Handlers.ts"
import { makeMessageKind } from "./messages/async/MessageKind.ts"
import { OrphanedHoldsLive } from "./tasks/OrphanedHolds.ts"
import { TaskKinds, taskKinds } from "./tasks/TaskKind.ts"
import { TaskRunnerLive } from "./tasks/TaskRunner.ts"
import { TaskSettings } from "./tasks/TaskSettings.ts"
import { UnitOfWork } from "./tasks/UnitOfWork.ts"
import { TaskChanges } from "./tasks/TaskChanges.ts"
import { Custody } from "./videos/custody/Custody.ts"
import { CustodyLive } from "./videos/custody/CustodyLive.ts"
import { makeVideoKind } from "./videos/VideoKind.ts"
import { FilesHandlers } from "./files/Handlers.ts"
import { VideosHandlers } from "./videos/Handlers.ts"
import { OpenAIVideosHandlers } from "./videos/openai/Handlers.ts"
import { makeOpenAIVideosQuoter } from "./videos/openai/quote.ts"
import { makeVideosQuoter } from "./videos/quote.ts"
import { makeVideoFamily } from "./videos/videoFamily.ts"
import { VideoTasks } from "./videos/VideoTasks.ts"
import { Outages } from "./videos/Outages.ts"
import { TaskCallRowsLive } from "./requests/TaskCallRows.ts"
import { FirstReplies } from "./videos/FirstReplies.ts"
import { ThreadsLive } from "./messages/threads/ThreadsLive.ts"
import { ResponsesLive, StoredResponsesLive } from "./responses/ResponsesLive.ts"

const ModelsLive = Pipeline.Default.pipe(
  Layer.provideMerge(Dispatch.Default),
  Layer.provideMerge(PriceRefreshLive),
  Layer.provideMerge(ConfiguredModels.pipe(Layer.provide(FetchedPricesLive), Layer.provideMerge(UsedPrices.Default)))
)

/** The kinds of task that the engine runs. */
const TaskKindsLive = Layer.effect(
  TaskKinds,
  Effect.map(Effect.all([makeMessageKind, makeResponseKind, Effect.flatMap(makeVideoFamily, makeVideoKind)]), (kinds) =>
    taskKinds(...kinds)
  )
).pipe(
  Layer.provide(
    Layer.mergeAll(
      ThreadsLive,
      StoredResponsesLive,
      Outages.Default,
      FirstReplies.Default,
      Custody.Default,
      UnitOfWork.Default,
      TaskCallRowsLive
    )
  )
)

const TaskSettingsLive = Layer.effect(
  TaskSettings,
  Effect.map(Settings, ({ retention }) => ({ retention: retention.tasks }))
)

const tasksOn = (taskStore: Parts["taskStore"]) =>
  taskStore.pipe(
    Layer.provideMerge(TaskChanges.Default),
    Layer.provideMerge(Layer.mergeAll(TaskKindsLive, CallbacksLive))
  )

/** The price of a create body, by the family of its path. */
const QuotersLive = Layer.effect(
  Quoters,
  Effect.all({
    "/v1/messages": makeMessagesQuoter,
    "/v1/responses": makeResponsesQuoter,
    "/v1/chat/completions": makeChatQuoter,
    "/v1/embeddings": makeEmbeddingsQuoter,
    "/api/v3/contents/generations/tasks": makeVideosQuoter,
    "/v1/videos": makeOpenAIVideosQuoter
  })
).pipe(
  Layer.provide(
    Layer.mergeAll(
      UsageReport.Default,
      ReasoningSignatures.Default,
      StoredResponsesLive,
      ThreadsLive,
      VideoTasks.Default
    )
  )
)

const AccountLive = AccountHandlers.pipe(
  Layer.provide(StoredHolds.Default),
  Layer.provide(QuotersLive),
  Layer.provide(
    Layer.mergeAll(
      UsageReport.Default,
      BudgetReport.Default,
      RequestStore.Default,
      RequestUsage.Default,
      RequestOverview.Default,
      RequestGroups.Default,
      Reports.Default
    )
  )
)

const GroupsLive = Layer.mergeAll(
  AccountLive,
  AdminHandlers.pipe(Layer.provide(Layer.merge(Administration.Default, Serving.Default))),
  Layer.merge(ChatHandlers, ReasoningSignatureExpiry).pipe(Layer.provide(ReasoningSignatures.Default)),
  EmbeddingsHandlers,
  HealthHandlers,
  MessagesHandlers,
  ModelsHandlers,
  ResponsesLive,
  TasksHandlers,
  Layer.merge(VideosHandlers, OpenAIVideosHandlers).pipe(Layer.provide(VideoTasks.Default)),
  FilesHandlers,
  MetricsPage.Default
).pipe(
  Layer.provide(Feed.Default),
  Layer.provide(Layer.mergeAll(AsyncMessages.Default, ThreadExpiry).pipe(Layer.provideMerge(ThreadsLive))),
  // Closed after the server has drained, so that running tasks can end.
  Layer.provide(
    Layer.mergeAll(
      TaskRunnerLive,
      CancelRequestsLive,
      AlertsLive,
      CustodyLive.pipe(Layer.provide(Custody.Default)),
      OrphanedHoldsLive
    )
  )
)

/**
 * The handlers of every group of the contract with the served models, and the daemons of their rooms. A function of the task store, because
 * the shipped one needs the kinds of task that the families bring.
 */
export const handlersOn = (taskStore: Parts["taskStore"]) =>
  GroupsLive.pipe(Layer.provide(tasksOn(taskStore)), Layer.provideMerge(ModelsLive), Layer.provide(TaskSettingsLive))
