import { Effect } from "effect"
import { handlers } from "../contract/handlers.ts"
import { Pipeline } from "../pipeline/Pipeline.ts"
import { RerankApi } from "./Api.ts"
import { rerankFamily } from "./rerankFamily.ts"

export const RerankHandlers = handlers(
  RerankApi,
  Effect.map(Pipeline, ({ answer }) => ({ create: answer(rerankFamily) }))
)
