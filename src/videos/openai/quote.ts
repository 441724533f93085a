import { Effect, Either } from "effect"
import { jsonDecoder } from "../../contract/jsonDecoder.ts"
import { toInvalidRequest } from "../../contract/failures/invalidRequests.ts"
import { quoterOf } from "../quote.ts"
import { VideoTasks } from "../VideoTasks.ts"
import { asVideoTask } from "./asVideoTask.ts"
import { CreateOpenAIVideo } from "./CreateOpenAIVideo.ts"
import { linkParts } from "./references.ts"
import { makeSizeBounds } from "./size.ts"

const decodeBody = toInvalidRequest(jsonDecoder(CreateOpenAIVideo))

/** Quotes a create in OpenAI's shape, as JSON. */
export const makeOpenAIVideosQuoter = Effect.map(Effect.all([VideoTasks, makeSizeBounds]), ([videos, boundsOf]) =>
  quoterOf(videos, (body) =>
    Either.flatMap(decodeBody(body), (request) =>
      asVideoTask(request, linkParts(request.input_reference), boundsOf(request.model))
    )
  )
)
