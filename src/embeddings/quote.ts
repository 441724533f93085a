import { InvalidRequest } from "../contract/Failure.ts"
import { quoterOf } from "../dispatch/quoterOf.ts"
import { decode } from "./decode.ts"
import { objection } from "./Embeddings.ts"
import { CreateEmbeddings } from "./Request.ts"

/** Quotes a body of `POST /v1/embeddings`. */
export const makeEmbeddingsQuoter = quoterOf(CreateEmbeddings, (request) => {
  const conversation = decode(request)
  if (conversation instanceof InvalidRequest) return conversation
  return { conversation, family: "embeddings", objection, kind: "embedding" }
})
