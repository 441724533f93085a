import { Effect } from "effect"
import type { Caller } from "../contract/Caller.ts"
import * as Eager from "../contract/eager.ts"
import { InvalidRequest } from "../contract/Failure.ts"
import type { Failure } from "../contract/Failure.ts"
import type { Incoming } from "../contract/handlers.ts"
import { answering, folded } from "../generation/answer.ts"
import { failedStream, patient } from "../generation/patient.ts"
import { streamed } from "../generation/streamed.ts"
import { jsonResponse } from "../generation/native.ts"
import type { Models } from "../models/Models.ts"
import { begun } from "./begun.ts"
import { beyond } from "./beyond.ts"
import type { CreateResponse } from "./CreateResponse.ts"
import { decode, inputItems } from "./decode.ts"
import type { Decoded, Replay } from "./decode.ts"
import { machine } from "./encode.ts"
import type { Encoding, State } from "./encoding.ts"
import { newResponseId, outputItemId } from "./ids.ts"
import { passing } from "./native.ts"
import type { ResponseObject } from "./ResponseObject.ts"
import type { ResponseStore } from "./ResponseStore.ts"

/** A comment, which every client library skips. */
const heartbeat = ": ping\n\n"

interface Services {
  readonly models: Models
  readonly store: ResponseStore
}

/** A request as its handler gets it. */
interface Create {
  readonly caller: Caller
  readonly payload: CreateResponse
  readonly request: Incoming
}

/** Answers a request: with its response, or with the stream of its frames. */
export const createResponse =
  (services: Services) =>
  ({ caller, payload, request }: Create): Effect.Effect<ResponseObject | Response, Failure> =>
    Eager.flatMap(replayFor(services.store, caller, payload), (replay) => {
      const decoded = decode(payload, replay)
      if (decoded instanceof InvalidRequest) return Effect.fail(decoded)
      const stream = payload.stream ?? false
      const encoding = encodingOf(payload, decoded)
      const pass = passing(payload, replay, request, encoding.response)
      const encoder = machine(encoding)
      const answer = answering(
        services.models.generate(caller, decoded.conversation, request, {
          stream,
          native: pass.native,
          beyond: () => beyond(payload, request.body)
        }),
        (generation): Effect.Effect<ResponseObject | Response, Failure> => {
          const keep = keeper(services, caller, encoding, replay)
          if (generation.native === true) {
            const { machine, output, response } = pass
            const options = { generation, machine, ...keep(() => ({ output: output(), response: response() })) }
            return stream
              ? streamed({ ...options, heartbeat, request })
              : Eager.map(folded(options), ({ terminal }) => jsonResponse(terminal, request))
          }
          const options = { generation, machine: encoder, ...keep((state: State) => state) }
          return stream
            ? streamed({ ...options, heartbeat, request })
            : Eager.map(folded(options), ({ response }) => response)
        }
      )
      if (!stream) return answer
      const opened = Eager.map(answer, (answered) =>
        answered instanceof Response ? answered : Response.json(answered)
      )
      return patient(opened, { request, heartbeat, failed: failedStream(encoder) })
    })

/** What the store adds to a request: most need nothing of it. */
export const replayFor = (
  store: ResponseStore,
  caller: Caller,
  payload: Pick<CreateResponse, "previous_response_id" | "input">
): Effect.Effect<Replay, Failure> => {
  const own = inputItems(payload.input)
  const previous = payload.previous_response_id ?? undefined
  if (previous === undefined && !own.some((item) => item.type === "item_reference")) {
    return Effect.succeed({ history: [], input: own })
  }
  const history = previous === undefined ? Effect.succeed([]) : store.history(caller.account, previous)
  return Effect.flatMap(history, (history) =>
    Effect.map(store.resolve(caller.account, own), (input) => ({ history, input }))
  )
}

const encodingOf = (payload: CreateResponse, decoded: Decoded): Encoding => {
  const id = newResponseId()
  const include = payload.include ?? []
  const now = () => Math.floor(Date.now() / 1_000)
  return {
    response: begun(payload, decoded, { id, createdAt: now() }),
    itemId: (prefix, index) => outputItemId(id, prefix, index),
    now,
    include: {
      searchSources: include.includes("web_search_call.action.sources"),
      encryptedReasoning: payload.store === false || include.includes("reasoning.encrypted_content")
    },
    namespaced: decoded.toolbox.namespaced
  }
}

/** Stores what has ended: before the last frame leaves where it ended well, so that it can be continued at once. */
const keeper =
  ({ store }: Services, caller: Caller, encoding: Encoding, replay: Replay) =>
  <S>(made: (state: S) => Pick<State, "output" | "response">) => {
    if (!encoding.response.store) return {}
    const save = ({ output, response }: Pick<State, "output" | "response">) =>
      store.save(caller.account, { response, output, input: replay.input, include: encoding.include })
    return {
      commit: (state: S) => save(made(state)),
      ended: (state: S, how: "finished" | "failed" | "hang-up") => {
        const end = made(state)
        // Its client has seen an id. Where it can't be written it is unknown, which is true enough.
        if (how === "failed" && end.response.status === "failed") void save(end)
      }
    }
  }
