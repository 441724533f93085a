import { Effect } from "effect"
import { quoterOf } from "../pipeline/quoterOf.ts"
import { CreateRerank } from "./Api.ts"
import { rerankFamily } from "./rerankFamily.ts"

/** Quotes a body of `POST /v1/rerank`. */
export const makeRerankQuoter = quoterOf("/v1/rerank", CreateRerank, Effect.succeed(rerankFamily))
