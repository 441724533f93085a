import { Effect } from "effect"
import { quoterOf } from "../pipeline/quoterOf.ts"
import { embeddingsFamily } from "./embeddingsFamily.ts"
import { CreateEmbeddings } from "./Request.ts"

/** Quotes a body of `POST /v1/embeddings`. */
export const makeEmbeddingsQuoter = quoterOf("/v1/embeddings", CreateEmbeddings, Effect.succeed(embeddingsFamily))
