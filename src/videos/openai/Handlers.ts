import { Clock, Duration, Effect, Option } from "effect"
import { reachesKey } from "../../contract/Caller.ts"
import type { Caller, Holder } from "../../contract/Caller.ts"
import { Conflict, InvalidRequest, NotFound } from "../../contract/Failure.ts"
import { handlers } from "../../contract/handlers.ts"
import type { Incoming } from "../../contract/handlers.ts"
import { shown } from "../../tasks/shown.ts"
import { created } from "../../tasks/Task.ts"
import { TaskSettings } from "../../tasks/TaskSettings.ts"
import { TaskStore } from "../../tasks/TaskStore.ts"
import { videoTask } from "../VideoTask.ts"
import { VideoTasks } from "../VideoTasks.ts"
import { OpenAIVideosApi } from "./Api.ts"
import type { ListOpenAIVideos } from "./Api.ts"
import { asVideoTask, renamed } from "./asVideoTask.ts"
import { makeContent } from "./content.ts"
import type { CreateOpenAIVideo } from "./CreateOpenAIVideo.ts"
import { openAIVideo } from "./OpenAIVideo.ts"
import { makeReferences } from "./references.ts"
import { readSize } from "./size.ts"

const kind = "video"
const defaultLimit = 20

export const OpenAIVideosHandlers = handlers(
  OpenAIVideosApi,
  Effect.gen(function* () {
    const videos = yield* VideoTasks
    const store = yield* TaskStore
    const { retention } = yield* TaskSettings
    const withReferences = yield* makeReferences
    const content = yield* makeContent

    const find = shown(store, kind, (task) => openAIVideo(videoTask(task)), notFound)

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
          Effect.flatMap(asVideoTask(payload, references), (task) => videos.settled(caller, task, request.headers)),
        (references) =>
          Effect.flatMap(asVideoTask(payload, references), (task) => {
            if (typeof payload.size === "string" && !readSize(payload.size).isExact) {
              request.replyHeaders["x-gateway-adapted"] = "size"
            }
            return videos.create(caller, task, { ...request, body: task }, shape)
          })
      ).pipe(Effect.catchTag("InvalidRequest", (failure) => Effect.fail(renamed(failure))))

    const contentOf = Effect.fnUntraced(function* (holder: Holder, id: string, headers: Headers) {
      const found = yield* taskOf(holder, id)
      if (Option.isNone(found)) return yield* notFound(id)
      const { result } = videoTask(found.value)
      return result === null
        ? yield* notOffered(`The video is not completed: GET /v1/videos/${id} tells its status`)
        : yield* content(result.videoUrl, headers)
    })

    return {
      create: ({ caller, payload, request }) => create(caller, payload, request),
      list: ({ caller, urlParams }) => list(caller, urlParams),
      find: ({ caller, path }) => find(caller, path.id),
      remove: ({ caller, path: { id } }) =>
        videos.remove(caller, id).pipe(
          Effect.map((outcome) => ({ id, object: "video.deleted" as const, deleted: outcome === "removed" })),
          Effect.catchTags({
            Conflict: () => Effect.fail(inProgress),
            NotFound: () => Effect.fail(notFound(id))
          })
        ),
      content: ({ caller, path, request, urlParams: { variant = "video" } }) =>
        variant === "video"
          ? contentOf(caller, path.id, request.headers)
          : notOffered(`The gateway makes no ${variant}; leave variant out`),
      remix: () => notOffered("The gateway makes no remixes: create a video with an input_reference instead")
    }
  })
)

/** The answer to a create, and its part of the stored task. */
const shape = {
  api: "openai" as const,
  answer: (_: string, task: () => Parameters<typeof created>[0]) => openAIVideo(videoTask(created(task())))
}

const notFound = (id: string) => notOffered(`No video has the id "${id}"`)

const notOffered = (message: string) => new NotFound({ param: null, message })

const inProgress = new Conflict({
  code: null,
  message: "The video is in progress and can't be deleted; it can be removed once it has ended"
})
