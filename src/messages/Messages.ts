import { Effect } from "effect"
import type { Caller } from "../contract/Caller.ts"
import type { Failure, InvalidRequest, ModelForbidden } from "../contract/Failure.ts"
import { isObject, parseJson } from "../contract/json.ts"
import type { Incoming } from "../contract/handlers.ts"
import { randomHex } from "../contract/randomHex.ts"
import { runFuture } from "../flow/runFuture.ts"
import { Future, Failed } from "../flow/Future.ts"
import type { Conversation } from "../generation/Conversation.ts"
import type { Generation } from "../generation/Generation.ts"
import { nextTurn } from "../flow/eventLoop.ts"
import { toEffect } from "../flow/toEffect.ts"
import { fold } from "../pipeline/fold.ts"
import type { Ending } from "../pipeline/ending.ts"
import { failedStream, holdResponse } from "../pipeline/holdResponse.ts"
import { streamed } from "../pipeline/streamed.ts"
import { jsonResponse } from "../pipeline/passthrough.ts"
import { countTokens } from "../tokens/tokens.ts"
import { Dispatch } from "../dispatch/Dispatch.ts"
import type { GenerationOptions } from "../dispatch/GenerationOptions.ts"
import type { Quote } from "../dispatch/Quote.ts"
import { forbidden } from "../contract/permission.ts"
import { unsupported } from "./unsupported.ts"
import { isHidden, understand } from "./decode.ts"
import { machine } from "./encode.ts"
import type { State } from "./encode.ts"
import { heartbeat } from "./frames.ts"
import type { Message } from "./Message.ts"
import { passthroughMachineOf, passthroughOf } from "./passthrough.ts"
import type { CountTokens, CreateMessage } from "./Request.ts"
import { unthreadable } from "./threads/failures.ts"
import { recorded } from "./threads/recorded.ts"
import type { Reply } from "./threads/reply.ts"
import { isThreaded, Threads } from "./threads/Threads.ts"
import type { ThreadTurn } from "./threads/Threads.ts"

type Prepaid = GenerationOptions["prepaid"]

interface Asked {
  readonly prepaid?: Prepaid
  readonly turn?: ThreadTurn | undefined
}

/** Messages: a request answered at once, as a stream, or by whoever fetches the answer later. */
export class Messages extends Effect.Service<Messages>()("gateway/messages/Messages", {
  effect: Effect.gen(function* () {
    const models = yield* Dispatch
    const threads = yield* Threads
    const runtime = yield* Effect.runtime()

    /** Begins at once; with many blocks its items are made in a turn of their own, and the rest follows in another. */
    const inTurn = <A, E>(
      { messages }: CreateMessage,
      conversation: Conversation,
      work: () => Future<A, E>
    ): Future<A, E> => {
      if (!hasMany(messages)) return work()
      const turn = () => runFuture(runtime, Effect.promise(nextTurn))
      return turn()
        .map(() => conversation.items)
        .flatMap(turn)
        .flatMap(work)
    }

    /** The generation of a message. What its thread claimed is released where none begins. */
    const generated = (
      caller: Caller,
      payload: CreateMessage,
      request: Incoming,
      { id, prepaid, stream, turn }: Asked & { readonly id: string; readonly stream: boolean }
    ): Future<Generation, Failure> => {
      const work = Future.attempt(() => {
        const { conversation, mayReachWeb, objection } = understood(payload, request)
        return inTurn(payload, conversation, () =>
          models.generate(caller, conversation, request, {
            stream,
            prepaid,
            objection,
            mayReachWeb,
            passthrough: passthroughOf(payload, request, id, turn),
            unsupported: () => unsupported(payload, request.body)
          })
        )
      })
      if (turn !== undefined) {
        work.onDone((end) => {
          if (end instanceof Failed) turn.release()
        })
      }
      return work
    }

    /** The message; one that an upstream wrote in this dialect is passed on as it is. */
    const answer = (
      caller: Caller,
      payload: CreateMessage,
      request: Incoming,
      asked: Asked = {}
    ): Future<Message | Response, Failure> => {
      const id = newMessageId()
      const { turn } = asked
      return generated(caller, payload, request, { ...asked, id, stream: false }).flatMap(
        (generation): Future<Message | Response, Failure> => {
          if (generation.passthrough !== true) {
            const options = { generation, machine: encoder(payload, request, id), ...keeping(turn, messageOf) }
            return fold(options).map((state) => state.message)
          }
          return fold({ generation, ...passingThrough(request, turn) }).map(({ terminal }) =>
            jsonResponse(terminal, request)
          )
        }
      )
    }

    /** The stream of its frames. */
    const stream = (
      caller: Caller,
      payload: CreateMessage,
      request: Incoming,
      turn?: ThreadTurn
    ): Future<Response, Failure> => {
      const id = newMessageId()
      const encoding = () => encoder(payload, request, id)
      const answer = generated(caller, payload, request, { id, stream: true, turn }).flatMap((generation) =>
        generation.passthrough === true
          ? streamed({ generation, ...passingThrough(request, turn), heartbeat, request })
          : streamed({
              generation,
              machine: encoding(),
              ...keeping(turn, messageOf),
              heartbeat,
              request
            })
      )
      return holdResponse(answer, { request, failed: failedStream(encoding) })
    }

    /** Answers while the caller waits: with the message, or with the stream of its frames. */
    const create = (caller: Caller, payload: CreateMessage, request: Incoming): Future<Message | Response, Failure> => {
      if (isThreaded(payload)) return continued(caller, payload, request)
      return payload.stream === true ? stream(caller, payload, request) : answer(caller, payload, request)
    }

    /** Answers a request of a thread: with what came before it, and so that its answer can be continued. */
    const continued = (
      caller: Caller,
      payload: CreateMessage,
      request: Incoming
    ): Future<Message | Response, Failure> =>
      runFuture(runtime, threads.take(caller, payload, request)).flatMap((turn): Future<Message | Response, Failure> =>
        payload.stream === true
          ? stream(caller, turn.payload, turn.request, turn)
          : answer(caller, turn.payload, turn.request, { turn })
      )

    /** Runs a request to its message while nobody waits; the money was set aside when it was accepted. */
    const run = (
      caller: Caller,
      payload: CreateMessage,
      request: Incoming,
      prepaid: Prepaid
    ): Effect.Effect<object, Failure> =>
      Effect.flatMap(
        toEffect(() => answer(caller, payload, request, { prepaid })),
        (answered) =>
          answered instanceof Response
            ? Effect.promise(async () => objectIn(await answered.text()))
            : Effect.succeed(answered)
      )

    /** What a request can cost at most. Fails with whatever can be said of it before anybody is asked. */
    const quote = (
      caller: Caller,
      payload: CreateMessage,
      request: Pick<Incoming, "body" | "headers">
    ): Effect.Effect<Quote, InvalidRequest | ModelForbidden> => {
      if (isThreaded(payload)) return unthreadable("async", "an async message has none")
      const { conversation, ...judged } = understood(payload, request)
      return models.quote(caller, conversation, { family: "messages", ...judged })
    }

    /** How many input tokens a request has: as its upstream counts where it is of this dialect, else about. */
    const count = Effect.fnUntraced(function* (caller: Caller, payload: CountTokens, request: Incoming) {
      const { conversation, objection } = understand(payload, request.body, "count")
      const model = yield* models.find(conversation.model, "text")
      const refused = (models.passes(model.id, "messages") ? undefined : objection()) ?? forbidden(caller, model.id)
      if (refused !== undefined) return yield* refused
      const counted = yield* models.upstreamCount(caller, model, passthroughOf(payload, request, "", undefined))
      return { input_tokens: counted ?? countTokens(conversation) }
    })

    return { create, run, quote, countTokens: count } as const
  })
}) {}

/** A message to be made, as its body and the betas of its head have it. */
const understood = (payload: CreateMessage, { body, headers }: Pick<Incoming, "body" | "headers">) =>
  understand(payload, body, "create", headers.get("anthropic-beta"))

/** What keeps an answer for those who go on from it. */
const keeping = <S>(
  turn: ThreadTurn | undefined,
  replyOf: (state: S) => Reply | undefined,
  isPassed = false
): Ending<S> =>
  turn === undefined ? {} : { keep: (state) => turn.keep(replyOf(state), isPassed), ended: turn.release }

const messageOf = ({ message }: State) => message

/** The machine of an answer that passes through, and what keeps it. */
const passingThrough = (request: Incoming, turn: ThreadTurn | undefined) => {
  if (turn === undefined) return { machine: passthroughMachineOf(request) }
  const { machine, reply } = recorded(passthroughMachineOf(request))
  return { machine, ...keeping(turn, reply, true) }
}

const newMessageId = () => `msg_${randomHex()}`

const encoder = (payload: CreateMessage, request: Incoming, id: string) =>
  machine({
    id,
    model: payload.model,
    requestId: request.id,
    hideThinking: isHidden(payload.thinking)
  })

/** From so many messages and blocks on a request is worked on in steps. */
const many = 5_000

const hasMany = (messages: CreateMessage["messages"]): boolean => {
  if (typeof messages === "string") return false
  let count = 0
  for (const { content } of messages) count += typeof content === "string" ? 1 : content.length
  return count >= many
}

const objectIn = (answer: string): object => {
  const message = parseJson(answer)
  return isObject(message) ? message : {}
}
