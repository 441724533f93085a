import type { Caller } from "../contract/Caller.ts"
import { InvalidRequest } from "../contract/Failure.ts"
import type { Failure } from "../contract/Failure.ts"
import type { Incoming } from "../contract/handlers.ts"
import type { Begun } from "../flow/Begun.ts"
import type { Generation } from "../generation/Generation.ts"
import type { GenerationOptions } from "../models/GenerationOptions.ts"
import type { Models } from "../models/Models.ts"
import type { CreateResponse } from "./CreateResponse.ts"
import { understand } from "./decode.ts"
import type { Replay, Understood } from "./decode.ts"
import type { Encoding } from "./encoding.ts"
import { encodingOf } from "./encodingOf.ts"
import type { Birth } from "./initialResponse.ts"
import { passing } from "./native.ts"
import type { Passing } from "./native.ts"
import { unsupported } from "./unsupported.ts"

/** A request that is understood, and how its answer is written: in our words, or as its upstream writes it. */
export interface Prepared {
  readonly payload: CreateResponse
  readonly request: Incoming
  readonly understood: Understood
  readonly encoding: Encoding
  readonly pass: Passing
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
  return { payload, request, understood, encoding, pass: passing(payload, replay, request, encoding.response) }
}

/** Starts the generation that answers a request. */
export const generating = (
  models: Models,
  caller: Caller,
  { pass, payload, request, understood }: Prepared,
  options: Pick<GenerationOptions, "stream" | "prepaid">
): Begun<Generation, Failure> => {
  const { conversation, mayReachWeb, objection } = understood
  return models.generate(caller, conversation, request, {
    ...options,
    verbatim: pass.verbatim,
    objection,
    mayReachWeb,
    unsupported: () => unsupported(payload, request.body)
  })
}
