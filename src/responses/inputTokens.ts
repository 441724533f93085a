import { Effect } from "effect"
import type { Caller } from "../contract/callers/Caller.ts"
import { InvalidRequest } from "../contract/failures/Failure.ts"
import type { Incoming } from "../contract/handlers.ts"
import { Dispatch } from "../dispatch/Dispatch.ts"
import { Pipeline } from "../pipeline/Pipeline.ts"
import { InlineFiles } from "../storedFiles/InlineFiles.ts"
import { countTokens } from "../tokens/tokens.ts"
import type { CountInputTokens } from "./CreateResponse.ts"
import { understand, unknownOf } from "./decode.ts"
import { makeReplays } from "./replays.ts"

/** Counts the input tokens of a request and the conversation that it continues: by its upstream if that offers it, otherwise by an estimate. */
export const makeInputTokens = Effect.gen(function* () {
  const models = yield* Dispatch
  const pipeline = yield* Pipeline
  const replays = yield* makeReplays
  const files = yield* InlineFiles
  return Effect.fnUntraced(function* (caller: Caller, sent: CountInputTokens, request: Incoming) {
    const input = { caller, payload: sent, request }
    const {
      payload,
      request: { body, headers }
    } = yield* files.put(input) ?? Effect.succeed(input)
    const isPassed = models.passes(payload.model, "responses")
    const unknown = isPassed ? undefined : unknownOf.count(payload, body)
    if (unknown !== undefined) return yield* unknown
    const replay = yield* replays.find({ caller, payload, request })
    const understood = understand(payload, body, replay, "count")
    if (understood instanceof InvalidRequest) return yield* understood
    const { model } = yield* models.choose(caller, payload.model, "text", headers)
    const objection = isPassed ? undefined : understood.objection()
    if (objection !== undefined) return yield* objection
    const { servers } = understood
    const naming = servers && { asked: servers, caller, request: { ...request, body } }
    const listed = naming && (yield* pipeline.listed("responses", naming, understood))
    const conversation = listed ?? understood.conversation
    // No guardrail has looked at what an upstream would count.
    const counted = pipeline.isGuarded(caller, payload.model)
      ? undefined
      : yield* models.upstreamCount(caller, model, undefined, conversation)
    return { object: "response.input_tokens" as const, input_tokens: counted ?? countTokens(conversation) }
  })
})
