import { Clock, Duration, Effect, Option } from "effect"
import { reachesKey } from "../../contract/callers/Caller.ts"
import type { Caller, Holder } from "../../contract/callers/Caller.ts"
import { Conflict, InvalidRequest, NotFound } from "../../contract/failures/Failure.ts"
import type { Incoming } from "../../contract/handlers.ts"
import { makeTaskReader } from "../../tasks/makeTaskReader.ts"
import { queuedTask } from "../../tasks/Task.ts"
import { TaskSettings } from "../../tasks/TaskSettings.ts"
import { TaskStore } from "../../tasks/TaskStore.ts"
import { videoTask } from "../VideoTask.ts"
import { VideoTasks } from "../VideoTasks.ts"
import type { ListOpenAIVideos } from "./Api.ts"
import { asVideoTask, renameFields } from "./asVideoTask.ts"
import { makeContent } from "./content.ts"
import type { CreateOpenAIVideo } from "./CreateOpenAIVideo.ts"
import { openAIVideo } from "./OpenAIVideo.ts"
import { makeReferences } from "./references.ts"
import { makeSizeBounds, readSize } from "./size.ts"

const kind = "video"
const defaultLimit = 20

/** Videos in OpenAI's form. */
export const makeOpenAIVideos = Effect.gen(function* () {
  const videos = yield* VideoTasks
  const store = yield* TaskStore
  const { retention } = yield* TaskSettings
  const withReferences = yield* makeReferences
  const content = yield* makeContent
  const boundsOf = yield* makeSizeBounds

  const find = makeTaskReader(store, kind, (task) => openAIVideo(videoTask(task)), notFound)

  /** The task of an id, for its file or its place in a list. */
  const taskOf = (holder: Holder, id: string) =>
    Effect.map(
      Effect.orDie(store.find(holder.account, kind, id)),
      Option.filter(({ key }) => reachesKey(holder, key))
    )

  const list = Effect.fnUntraced(function* (
    holder: Holder,
    { after, limit = defaultLimit, order = "desc" }: ListOpenAIVideos
  ) {
    const last = after === undefined ? Option.none() : yield* taskOf(holder, after)
    if (after !== undefined && Option.isNone(last)) {
      return yield* new InvalidRequest({ param: "after", message: `after: no video has the id "${after}"` })
    }
    const sinceMs = (yield* Clock.currentTimeMillis) - Duration.toMillis(retention)
    const { account, person } = holder
    const page = { account, keys: person?.keys, kind, sinceMs, order, offset: 0, limit: limit + 1 }
    const { tasks } = yield* Effect.orDie(store.list(Option.isNone(last) ? page : { ...page, after: last.value }))
    const data = tasks.slice(0, limit).map((task) => openAIVideo(videoTask(task)))
    return {
      object: "list" as const,
      data,
      first_id: data.at(0)?.id ?? null,
      last_id: data.at(-1)?.id ?? null,
      has_more: tasks.length > limit
    }
  })

  const create = (caller: Caller, payload: CreateOpenAIVideo, request: Incoming) =>
    withReferences(
      payload.input_reference,
      (references) =>
        Effect.flatMap(asVideoTask(payload, references, boundsOf(payload.model)), (task) =>
          videos.settled(caller, task, request.headers)
        ),
      (references) =>
        Effect.flatMap(asVideoTask(payload, references, boundsOf(payload.model)), (task) => {
          if (typeof payload.size === "string" && !readSize(payload.size, boundsOf(payload.model)).isExact) {
            request.replyHeaders["x-gateway-adapted"] = "size"
          }
          return videos.create(caller, task, { ...request, body: task }, shape)
        })
    ).pipe(Effect.catchTag("InvalidRequest", (failure) => Effect.fail(renameFields(failure))))

  const contentOf = Effect.fnUntraced(function* (holder: Holder, id: string, variant: string, headers: Headers) {
    if (variant !== "video") return yield* notOffered(`The gateway makes no ${variant}; leave variant out`)
    const found = yield* taskOf(holder, id)
    if (Option.isNone(found)) return yield* notFound(id)
    const { result } = videoTask(found.value)
    return result === null
      ? yield* notOffered(`The video is not completed: GET /v1/videos/${id} tells its status`)
      : yield* content(result.videoUrl, headers)
  })

  const remove = (caller: Caller, id: string) =>
    videos.remove(caller, id).pipe(
      Effect.map((outcome) => ({ id, object: "video.deleted" as const, deleted: outcome === "removed" })),
      Effect.catchTags({
        Conflict: () => Effect.fail(inProgress),
        NotFound: () => Effect.fail(notFound(id))
      })
    )

  return { create, list, find, remove, content: contentOf, remix: noRemix } as const
})

/** The answer to a create, and its part of the stored task. */
const shape = {
  api: "openai" as const,
  answer: (_: string, task: () => Parameters<typeof queuedTask>[0]) => openAIVideo(videoTask(queuedTask(task())))
}

const notFound = (id: string) => notOffered(`No video has the id "${id}"`)

const noRemix = new NotFound({
  param: null,
  message: "The gateway makes no remixes: create a video with an input_reference instead"
})

const notOffered = (message: string) => new NotFound({ param: null, message })

const inProgress = new Conflict({
  code: null,
  message: "The video is in progress and can't be deleted; it can be removed once it has ended"
})
