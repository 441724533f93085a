import { quoterOf } from "../pipeline/quoterOf.ts"
import { makeChatFamily } from "./chatFamily.ts"
import { CreateCompletion } from "./Request.ts"

/** Quotes a body of `POST /v1/chat/completions` for all its answers together. */
export const makeChatQuoter = quoterOf("/v1/chat/completions", CreateCompletion, makeChatFamily)
