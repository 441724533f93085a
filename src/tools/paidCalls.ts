import { toolCallsOf } from "../generation/addUsage.ts"
import type { Usage } from "../generation/GenerationEvent.ts"
import type { RequestTools } from "./RequestTools.ts"

/** The calls of a request that have left so far, in earlier runs too, as far as they cost something. */
export const paidCalls = ({ earlier, tools }: Pick<RequestTools, "earlier" | "tools">): Pick<Usage, "toolCalls"> =>
  toolCallsOf([...(earlier?.paid ?? []), ...tools.flatMap(({ paid }) => paid?.() ?? [])])
