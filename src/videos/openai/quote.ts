import { Effect, Either } from "effect"
import { jsonDecoder } from "../../contract/jsonDecoder.ts"
import { refusing } from "../../contract/refusing.ts"
import { quoterOf } from "../quote.ts"
import { VideoTasks } from "../VideoTasks.ts"
import { asVideoTask } from "./asVideoTask.ts"
import { CreateOpenAIVideo } from "./CreateOpenAIVideo.ts"
import { linked } from "./references.ts"

const decodeBody = refusing(jsonDecoder(CreateOpenAIVideo))

/** Quotes a create in OpenAI's shape, as JSON. */
export const makeOpenAIVideosQuoter = Effect.map(VideoTasks, (videos) =>
  quoterOf(videos, (body) =>
    Either.flatMap(decodeBody(body), (request) => asVideoTask(request, linked(request.input_reference)))
  )
)
