import { quoterOf } from "../dispatch/quoterOf.ts"
import { understand } from "./decode.ts"
import { CreateCompletion } from "./Request.ts"

/** Quotes a body of `POST /v1/chat/completions`, all its answers together. */
export const makeChatQuoter = quoterOf(
  CreateCompletion,
  (request, body) => ({ family: "chat", ...understand(request, body) }),
  ({ n }) => n ?? 1
)
