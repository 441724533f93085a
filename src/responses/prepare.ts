import { InvalidRequest } from "../contract/failures/Failure.ts"
import type { Incoming } from "../contract/handlers.ts"
import type { TextRequest } from "../pipeline/TextFamily.ts"
import type { CreateResponse } from "./CreateResponse.ts"
import { understand } from "./decode.ts"
import type { Replay } from "./decode.ts"
import type { Machine } from "../generation/Machine.ts"
import { compactionMachine } from "./compact/compactionMachine.ts"
import { nothingIn, summaryRequest } from "./compact/summaryRequest.ts"
import { machine } from "./encode.ts"
import type { State, Encoding, ResponseFrame } from "./encoding.ts"
import { withoutConversation } from "./conversations/conversationOf.ts"
import { endsInTrigger } from "./InputItem.ts"
import { encodingOf } from "./encodingOf.ts"
import type { InitialFields } from "./initialResponse.ts"
import { passthroughOf } from "./passthrough.ts"
import type { PassingState, ResponsesPassthrough } from "./passthrough.ts"
import { ownReplay } from "./replays.ts"
import { checkedBody } from "./warmUp.ts"
import { unsupportedParts } from "./unsupportedParts.ts"

/** An understood request, with the state of its answer, translated and passthrough. */
export interface Prepared {
  readonly replay: Replay
  readonly encoding: Encoding
  /** The encoder of a translated answer. */
  readonly machine: Machine<State, ResponseFrame>
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
  const understood = understand(payload, checkedBody(request), replay)
  if (understood instanceof InvalidRequest) return understood
  const { conversation } = replay
  const encoding = encodingOf(payload, understood, birth, conversation)
  const kept = conversation === undefined ? undefined : withoutConversation(request)
  const passing = passthroughOf(payload, replay, kept ?? request, encoding.response)
  const { hasOwnCalls, mayReachWeb, objection } = understood
  const compacts = endsInTrigger(replay.input)
  return {
    replay,
    encoding,
    machine: compacts ? compactionMachine(encoding) : machine(encoding),
    passing,
    text: {
      conversation: compacts ? summaryRequest(understood.conversation) : understood.conversation,
      hasOwnCalls,
      mayReachWeb,
      ...(kept !== undefined && { request: kept }),
      objection: () => objection() ?? (compacts ? nothingIn(understood.conversation) : undefined),
      stream: payload.stream ?? false,
      passthrough: passing.passthrough,
      unsupported: (runsServers) => unsupportedParts(payload, request.body, runsServers),
      ...(understood.servers && { servers: understood.servers })
    }
  }
}
