import { openaiCompletions } from "../openaiChat/completionModels.ts"
import { completionsPlace } from "../openaiChat/completions.ts"
import { signs } from "./input.ts"
import { bearer } from "../../Endpoint.ts"
import { responsesDialect } from "./responsesDialect.ts"
import { fates } from "./fates.ts"
import { lower } from "./request.ts"
import type { ResponsesState } from "./state.ts"
import { begin, end, frames, step } from "./step.ts"
import { openaiBeside } from "../openaiBeside.ts"
import type { Protocol } from "../Protocol.ts"
import { openaiDefaults } from "../servedDefaults.ts"

/** `/responses`, as OpenAI and a few others serve it. */
export const openaiResponses: Protocol<ResponsesState> = {
  endpoint: { version: "", path: "/responses", headers: bearer },
  models: "/models",
  beside: {
    ...openaiBeside,
    completions: completionsPlace(openaiCompletions),
    compactions: { path: "/responses/compact" }
  },
  searches: true,
  fates,
  signs,
  signsByKey: true,
  dialect: responsesDialect,
  takesFileIds: true,
  takesDocument: (mediaType) => mediaType === "application/pdf",
  lower,
  withDefaults: openaiDefaults,
  begin,
  step,
  end,
  frames
}
