import { Effect } from "effect"
import { handlers } from "../../contract/handlers.ts"
import { OpenAIVideosApi } from "./Api.ts"
import { makeOpenAIVideos } from "./OpenAIVideos.ts"

export const OpenAIVideosHandlers = handlers(
  OpenAIVideosApi,
  Effect.map(makeOpenAIVideos, (videos) => ({
    create: ({ caller, payload, request }) => videos.create(caller, payload, request),
    list: ({ caller, urlParams }) => videos.list(caller, urlParams),
    find: ({ caller, path }) => videos.find(caller, path.id),
    remove: ({ caller, path }) => videos.remove(caller, path.id),
    content: ({ caller, path, request, urlParams: { variant = "video" } }) =>
      videos.content(caller, path.id, variant, request.headers),
    remix: () => videos.remix
  }))
)
