import { InvalidRequest } from "../../contract/failures/Failure.ts"
import type { Conversation } from "../../generation/Conversation.ts"
import type { Lowered } from "../protocols/Protocol.ts"
import { mostStopCharacters } from "../protocols/stops.ts"
import type { GenerateOptions } from "../Upstream.ts"

/** In strict mode, the refusal of a request that something was dropped from. */
export const notLost = ([first]: ReadonlyArray<string>, { strict }: GenerateOptions): InvalidRequest | undefined =>
  strict !== true || first === undefined
    ? undefined
    : new InvalidRequest({ param: first, message: `${first}: not supported as asked by this model's upstream` })

/** Refuses more stop sequences than the gateway can search for. */
export const beyondSearch = (
  lowered: Lowered,
  { stopParam = "stop_sequences" }: Conversation
): InvalidRequest | undefined => {
  const characters = lowered.stops.reduce((sum, stop) => sum + stop.length, 0)
  if (characters <= mostStopCharacters) return undefined
  return new InvalidRequest({
    param: stopParam,
    message:
      `${stopParam}: expected at most ${mostStopCharacters} characters in all beyond those that this model's upstream ` +
      `can be told; got ${characters}`
  })
}
