import { Effect } from "effect"
import { handlers } from "../contract/handlers.ts"
import { Pipeline } from "../pipeline/Pipeline.ts"
import { ModerationsApi } from "./Api.ts"
import { moderationsFamily } from "./moderationsFamily.ts"

export const ModerationsHandlers = handlers(
  ModerationsApi,
  Effect.map(Pipeline, ({ answer }) => ({ create: answer(moderationsFamily) }))
)
