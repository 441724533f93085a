import { Effect } from "effect"
import type { Schema } from "effect"
import { makeChatFamily } from "../chat/chatFamily.ts"
import { completionsFamily } from "../chat/completions/completionsFamily.ts"
import { CreateTextCompletion } from "../chat/completions/Request.ts"
import { CreateCompletion } from "../chat/Request.ts"
import type { Caller } from "../contract/callers/Caller.ts"
import type { Failure } from "../contract/failures/Failure.ts"
import { messagesErrors } from "../contract/failures/anthropicErrors.ts"
import { codedError, codedStatus } from "../contract/failures/codedErrors.ts"
import { toInvalidRequest } from "../contract/failures/invalidRequests.ts"
import type { Incoming } from "../contract/handlers.ts"
import { openDecoder } from "../contract/open.ts"
import type { GenerationOptions } from "../dispatch/GenerationOptions.ts"
import type { Quote } from "../dispatch/Quote.ts"
import { embeddingsFamily } from "../embeddings/embeddingsFamily.ts"
import { CreateEmbeddings } from "../embeddings/Request.ts"
import { errorBody } from "../messages/Errors.ts"
import { makeMessageFamily } from "../messages/messageFamily.ts"
import { CreateMessage } from "../messages/Request.ts"
import { unthreadable } from "../messages/threads/failures.ts"
import { isThreaded } from "../messages/threads/Threads.ts"
import { CreateModeration } from "../moderations/Api.ts"
import { moderationsFamily } from "../moderations/moderationsFamily.ts"
import { Pipeline } from "../pipeline/Pipeline.ts"
import { CreateResponse } from "../responses/CreateResponse.ts"
import { makeResponseFamily } from "../responses/responseFamily.ts"
import type { TextFamily } from "../pipeline/TextFamily.ts"

/** A line that its family has decoded. */
export interface OpenLine {
  /** The most that it can cost. Fails where a request would be refused before an upstream is asked. */
  readonly quote: Effect.Effect<Quote, Failure>
  /** Its answer, as a request with the same body gets it. */
  readonly answer: (prepaid: NonNullable<GenerationOptions["prepaid"]>) => Effect.Effect<object, Failure>
}

/** An endpoint whose requests may be lines of batches. */
export interface LineFamily {
  readonly open: (caller: Caller, request: Incoming) => Effect.Effect<OpenLine, Failure>
  /** The answer of a failure. */
  readonly refusal: (failure: Failure) => { readonly status: number; readonly body: object }
}

/** @param objection refuses what a line can't ask for */
const lineFamily = <A, I, Stored, S, P, Answer extends object>(
  pipeline: Pipeline,
  schema: Schema.Schema<A, I>,
  family: TextFamily<A, Stored, S, P, Answer>,
  refusal: LineFamily["refusal"],
  objection?: (payload: A) => Failure | undefined
): LineFamily => {
  const decode = toInvalidRequest(openDecoder(schema))
  const quote = pipeline.quote(family, "line")
  const run = pipeline.run(family)
  return {
    open: Effect.fnUntraced(function* (caller, request) {
      const payload = yield* decode(request.body)
      const refused = objection?.(payload)
      if (refused !== undefined) return yield* Effect.fail(refused)
      const input = { caller, payload, request }
      return { quote: quote(input), answer: (prepaid) => run(input, prepaid) }
    }),
    refusal
  }
}

/** The endpoints whose requests may be lines, by their paths. */
export const makeLineFamilies = Effect.gen(function* () {
  const pipeline = yield* Pipeline
  const families: Readonly<Record<string, LineFamily>> = {
    "/v1/messages": lineFamily(
      pipeline,
      CreateMessage,
      yield* makeMessageFamily,
      (failure) => ({ status: messagesErrors[failure._tag].status, body: errorBody(failure) }),
      (payload) => (isThreaded(payload) ? unthreadable("batch", "a line of a batch has none") : undefined)
    ),
    "/v1/responses": lineFamily(pipeline, CreateResponse, yield* makeResponseFamily, coded),
    "/v1/chat/completions": lineFamily(pipeline, CreateCompletion, yield* makeChatFamily, withUnknownModel),
    "/v1/completions": lineFamily(pipeline, CreateTextCompletion, completionsFamily, withUnknownModel),
    "/v1/embeddings": lineFamily(pipeline, CreateEmbeddings, embeddingsFamily, withUnknownModel),
    "/v1/moderations": lineFamily(pipeline, CreateModeration, moderationsFamily, withUnknownModel)
  }
  return families
})

const coded: LineFamily["refusal"] = (failure) => ({
  status: codedStatus(failure),
  body: { error: codedError(failure) }
})

/** An unknown model is a 404, as at OpenAI. */
const withUnknownModel: LineFamily["refusal"] = (failure) =>
  failure._tag === "UnknownModel"
    ? { status: 404, body: { error: { ...codedError(failure), code: "model_not_found" } } }
    : coded(failure)
