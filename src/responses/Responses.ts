import { Effect } from "effect"
import type { AccountId, Caller } from "../contract/Caller.ts"
import { InvalidRequest } from "../contract/Failure.ts"
import type { Failure } from "../contract/Failure.ts"
import type { Incoming } from "../contract/handlers.ts"
import { afterTurn } from "../flow/afterTurn.ts"
import { runFuture } from "../flow/runFuture.ts"
import { Future, Failed } from "../flow/Future.ts"
import { fold } from "../pipeline/fold.ts"
import type { Ending } from "../pipeline/ending.ts"
import { failedStream, holdResponse } from "../pipeline/holdResponse.ts"
import { nothingGenerated } from "../pipeline/nothingGenerated.ts"
import { streamed } from "../pipeline/streamed.ts"
import { jsonResponse } from "../pipeline/passthrough.ts"
import type { Generation } from "../generation/Generation.ts"
import { countTokens } from "../tokens/tokens.ts"
import { Dispatch } from "../dispatch/Dispatch.ts"
import type { CountInputTokens, CreateResponse } from "./CreateResponse.ts"
import { understand, unknownOf } from "./decode.ts"
import type { Replay } from "./decode.ts"
import { machine } from "./encode.ts"
import { madeOf } from "./encoding.ts"
import type { Encoding, Made } from "./encoding.ts"
import { generating, prepare } from "./generating.ts"
import type { Prepared } from "./generating.ts"
import { inputPage } from "./read.ts"
import type { PageParams } from "./read.ts"
import { Recent } from "./Recent.ts"
import { replayFor } from "./replayFor.ts"
import type { ResponseObject } from "./ResponseObject.ts"
import { ResponseStore } from "./store/ResponseStore.ts"
import { isWarmUp } from "./warmUp.ts"

/** A comment, which every client library skips. */
const heartbeat = ": ping\n\n"

interface Continued {
  readonly replay: Replay
  /** Has a response that is not stored forgotten where its continuation fails. */
  readonly forgetting: <A>(work: Future<A, Failure>) => Future<A, Failure>
}

/** Responses as their account sees them: made, read back, continued. */
export class Responses extends Effect.Service<Responses>()("gateway/responses/Responses", {
  effect: Effect.gen(function* () {
    const models = yield* Dispatch
    const store = yield* ResponseStore
    const runtime = yield* Effect.runtime()
    const recent = new Recent()

    /** Answers a request: with its response, or with the stream of its frames. */
    const create = (
      caller: Caller,
      payload: CreateResponse,
      request: Incoming
    ): Future<ResponseObject | Response, Failure> => {
      const refused = unknownHere(payload.model, unknownOf.create(payload, request.body))
      if (refused !== undefined) return Future.fail(refused)
      const previous = payload.previous_response_id
      const recalled = recent.recall(request.connection, previous)
      const forgetting = <A>(work: Future<A, Failure>): Future<A, Failure> => {
        if (recalled !== undefined) {
          work.onDone((end) => {
            if (end instanceof Failed) recent.forget(request.connection, previous)
          })
        }
        return work
      }
      return forgetting(
        runFuture(runtime, replayFor(store, caller.account, payload, recalled)).flatMap((replay) =>
          answer(caller, payload, request, { replay, forgetting })
        )
      )
    }

    /** Nothing is looked up for a request that nobody could answer. */
    const unknownHere = (model: string, unknown: InvalidRequest | undefined) =>
      unknown === undefined || models.passes(model, "responses") ? undefined : unknown

    const answer = (
      caller: Caller,
      payload: CreateResponse,
      request: Incoming,
      { forgetting, replay }: Continued
    ): Future<ResponseObject | Response, Failure> => {
      const prepared = prepare(payload, request, replay)
      if (prepared instanceof InvalidRequest) return Future.fail(prepared)
      const stream = payload.stream ?? false
      const { encoding, pass } = prepared
      const warmsUp = isWarmUp(request)
      if (warmsUp instanceof InvalidRequest) return Future.fail(warmsUp)
      const encoder = () => machine(encoding)
      const answer = afterTurn(runtime, request.isLarge, () =>
        warmsUp ? warmedUp(caller, prepared) : generating(models, caller, prepared, { stream })
      ).flatMap((generation): Future<ResponseObject | Response, Failure> => {
        const keep = keeper(caller.account, encoding, replay, request.connection)
        if (generation.passthrough === true) {
          const { machine, output, response } = pass
          const options = { generation, machine, ...keep(() => ({ output: output(), response: response() })) }
          return stream
            ? streamed({ ...options, heartbeat, request })
            : fold(options).map(({ terminal }) => jsonResponse(terminal, request))
        }
        const options = { generation, machine: encoder(), ...keep(madeOf) }
        return stream ? streamed({ ...options, heartbeat, request }) : fold(options).map(({ response }) => response)
      })
      if (!stream) return answer
      // Once its 200 has left, the held answer no longer fails.
      const opened = forgetting(answer).map((answered) =>
        answered instanceof Response ? answered : Response.json(answered)
      )
      return holdResponse(opened, { request, failed: failedStream(encoder) })
    }

    /** A request that generates nothing is refused what it would be refused. */
    const warmedUp = (caller: Caller, { understood }: Prepared): Future<Generation, Failure> => {
      const { conversation, mayReachWeb, objection } = understood
      const asked = { family: "responses" as const, mayReachWeb, objection }
      return runFuture(runtime, Effect.map(models.quote(caller, conversation, asked), nothingGenerated))
    }

    /** Stores what has ended: before the last frame leaves where it ended well, so that it can be continued at once. */
    const keeper =
      (account: AccountId, encoding: Encoding, replay: Replay, connection: object | undefined) =>
      <S>(made: (state: S) => Made): Ending<S> => {
        const { id, previous_response_id, store: isStored } = encoding.response
        if (!isStored) {
          if (connection === undefined) return {}
          return {
            ended: (state, how) =>
              how === "finished"
                ? recent.remember(connection, id, replay, made(state).output)
                : recent.forget(connection, previous_response_id)
          }
        }
        const save = ({ output, response }: Made) =>
          store.save(account, { response, output, input: replay.input, include: encoding.include })
        // Its client has seen an id. Where it can't be written it is unknown, which is true enough.
        let failure: Promise<void> | undefined
        const keepFailed = (state: S) => {
          const end = made(state)
          return end.response.status === "failed" ? (failure ??= save(end)) : undefined
        }
        return {
          keep: (state: S) => save(made(state)),
          keepFailed,
          ended: (state: S, how: "finished" | "failed" | "hang-up") => {
            if (how === "failed") void keepFailed(state)
          }
        }
      }

    /** One page of a stored response's own input. */
    const inputItems = (account: AccountId, id: string, params: PageParams) =>
      Effect.flatMap(store.find(account, id), (stored) => {
        const page = inputPage(stored, params)
        return page instanceof InvalidRequest ? Effect.fail(page) : Effect.succeed(page)
      })

    /** About how many input tokens a request has, with the conversation that it continues. */
    const inputTokens = Effect.fnUntraced(function* (account: AccountId, payload: CountInputTokens, body: unknown) {
      const refused = unknownHere(payload.model, unknownOf.count(payload, body))
      if (refused !== undefined) return yield* refused
      const decoded = understand(payload, body, yield* replayFor(store, account, payload), "count")
      if (decoded instanceof InvalidRequest) return yield* decoded
      yield* models.find(payload.model, "text")
      const objection = models.passes(payload.model, "responses") ? undefined : decoded.objection()
      if (objection !== undefined) return yield* objection
      return { object: "response.input_tokens" as const, input_tokens: countTokens(decoded.conversation) }
    })

    return { create, inputItems, inputTokens } as const
  })
}) {}
