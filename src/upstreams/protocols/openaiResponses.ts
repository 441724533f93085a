import { lower } from "./openaiResponses/request.ts"
import type { State } from "./openaiResponses/step.ts"
import { begin, end, frames, step } from "./openaiResponses/step.ts"
import type { Protocol } from "./Protocol.ts"

/** `/responses`, as OpenAI and a few others serve it. */
export const openaiResponses: Protocol<State> = {
  path: "/responses",
  headers: (apiKey) => (apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
  takesDocument: (mediaType) => mediaType === "application/pdf",
  lower,
  begin,
  step,
  end,
  frames
}
