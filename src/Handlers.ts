import { Effect, Layer } from "effect"
import { AccountLive } from "./account/Handlers.ts"
import { AlertsLive } from "./admin/AlertsLive.ts"
import { AdminLive } from "./admin/Handlers.ts"
import { makeBatchKind } from "./batches/BatchKind.ts"
import { BatchesLive, LineFamiliesNeed } from "./batches/Handlers.ts"
import { CallbacksLive } from "./callbacks/Callbacks.ts"
import { CatalogueLive } from "./catalogue/CatalogueLive.ts"
import { ModelsHandlers } from "./catalogue/Handlers.ts"
import { ChatLive, StoredCompletionsLive } from "./chat/Handlers.ts"
import { makeCompletionsQuoter } from "./chat/completions/quote.ts"
import { OwnMarkLive } from "./Parts.ts"
import { makeChatQuoter } from "./chat/quote.ts"
import { Dispatch } from "./dispatch/Dispatch.ts"
import { EmbeddingsHandlers } from "./embeddings/Handlers.ts"
import { makeEmbeddingsQuoter } from "./embeddings/quote.ts"
import { Feed } from "./feed/Feed.ts"
import { FilesHandlers } from "./files/Handlers.ts"
import { HealthLive } from "./health/Handlers.ts"
import { AuditedBlocksLive } from "./admin/AuditedBlocks.ts"
import { Quoters } from "./ledger/Quote.ts"
import { UsageReport } from "./ledger/store/UsageReport.ts"
import { Guardrails } from "./guardrails/Guardrails.ts"
import { CallerServers } from "./mcp/CallerServers.ts"
import { PersonGrantsLive } from "./people/tools/PersonGrantsLive.ts"
import { McpHandlers } from "./mcp/endpoint/Handlers.ts"
import { LoadedServers } from "./mcp/LoadedServers.ts"
import { ServerStates } from "./mcp/ServerStates.ts"
import { makeMessageKind } from "./messages/async/MessageKind.ts"
import { MessagesLive } from "./messages/Handlers.ts"
import { makeMessagesQuoter } from "./messages/quote.ts"
import { ThreadsLive } from "./messages/threads/ThreadsLive.ts"
import { ModerationsHandlers } from "./moderations/Handlers.ts"
import { makeModerationsQuoter } from "./moderations/quote.ts"
import { ReasoningSignatures } from "./ownership/store/ReasoningSignatures.ts"
import type { Parts } from "./Parts.ts"
import { Pipeline } from "./pipeline/Pipeline.ts"
import { RequestRowsLive } from "./requests/RequestRows.ts"
import { ContentsLogLive } from "./requests/contents/traceContents.ts"
import { TaskCallRowsLive } from "./requests/TaskCallRows.ts"
import { AudioHandlers } from "./audio/Handlers.ts"
import { makeSpeechQuoter } from "./audio/quote.ts"
import { ImagesHandlers } from "./images/Handlers.ts"
import { makeEditsQuoter, makeImagesQuoter } from "./images/quote.ts"
import { RerankHandlers } from "./rerank/Handlers.ts"
import { makeRerankQuoter } from "./rerank/quote.ts"
import { makeResponseKind } from "./responses/background/ResponseKind.ts"
import { makeResponsesQuoter } from "./responses/quote.ts"
import { StoredFilesLive } from "./storedFiles/Handlers.ts"
import { InlineFiles } from "./storedFiles/InlineFiles.ts"
import { StoredFiles } from "./storedFiles/StoredFiles.ts"
import { ResponsesLive, StoredResponsesLive } from "./responses/ResponsesLive.ts"
import { TaskChanges } from "./tasks/TaskChanges.ts"
import { TaskKinds, taskKinds } from "./tasks/TaskKind.ts"
import { RequestSeal } from "./tasks/RequestSeal.ts"
import { TasksLive, TaskSettingsLive } from "./tasks/TasksLive.ts"
import { CallRows } from "./tools/CallRows.ts"
import { ResultSeal } from "./tools/ResultSeal.ts"
import { ToolJournalsLive } from "./tasks/journal/ToolJournalsLive.ts"
import { UnitOfWork } from "./tasks/UnitOfWork.ts"
import { Custody } from "./videos/custody/Custody.ts"
import { CustodyLive } from "./videos/custody/CustodyLive.ts"
import { FirstReplies } from "./videos/FirstReplies.ts"
import { VideosLive } from "./videos/Handlers.ts"
import { makeOpenAIVideosQuoter } from "./videos/openai/quote.ts"
import { Outages } from "./videos/Outages.ts"
import { makeVideosQuoter } from "./videos/quote.ts"
import { makeVideoFamily } from "./videos/videoFamily.ts"
import { makeVideoKind } from "./videos/VideoKind.ts"
import { VideoTasks } from "./videos/VideoTasks.ts"

const ModelsLive = Pipeline.Default.pipe(
  Layer.provideMerge(CallerServers.layer),
  Layer.provideMerge(Layer.provide(Guardrails.layer, AuditedBlocksLive)),
  Layer.provideMerge(Layer.provide(CallRows.layer, Layer.effect(ResultSeal, RequestSeal))),
  Layer.provideMerge(ToolJournalsLive),
  Layer.provideMerge(Dispatch.Default),
  Layer.provideMerge(CatalogueLive),
  Layer.provideMerge(InlineFiles.layer),
  Layer.provideMerge(StoredFiles.Default)
)

/** The kinds of task that the engine runs. */
const TaskKindsLive = Layer.effect(
  TaskKinds,
  Effect.map(
    Effect.all([makeMessageKind, makeResponseKind, makeBatchKind, Effect.flatMap(makeVideoFamily, makeVideoKind)]),
    (kinds) => taskKinds(...kinds)
  )
).pipe(
  Layer.provide(
    Layer.mergeAll(
      LineFamiliesNeed,
      Outages.Default,
      FirstReplies.Default,
      Custody.Default,
      UnitOfWork.Default,
      TaskCallRowsLive,
      ContentsLogLive
    )
  )
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
    "/v1/completions": makeCompletionsQuoter,
    "/v1/embeddings": makeEmbeddingsQuoter,
    "/v1/rerank": makeRerankQuoter,
    "/v1/moderations": makeModerationsQuoter,
    "/v1/images/generations": makeImagesQuoter,
    "/v1/images/edits": makeEditsQuoter,
    "/v1/audio/speech": makeSpeechQuoter,
    "/api/v3/contents/generations/tasks": makeVideosQuoter,
    "/v1/videos": makeOpenAIVideosQuoter
  })
).pipe(
  Layer.provide(
    Layer.mergeAll(
      UsageReport.Default,
      ReasoningSignatures.Default,
      StoredCompletionsLive,
      StoredResponsesLive,
      ThreadsLive,
      VideoTasks.Default
    )
  )
)

const GroupsLive = Layer.mergeAll(
  AccountLive.pipe(Layer.provide(QuotersLive)),
  AdminLive,
  ChatLive,
  EmbeddingsHandlers,
  RerankHandlers,
  ModerationsHandlers,
  ImagesHandlers,
  AudioHandlers,
  BatchesLive.pipe(Layer.provide(Layer.mergeAll(RequestRowsLive, ContentsLogLive, UnitOfWork.Default))),
  HealthLive,
  McpHandlers,
  MessagesLive,
  ModelsHandlers,
  ResponsesLive,
  VideosLive,
  FilesHandlers,
  StoredFilesLive
).pipe(
  Layer.provide(Feed.Default),
  // Closed after the server has drained, so that running tasks can end.
  Layer.provide(Layer.mergeAll(TasksLive, AlertsLive, CustodyLive.pipe(Layer.provide(Custody.Default))))
)

/**
 * The handlers of every group of the contract with the served models, and the daemons of their rooms. A function of the task store, because
 * the shipped one needs the kinds of task that the families bring.
 */
export const handlersOn = (taskStore: Parts["taskStore"]) =>
  GroupsLive.pipe(
    Layer.provide(tasksOn(taskStore)),
    Layer.provideMerge(ModelsLive),
    Layer.provide(
      Layer.merge(
        TaskSettingsLive,
        Layer.provideMerge(
          Layer.provide(LoadedServers.layer, PersonGrantsLive),
          Layer.merge(OwnMarkLive, ServerStates.Default)
        )
      )
    )
  )
