import { Effect } from "effect"
import { quoterOf } from "../pipeline/quoterOf.ts"
import { CreateImage } from "./Api.ts"
import { EditImage } from "./EditApi.ts"
import { editFamily } from "./editFamilies.ts"
import { imageFamily } from "./imageFamily.ts"

/** Quotes a body of `POST /v1/images/generations`. */
export const makeImagesQuoter = quoterOf("/v1/images/generations", CreateImage, Effect.succeed(imageFamily))
/** Quotes a JSON body of `POST /v1/images/edits`. */
export const makeEditsQuoter = quoterOf("/v1/images/edits", EditImage, Effect.succeed(editFamily))
