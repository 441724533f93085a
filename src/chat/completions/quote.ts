import { Effect } from "effect"
import { quoterOf } from "../../pipeline/quoterOf.ts"
import { completionsFamily } from "./completionsFamily.ts"
import { CreateTextCompletion } from "./Request.ts"

/** Quotes a body of `POST /v1/completions` for all its answers together. */
export const makeCompletionsQuoter = quoterOf(
  "/v1/completions",
  CreateTextCompletion,
  Effect.succeed(completionsFamily)
)
