import type { Caller } from "../contract/Caller.ts"
import { InvalidRequest } from "../contract/Failure.ts"
import type { Failure } from "../contract/Failure.ts"
import type { Incoming } from "../contract/handlers.ts"
import type { Future } from "../flow/Future.ts"
import type { Generation } from "../generation/Generation.ts"
import type { GenerationOptions } from "../dispatch/GenerationOptions.ts"
import type { Dispatch } from "../dispatch/Dispatch.ts"
import type { CreateResponse } from "./CreateResponse.ts"
import { understand } from "./decode.ts"
import type { Replay, Understood } from "./decode.ts"
import type { Encoding } from "./encoding.ts"
import { encodingOf } from "./encodingOf.ts"
import type { Birth } from "./initialResponse.ts"
import { passthroughOf } from "./passthrough.ts"
import type { ResponsesPassthrough } from "./passthrough.ts"
import { unsupported } from "./unsupported.ts"

/** A request that is understood, and how its answer is written: in our words, or as its upstream writes it. */
export interface Prepared {
  readonly payload: CreateResponse
  readonly request: Incoming
  readonly understood: Understood
  readonly encoding: Encoding
  readonly pass: ResponsesPassthrough
}

/** @param birth of a response that is there already; a new one gets its id here */
export const prepare = (
  payload: CreateResponse,
  request: Incoming,
  replay: Replay,
  birth?: Birth
): Prepared | InvalidRequest => {
  const understood = understand(payload, request.body, replay)
  if (understood instanceof InvalidRequest) return understood
  const encoding = encodingOf(payload, understood, birth)
  return { payload, request, understood, encoding, pass: passthroughOf(payload, replay, request, encoding.response) }
}

/** Starts the generation that answers a request. */
export const generating = (
  models: Dispatch,
  caller: Caller,
  { pass, payload, request, understood }: Prepared,
  options: Pick<GenerationOptions, "stream" | "prepaid">
): Future<Generation, Failure> => {
  const { conversation, mayReachWeb, objection } = understood
  return models.generate(caller, conversation, request, {
    ...options,
    passthrough: pass.passthrough,
    objection,
    mayReachWeb,
    unsupported: () => unsupported(payload, request.body)
  })
}
