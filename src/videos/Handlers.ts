import { Effect, Layer } from "effect"
import { Deliveries } from "../callbacks/Deliveries.ts"
import { handlers } from "../contract/handlers.ts"
import { VideosApi } from "./Api.ts"
import { OpenAIVideosHandlers } from "./openai/Handlers.ts"
import { VideoTasks } from "./VideoTasks.ts"

const VideosHandlers = handlers(
  VideosApi,
  Effect.gen(function* () {
    const videos = yield* VideoTasks
    const callbacks = yield* Deliveries
    return {
      create: ({ caller, payload, request }) => videos.create(caller, payload, request, { answer: (id) => ({ id }) }),
      list: ({ caller, urlParams }) => videos.list(caller, urlParams),
      find: ({ caller, path }) => videos.find(caller, path.id),
      remove: ({ caller, path }) => Effect.as(videos.remove(caller, path.id), {}),
      deliveries: ({ caller, path }) =>
        Effect.flatMap(videos.find(caller, path.id), () =>
          Effect.map(callbacks.list(caller.account, path.id), (items) => ({ items }))
        ),
      redeliver: ({ caller, path }) =>
        Effect.flatMap(videos.find(caller, path.id), () => callbacks.redeliver(caller.account, path.id, path.delivery))
    }
  })
)

/** Serves videos in both forms. */
export const VideosLive = Layer.merge(VideosHandlers, OpenAIVideosHandlers).pipe(Layer.provide(VideoTasks.Default))
