import { Effect } from "effect"
import { quoterOf } from "../pipeline/quoterOf.ts"
import { CreateSpeech } from "./Api.ts"
import { speechFamily } from "./speechFamily.ts"

/** Quotes a body of `POST /v1/audio/speech`. */
export const makeSpeechQuoter = quoterOf("/v1/audio/speech", CreateSpeech, Effect.succeed(speechFamily))
