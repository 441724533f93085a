import { Effect, Runtime } from "effect"
import type { Ending } from "../pipeline/ending.ts"
import { jsonResponse } from "../pipeline/passthrough.ts"
import type { TextFamily } from "../pipeline/TextFamily.ts"
import { InvalidRequest } from "../contract/failures/Failure.ts"
import { programCodeOf } from "../contract/wire.ts"
import type { CreateResponse } from "./CreateResponse.ts"
import { unknownOf } from "./decode.ts"
import type { Replay } from "./decode.ts"
import { encodedOf } from "./encoding.ts"
import type { Encoded, State } from "./encoding.ts"
import type { PassingState } from "./passthrough.ts"
import { prepare } from "./prepare.ts"
import { Recent } from "./Recent.ts"
import { makeReplays } from "./replays.ts"
import type { ResponseObject } from "./ResponseObject.ts"
import { isAdded, ResponseStore } from "./store/ResponseStore.ts"
import { checkedBody, isWarmUp } from "./warmUp.ts"

type ResponseFamily = TextFamily<CreateResponse, Replay, State, PassingState, ResponseObject | Response>

/** Responses for `Pipeline`: stored at their end, and continued. */
export const makeResponseFamily = Effect.gen(function* () {
  const store = yield* ResponseStore
  const replays = yield* makeReplays
  const runtime = yield* Effect.runtime()
  const recent = new Recent()
  const run = Runtime.runPromise(runtime)

  const family: ResponseFamily = {
    dialect: "responses",
    // A comment, which every client library skips.
    heartbeat: ": ping\n\n",
    // Codex compacts the conversation when `response.failed` says `context_length_exceeded`; it gives up on a 400.
    isToldInStream: (failure) =>
      failure._tag === "InvalidRequest" &&
      (failure.reason === "too_long" || (failure.isInStream === true && programCodeOf(failure) !== undefined)),
    lookUp: ({ caller, payload, request }, routes, mode) => {
      // No look-up for a request that no route can answer.
      const unknown = routes.passes(payload.model, "responses")
        ? undefined
        : unknownOf.create(payload, checkedBody(request))
      if (unknown !== undefined) return Effect.fail(unknown)
      const recalled = recent.recall(request.connection, payload.previous_response_id)
      return replays.lookUp({ caller, payload, request }, mode, recalled)
    },
    understand: ({ caller, payload, request }, found) => {
      const prepared = prepare(payload, request, found)
      if (prepared instanceof InvalidRequest) return prepared
      const isDry = isWarmUp(request)
      if (isDry instanceof InvalidRequest) return isDry
      const { encoding, passing, replay, text } = prepared
      const { id, store: isStored } = encoding.response
      const first = replay.first ?? (isStored ? id : undefined)
      if (first !== undefined) request.record?.continues(first)
      const { conversation } = replay
      const held =
        conversation?.token === undefined ? undefined : { conversation: conversation.id, token: conversation.token }

      /** Stores an answer before its last frame is sent, so that it can be continued at once. */
      const keeping = <S>(made: (state: S) => Encoded): Ending<S> => {
        if (held === undefined && !isStored) {
          const { connection } = request
          if (connection === undefined) return {}
          return {
            ended: (state, how) => {
              if (how === "finished") recent.remember(connection, id, replay, made(state).output)
            }
          }
        }
        const save = ({ output, response }: Encoded): Promise<void> => {
          const ended = { response, output, input: replay.input, include: encoding.include }
          if (held !== undefined && isAdded(response)) return run(store.saveIn(caller, held, ended))
          return isStored ? store.save(caller, ended) : unsaved
        }
        let saved: Promise<void> | undefined
        // The client has seen the id. If the write fails, the id stays unknown.
        const keepFailed = (state: S) => {
          const failed = made(state)
          return failed.response.status === "failed" ? (saved ??= save(failed)) : undefined
        }
        return {
          keep: (state) => save(made(state)),
          keepFailed,
          ended: (state, how) => {
            if (how === "failed") void keepFailed(state)
          }
        }
      }

      return {
        ...text,
        isDry,
        isStored,
        translated: () => ({
          machine: prepared.machine,
          answer: ({ response }) => response,
          ...keeping(encodedOf)
        }),
        passed: () => ({
          machine: passing.machine,
          answer: ({ terminal }) => jsonResponse(terminal, request),
          ...keeping(() => ({ output: passing.output(), response: passing.response() }))
        })
      }
    },
    // An unstored response can't be continued once its continuation has failed.
    release: ({ payload, request }, found, how) => {
      const { id, token } = found?.conversation ?? {}
      if (id !== undefined && token !== undefined) void run(store.conversations.release(id, token))
      if (how !== "finished") recent.forget(request.connection, payload.previous_response_id)
    }
  }
  return family
})

const unsaved = Promise.resolve()
