import { lower } from "./anthropicMessages/request.ts"
import type { State } from "./anthropicMessages/step.ts"
import { begin, end, frames, step } from "./anthropicMessages/step.ts"
import type { Protocol } from "./Protocol.ts"

/** `/v1/messages`, as Anthropic and a few others serve it. */
export const anthropicMessages: Protocol<State> = {
  path: "/v1/messages",
  headers: (apiKey) => ({
    "anthropic-version": "2023-06-01",
    ...(apiKey === undefined ? {} : { "x-api-key": apiKey })
  }),
  takesDocument: (mediaType) => mediaType === "application/pdf",
  lower,
  begin,
  step,
  end,
  frames
}
