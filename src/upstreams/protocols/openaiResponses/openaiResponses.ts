import { signs } from "./input.ts"
import { bearer } from "../../Endpoint.ts"
import { responsesDialect } from "./responsesDialect.ts"
import { lower } from "./request.ts"
import type { ResponsesState } from "./state.ts"
import { begin, end, frames, step } from "./step.ts"
import type { Protocol } from "../Protocol.ts"

/** `/responses`, as OpenAI and a few others serve it. */
export const openaiResponses: Protocol<ResponsesState> = {
  endpoint: { version: "", path: "/responses", headers: bearer },
  models: "/models",
  embeddings: "/embeddings",
  compacts: "/responses/compact",
  searches: true,
  carries: new Set(["verbosity", "serviceTier", "logprobs"] as const),
  signs,
  signsByKey: true,
  dialect: responsesDialect,
  takesFileIds: true,
  takesDocument: (mediaType) => mediaType === "application/pdf",
  lower,
  begin,
  step,
  end,
  frames
}
