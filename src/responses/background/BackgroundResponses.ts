import { Clock, Effect, Runtime } from "effect"
import type { AccountId, Caller, Holder } from "../../contract/callers/Caller.ts"
import { InvalidRequest } from "../../contract/failures/Failure.ts"
import type { Failure, NotFound } from "../../contract/failures/Failure.ts"
import type { Incoming } from "../../contract/handlers.ts"
import { recordedAt } from "../../contract/records/Trace.ts"
import type { TextInput } from "../../pipeline/TextFamily.ts"
import { Pipeline } from "../../pipeline/Pipeline.ts"
import { eventStream } from "../../pipeline/streamResponse.ts"
import { InlineFiles } from "../../storedFiles/InlineFiles.ts"
import { Ledger } from "../../ledger/Ledger.ts"
import { routingHeaders } from "../../dispatch/routingHeaders.ts"
import { holdOf } from "../../dispatch/holdOf.ts"
import { limitedAs } from "../../catalogue/Catalogue.ts"
import { Dispatch } from "../../dispatch/Dispatch.ts"
import { Cancellation } from "../../tasks/Cancellation.ts"
import { journaled } from "../../tasks/journal/journalOf.ts"
import { storedRequest } from "../../tasks/StoredRequest.ts"
import type { NewTask } from "../../tasks/Task.ts"
import { orStoreFailure } from "../../tasks/StoreFailure.ts"
import { TaskStore } from "../../tasks/TaskStore.ts"
import type { CreateResponse } from "../CreateResponse.ts"
import { unknownOf } from "../decode.ts"
import type { Replay } from "../decode.ts"
import { prepare } from "../prepare.ts"
import { includeOf, read, whole } from "../read.ts"
import type { ReadParams } from "../read.ts"
import { makeReplays } from "../replays.ts"
import type { ResponseObject } from "../ResponseObject.ts"
import { ResponseEvents } from "../store/ResponseEvents.ts"
import { ResponseStore } from "../store/ResponseStore.ts"
import { isLast } from "./ending.ts"
import { isOver, lastOfLifecycle, lifecycle } from "./lifecycle.ts"
import { Reading } from "./Reading.ts"
import type { Source } from "./Reading.ts"
import { replayEvents } from "./replayEvents.ts"
import { detailsOf, responseKindName, responseLane } from "./ResponseKind.ts"

/** Headers that change the meaning of a body. */
const kept = ["openai-beta", "user-agent", "x-gateway-strict", ...routingHeaders]

/** True if the response is made in the background. */
export const isBackground = ({ background }: CreateResponse): boolean => background === true

/** Background responses: accepted, read, cancelled, removed. */
export class BackgroundResponses extends Effect.Service<BackgroundResponses>()(
  "gateway/responses/background/BackgroundResponses",
  {
    dependencies: [Cancellation.Default],
    effect: Effect.gen(function* () {
      const models = yield* Dispatch
      const pipeline = yield* Pipeline
      const ledger = yield* Ledger
      const store = yield* ResponseStore
      const replays = yield* makeReplays
      const files = yield* InlineFiles
      const events = yield* ResponseEvents
      const tasks = yield* TaskStore
      const cancellation = yield* Cancellation
      const runtime = yield* Effect.runtime()

      /**
       * Stores a request with its hold, durably before it is answered: with the queued response, or with its stream.
       * All checks that need no generation happen here.
       */
      const accept = Effect.fnUntraced(function* (
        caller: Caller,
        payload: CreateResponse,
        request: Incoming
      ): Effect.fn.Return<ResponseObject | Response, Failure> {
        if (request.connection !== undefined) return yield* overSocket
        if (payload.store === false) return yield* unstored
        const unknown = models.passes(payload.model, "responses") ? undefined : unknownOf.create(payload, request.body)
        if (unknown !== undefined) return yield* unknown
        const input = { caller, payload, request }
        // Counted and held with the bytes of its files, and stored with their ids.
        const inlined = yield* files.put(input) ?? Effect.succeed(input)
        const replay = yield* replays.find(inlined, "take")
        return yield* Effect.onError(acceptIn(inlined, request, replay), () => releaseOf(replay))
      })

      const releaseOf = ({ conversation }: Replay): Effect.Effect<void> =>
        conversation?.token === undefined
          ? Effect.void
          : store.conversations.release(conversation.id, conversation.token)

      const acceptIn = Effect.fnUntraced(function* (
        { caller, payload, request: inlined }: TextInput<CreateResponse>,
        request: Incoming,
        replay: Replay
      ): Effect.fn.Return<ResponseObject | Response, Failure> {
        const prepared = prepare(payload, inlined, replay)
        if (prepared instanceof InvalidRequest) return yield* prepared
        const { encoding, text } = prepared
        const { conversation, mayReachWeb, objection, servers } = text
        const isHere =
          servers !== undefined && (yield* pipeline.runsServers("responses", { asked: servers, caller, request }, text))
        const quote = yield* models.quote(caller, conversation, {
          family: isHere || pipeline.isGuarded(caller, conversation.model) ? undefined : "responses",
          hasServers: servers !== undefined && !isHere,
          objection,
          mayReachWeb,
          headers: request.headers
        })
        const { model } = quote
        const response: ResponseObject = { ...encoding.response, status: "queued" }
        const { id } = response
        const isStreamed = payload.stream === true
        const createdAtMs = yield* Clock.currentTimeMillis
        const hold = holdOf({ id, caller, requestId: request.id }, quote, request.record)
        const newTask = (): NewTask => ({
          id,
          kind: responseKindName,
          account: caller.account,
          key: caller.key,
          model: model.id,
          lane: responseLane(limitedAs(model)),
          details: { ...detailsOf(isStreamed), ...journaled(isHere) },
          requestId: request.id,
          trace: recordedAt(request.trace),
          request: storedRequest(caller, request, kept, hold),
          createdAtMs
        })
        // The body of a stream is stored once it has ended.
        const answered = isStreamed ? Effect.void : (request.once?.keep(response) ?? Effect.void)
        const begun = { response, output: [], input: replay.input, include: encoding.include }
        const { id: within, token } = replay.conversation ?? {}
        const passedOn =
          within === undefined || token === undefined ? Effect.void : store.conversations.passOn(within, token, id)
        yield* ledger
          .holding(hold, (row) =>
            tasks.insert(
              newTask(),
              orStoreFailure(
                answered.pipe(
                  Effect.zipRight(row),
                  Effect.zipRight(store.queued(caller, begun)),
                  Effect.zipRight(passedOn)
                )
              ),
              isStreamed ? orStoreFailure(events.append(id, lifecycle(response))) : Effect.void
            )
          )
          .pipe(Effect.catchTag("StoreFailure", Effect.die))
        request.record?.creates(id, hold.offers.all[0])
        request.record?.continues(replay.first ?? id)
        return isStreamed ? streamOf(caller, id, {}, request) : response
      })

      /** Streams the stored events after a number until the response ends, however long that takes. */
      const streamOf = (holder: Holder, id: string, params: ReadParams, request: Incoming): Response => {
        const source: Source = {
          after: (number) => Runtime.runPromise(runtime)(after(holder, id, number, params)),
          listen: (wake) => events.listen(id, wake)
        }
        return eventStream(new Reading(source, params.starting_after ?? -1, request), request)
      }

      const after = Effect.fnUntraced(
        function* (holder: Holder, id: string, number: number, params: ReadParams) {
          const frames = yield* events.after(id, number)
          if (frames.length > 0) return { frames, isOver: frames.some(isLast) }
          const status = yield* store.statusOf(holder, id)
          // It was deleted.
          if (status === undefined) return { frames, isOver: true }
          const isWhole = isOver({ status })
          const isKept = (yield* events.last(id)) !== undefined
          // The last events are stored in the same transaction as the end.
          if (isKept)
            return isWhole ? { frames: yield* events.after(id, number), isOver: true } : { frames, isOver: false }
          if (!isWhole && number >= (status === "queued" ? lastOfLifecycle - 1 : lastOfLifecycle)) {
            return { frames, isOver: false }
          }
          const stored = yield* store.find(holder, id)
          const all = replayEvents(stored, includeOf(stored, params))
          return {
            frames: all.filter(({ sequence_number }) => sequence_number > number),
            isOver: isOver(stored.response)
          }
        },
        Effect.catchTag("NotFound", () => Effect.succeed({ frames: [], isOver: true })),
        Effect.orDie
      )

      /** A stored response, or its stream. */
      const find = (
        holder: Holder,
        id: string,
        params: ReadParams,
        request: Incoming
      ): Effect.Effect<ResponseObject | Response, NotFound> =>
        Effect.map(store.find(holder, id), (stored) =>
          stored.response.background && params.stream === "true"
            ? streamOf(holder, id, params, request)
            : read(stored, params)
        )

      /** Cancels a response. An ended one does not change. */
      const cancel = Effect.fnUntraced(function* (
        holder: Holder,
        id: string
      ): Effect.fn.Return<ResponseObject, Failure> {
        const { response } = yield* store.find(holder, id)
        if (!response.background) return yield* notInBackground
        if (!isOver(response)) yield* stop(holder.account, id)
        const stored = yield* store.find(holder, id)
        return whole(stored, {})
      })

      const stop = (account: AccountId, id: string) => Effect.orDie(cancellation.cancel(account, responseKindName, id))

      /** Deletes a response, after cancelling it if it still runs. */
      const remove = Effect.fnUntraced(function* (holder: Holder, id: string) {
        const { response } = yield* store.find(holder, id)
        if (response.background) yield* stop(holder.account, id)
        yield* store.remove(holder, id)
        if (response.background) yield* Effect.orDie(tasks.remove(holder.account, responseKindName, id))
        return { id, object: "response" as const, deleted: true as const }
      })

      return { accept, find, cancel, remove } as const
    })
  }
) {}

const unstored = new InvalidRequest({
  param: "store",
  message: "store: expected true with background: true, because a background response is read by its id"
})

const overSocket = new InvalidRequest({
  param: "background",
  message: "background: true is not served over a WebSocket; ask for it by POST"
})

const notInBackground = new InvalidRequest({
  param: null,
  message: "Only a response that runs in the background can be cancelled; this one has ended."
})
