import { InvalidRequest } from "../contract/Failure.ts"
import type { Incoming } from "../contract/handlers.ts"
import type { TextRequest } from "../pipeline/TextFamily.ts"
import type { CreateResponse } from "./CreateResponse.ts"
import { understand } from "./decode.ts"
import type { Replay } from "./decode.ts"
import type { State, Encoding } from "./encoding.ts"
import { encodingOf } from "./encodingOf.ts"
import type { InitialFields } from "./initialResponse.ts"
import { passthroughOf } from "./passthrough.ts"
import type { PassingState, ResponsesPassthrough } from "./passthrough.ts"
import { ownReplay } from "./replayFor.ts"
import { unsupported } from "./unsupported.ts"

/** An understood request, with the state of its answer, translated and passthrough. */
export interface Prepared {
  readonly replay: Replay
  readonly encoding: Encoding
  readonly passing: ResponsesPassthrough
  /** The request without the encodings of its answer. */
  readonly text: Omit<TextRequest<State, PassingState, unknown>, "translated" | "passed">
}

/**
 * @param found stored items for the request; undefined if it needs none
 * @param birth id and time of an existing response; a new one gets them here
 */
export const prepare = (
  payload: CreateResponse,
  request: Incoming,
  found: Replay | undefined,
  birth?: InitialFields
): Prepared | InvalidRequest => {
  const replay = found ?? ownReplay(payload)
  const understood = understand(payload, request.body, replay)
  if (understood instanceof InvalidRequest) return understood
  const encoding = encodingOf(payload, understood, birth)
  const passing = passthroughOf(payload, replay, request, encoding.response)
  const { conversation, mayReachWeb, objection } = understood
  return {
    replay,
    encoding,
    passing,
    text: {
      conversation,
      mayReachWeb,
      objection,
      stream: payload.stream ?? false,
      passthrough: passing.passthrough,
      unsupported: () => unsupported(payload, request.body)
    }
  }
}
