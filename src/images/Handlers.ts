import { Effect } from "effect"
import { handlers } from "../contract/handlers.ts"
import { Pipeline } from "../pipeline/Pipeline.ts"
import { ImagesApi } from "./Api.ts"
import { editFamily, variationFamily } from "./editFamilies.ts"
import { imageFamily } from "./imageFamily.ts"

export const ImagesHandlers = handlers(
  ImagesApi,
  Effect.map(Pipeline, ({ answer }) => ({
    create: answer(imageFamily),
    edit: answer(editFamily),
    vary: answer(variationFamily)
  }))
)
