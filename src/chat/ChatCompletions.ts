import { Effect } from "effect"
import { fold } from "../pipeline/fold.ts"
import { failedStream, holdResponse } from "../pipeline/holdResponse.ts"
import { jsonResponse } from "../pipeline/passthrough.ts"
import { streamed } from "../pipeline/streamed.ts"
import type { AccountId, Caller } from "../contract/Caller.ts"
import type { Failure } from "../contract/Failure.ts"
import type { Incoming } from "../contract/handlers.ts"
import { randomHex } from "../contract/randomHex.ts"
import { afterTurn } from "../flow/afterTurn.ts"
import { runFuture } from "../flow/runFuture.ts"
import { Future } from "../flow/Future.ts"
import type { Conversation } from "../generation/Conversation.ts"
import type { Generation } from "../generation/Generation.ts"
import { Dispatch } from "../dispatch/Dispatch.ts"
import type { Head } from "./chunks.ts"
import type { AnswerMessage, ChatCompletion } from "./Completion.ts"
import { understand } from "./decode.ts"
import { choiceOf, completionOf, machine, messageOf } from "./encode.ts"
import type { State } from "./encode.ts"
import type { InputMessage } from "./InputMessage.ts"
import { joined } from "./Joined.ts"
import { passthroughMachineOf, passthroughOf } from "./passthrough.ts"
import { sealName, unsealedCalls } from "./reasoning.ts"
import type { KeptSeals } from "./reasoning.ts"
import type { CreateCompletion } from "./Request.ts"
import { ReasoningSignatures } from "../ownership/store/ReasoningSignatures.ts"
import { unsupported } from "./unsupported.ts"

/** A comment, which every client library skips. */
const heartbeat = ": ping\n\n"

/** Answers conversations: with a completion, or with the stream of its chunks. */
export class ChatCompletions extends Effect.Service<ChatCompletions>()("gateway/chat/ChatCompletions", {
  effect: Effect.gen(function* () {
    const models = yield* Dispatch
    const seals = yield* ReasoningSignatures
    const runtime = yield* Effect.runtime()

    /** With the reasoning that the gateway kept for clients that do not send it back, where its model may want it. */
    const create = (
      caller: Caller,
      payload: CreateCompletion,
      request: Incoming
    ): Future<ChatCompletion | Response, Failure> => {
      const calls = unsealedCalls(payload.messages)
      if (calls.length === 0 || !models.translates(payload.model, "chat")) return answer(caller, payload, request)
      return runFuture(runtime, seals.find(caller.account, calls)).flatMap((kept) =>
        answer(caller, payload, request, kept)
      )
    }

    /** A large request is made into items in a turn of its own, and the rest follows in another. */
    const inTurns = <A, E>({ isLarge }: Incoming, conversation: Conversation, work: () => Future<A, E>): Future<A, E> =>
      isLarge === true
        ? afterTurn(runtime, isLarge, () => Future.succeed(conversation.items)).flatMap(() =>
            afterTurn(runtime, isLarge, work)
          )
        : work()

    const answer = (
      caller: Caller,
      payload: CreateCompletion,
      request: Incoming,
      kept?: KeptSeals
    ): Future<ChatCompletion | Response, Failure> => {
      const { conversation, ...judged } = understand(payload, request.body, kept)
      const stream = payload.stream ?? false
      const head = headOf(payload)
      const isLegacy = (payload.functions ?? []).length > 0
      const count = payload.n ?? 1
      const asked = payload.messages.at(-1)
      const keep = (message: AnswerMessage) => keepSeals(caller.account, message, asked)
      const join = (generations: ReadonlyArray<Generation>) => joined(generations, { head, isLegacy, stream, keep })
      const begun = inTurns(request, conversation, () =>
        models.generate(caller, conversation, request, {
          stream,
          passthrough: passthroughOf(payload, request),
          ...judged,
          unsupported: () => unsupported(payload, request.body),
          several: count === 1 ? undefined : { count, join }
        })
      )
      const encoder = () => machine({ head, index: 0, isWhole: true, isLegacy })
      const commit = (state: State) => keep(messageOf(state))
      if (!stream) {
        return begun.flatMap((generation): Future<ChatCompletion | Response, Failure> =>
          generation.passthrough === true
            ? fold({ generation, machine: passthroughMachineOf }).map(({ terminal }) => jsonResponse(terminal, request))
            : fold({ generation, machine: encoder(), commit }).map((state) =>
                completionOf(head, [choiceOf(state, 0)], state.usage)
              )
        )
      }
      const opened = begun.flatMap((generation) =>
        generation.passthrough === true
          ? streamed({ generation, machine: passthroughMachineOf, heartbeat, request })
          : streamed({ generation, machine: encoder(), commit, heartbeat, request })
      )
      return holdResponse(opened, { request, failed: failedStream(encoder) })
    }

    /** Keeps the sealed reasoning behind an answer's calls. Who sends it back does without, so it fails for nobody. */
    const keepSeals = (
      account: AccountId,
      answer: AnswerMessage,
      asked: InputMessage | undefined
    ): Promise<void> | undefined => {
      const name = sealName(answer, asked)
      if (name === undefined || answer.reasoning_details === undefined) return undefined
      return seals.save(account, name, answer.reasoning_details).catch(() => {})
    }

    return { create } as const
  })
}) {}

const headOf = (payload: CreateCompletion): Head => ({
  id: `chatcmpl-${randomHex()}`,
  created: Math.floor(Date.now() / 1_000),
  model: payload.model,
  includeUsage: payload.stream_options?.include_usage ?? false
})
