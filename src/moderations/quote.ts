import { Effect } from "effect"
import { quoterOf } from "../pipeline/quoterOf.ts"
import { CreateModeration } from "./Api.ts"
import { moderationsFamily } from "./moderationsFamily.ts"

/** Quotes a body of `POST /v1/moderations`. */
export const makeModerationsQuoter = quoterOf("/v1/moderations", CreateModeration, Effect.succeed(moderationsFamily))
