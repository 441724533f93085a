import { Effect } from "effect"
import type { Caller } from "../contract/Caller.ts"
import * as Eager from "../contract/eager.ts"
import type { Failure } from "../contract/Failure.ts"
import type { Incoming } from "../contract/handlers.ts"
import { handlers } from "../contract/handlers.ts"
import { answering, folded } from "../generation/answer.ts"
import { failedStream, patient } from "../generation/patient.ts"
import { streamed } from "../generation/streamed.ts"
import { jsonResponse } from "../generation/native.ts"
import { countTokens } from "../generation/tokens.ts"
import { Models } from "../models/Models.ts"
import type { GenerationOptions } from "../models/Models.ts"
import { AsyncMessages } from "../tasks/AsyncMessages.ts"
import type { Handle } from "../tasks/AsyncMessages.ts"
import { MessagesApi } from "./Api.ts"
import { beyond } from "./beyond.ts"
import { decode, isHidden } from "./decode.ts"
import { machine } from "./encode.ts"
import { heartbeat } from "./frames.ts"
import type { Message } from "./Message.ts"
import { nativeRequest, passing } from "./native.ts"
import type { CreateMessage } from "./Request.ts"

export const MessagesHandlers = handlers(
  MessagesApi,
  Effect.gen(function* () {
    const models = yield* Models
    const asyncMessages = yield* AsyncMessages
    return {
      create: ({ caller, payload, request }) =>
        payload.stream === true
          ? streamMessage(models, caller, payload, request)
          : payload.async === true
            ? acceptMessage(models, asyncMessages, caller, payload, request)
            : answerMessage(models, caller, payload, request),
      countTokens: ({ payload }) =>
        Effect.flatMap(decode(payload), (conversation) =>
          Effect.as(models.find(conversation.model, "text"), { input_tokens: countTokens(conversation) })
        )
    }
  })
)

/** Runs one request to its message, as an async task does, whose money was set aside when it was accepted. */
export const runMessage = (
  models: Models,
  caller: Caller,
  payload: CreateMessage,
  request: Incoming,
  charge?: GenerationOptions["charge"]
): Effect.Effect<object, Failure> =>
  Effect.flatMap(answerMessage(models, caller, payload, request, charge), (answer) =>
    answer instanceof Response ? Effect.promise((): Promise<object> => answer.json()) : Effect.succeed(answer)
  )

/** The synchronous answer; one that an upstream wrote in this dialect is passed on as it is. */
const answerMessage = (
  models: Models,
  caller: Caller,
  payload: CreateMessage,
  request: Incoming,
  charge?: GenerationOptions["charge"]
): Effect.Effect<Message | Response, Failure> =>
  Eager.flatMap(decode(payload), (conversation) => {
    const id = newMessageId()
    return answering(
      models.generate(caller, conversation, request, { stream: false, charge, ...told(payload, request, id) }),
      (generation): Effect.Effect<Message | Response, Failure> =>
        generation.native === true
          ? Eager.map(folded({ generation, machine: passing(request) }), ({ terminal }) =>
              jsonResponse(terminal, request)
            )
          : Eager.map(folded({ generation, machine: encoder(payload, request, id) }), (state) => state.message)
    )
  })

/** Whatever can be said at once is said at once: only a generation that fails becomes a failed task. */
const acceptMessage = (
  models: Models,
  asyncMessages: AsyncMessages,
  caller: Caller,
  payload: CreateMessage,
  request: Incoming
): Effect.Effect<Handle, Failure> =>
  Effect.flatMap(decode(payload), (conversation) =>
    Effect.flatMap(models.quote(caller, conversation), (quote) => asyncMessages.accept(caller, quote, request))
  )

const streamMessage = (
  models: Models,
  caller: Caller,
  payload: CreateMessage,
  request: Incoming
): Effect.Effect<Response, Failure> =>
  Eager.flatMap(decode(payload), (conversation) => {
    const id = newMessageId()
    const encoding = encoder(payload, request, id)
    const answer = answering(
      models.generate(caller, conversation, request, { stream: true, ...told(payload, request, id) }),
      (generation) =>
        generation.native === true
          ? streamed({ generation, machine: passing(request), heartbeat, request })
          : streamed({ generation, machine: encoding, heartbeat, request })
    )
    return patient(answer, { request, heartbeat, failed: failedStream(encoding) })
  })

/** What of the request its conversation does not say. */
const told = (payload: CreateMessage, request: Incoming, id: string) => ({
  native: nativeRequest(payload, request, id),
  beyond: () => beyond(payload, request.body)
})

const newMessageId = () => `msg_${crypto.randomUUID().replaceAll("-", "")}`

const encoder = (payload: CreateMessage, request: Incoming, id: string) =>
  machine({
    id,
    model: payload.model,
    requestId: request.id,
    hideThinking: isHidden(payload.thinking)
  })
