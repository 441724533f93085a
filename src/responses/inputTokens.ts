import { Effect } from "effect"
import type { AccountId } from "../contract/Caller.ts"
import { InvalidRequest } from "../contract/Failure.ts"
import { Dispatch } from "../dispatch/Dispatch.ts"
import { countTokens } from "../tokens/tokens.ts"
import type { CountInputTokens } from "./CreateResponse.ts"
import { understand, unknownOf } from "./decode.ts"
import { replayFor } from "./replayFor.ts"
import { ResponseStore } from "./store/ResponseStore.ts"

/** Estimates the input tokens of a request and the conversation that it continues. */
export const makeInputTokens = Effect.gen(function* () {
  const models = yield* Dispatch
  const store = yield* ResponseStore
  return Effect.fnUntraced(function* (account: AccountId, payload: CountInputTokens, body: unknown) {
    const isPassed = models.passes(payload.model, "responses")
    const unknown = isPassed ? undefined : unknownOf.count(payload, body)
    if (unknown !== undefined) return yield* unknown
    const understood = understand(payload, body, yield* replayFor(store, account, payload), "count")
    if (understood instanceof InvalidRequest) return yield* understood
    yield* models.find(payload.model, "text")
    const objection = isPassed ? undefined : understood.objection()
    if (objection !== undefined) return yield* objection
    return { object: "response.input_tokens" as const, input_tokens: countTokens(understood.conversation) }
  })
})
