import { Effect } from "effect"
import { handlers } from "../contract/handlers.ts"
import { Pipeline } from "../pipeline/Pipeline.ts"
import { EmbeddingsApi } from "./Api.ts"
import { embeddingsFamily } from "./embeddingsFamily.ts"

export const EmbeddingsHandlers = handlers(
  EmbeddingsApi,
  Effect.map(Pipeline, ({ answer }) => ({ create: answer(embeddingsFamily) }))
)
