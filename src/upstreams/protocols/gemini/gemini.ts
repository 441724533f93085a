import type { Protocol } from "../Protocol.ts"
import { modelIds } from "./modelIds.ts"
import { takesDocument } from "./media.ts"
import { placed } from "./placed.ts"
import { lower } from "./request.ts"
import { isSignatureRefusal, unsigned } from "./signedParts.ts"
import type { GeminiState } from "./step.ts"
import { begin, end, frames, step } from "./step.ts"

/** Google's own dialect, at its API (`…/v1beta`) and at Vertex (`…/publishers/google`). */
export const gemini: Protocol<GeminiState> = {
  endpoint: {
    version: "",
    path: "/models",
    headers: (apiKey): Readonly<Record<string, string>> => (apiKey === undefined ? {} : { "x-goog-api-key": apiKey }),
    placed
  },
  // By default a page has 50.
  models: "/models?pageSize=1000",
  modelIds,
  searches: true,
  signsCalls: true,
  takesDocument,
  lower,
  unsigned: (body, refusal) => (isSignatureRefusal(refusal) ? unsigned(body) : undefined),
  begin,
  step,
  end,
  frames
}
