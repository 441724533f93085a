import { quoterOf } from "../pipeline/quoterOf.ts"
import { makeMessageFamily } from "./messageFamily.ts"
import { CreateMessage } from "./Request.ts"

/** Quotes a body of `POST /v1/messages`. */
export const makeMessagesQuoter = quoterOf("/v1/messages", CreateMessage, makeMessageFamily)
