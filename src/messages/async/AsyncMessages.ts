import { Clock, Effect } from "effect"
import { limitedAs } from "../../catalogue/Catalogue.ts"
import type { Failure } from "../../contract/failures/Failure.ts"
import type { Incoming } from "../../contract/handlers.ts"
import { randomHex } from "../../contract/text/randomHex.ts"
import { recordedAt } from "../../contract/records/Trace.ts"
import { Ledger } from "../../ledger/Ledger.ts"
import { routingHeaders } from "../../dispatch/routingHeaders.ts"
import { holdOf } from "../../dispatch/holdOf.ts"
import { Pipeline } from "../../pipeline/Pipeline.ts"
import type { TextInput } from "../../pipeline/TextFamily.ts"
import { makeMessageFamily } from "../messageFamily.ts"
import type { CreateMessage } from "../Request.ts"
import { unthreadable } from "../threads/failures.ts"
import { isThreaded } from "../threads/Threads.ts"
import { serversOf } from "../mcp/serversOf.ts"
import { messageKindName, messageLane } from "./MessageKind.ts"
import { storedRequest } from "../../tasks/StoredRequest.ts"
import type { NewTask } from "../../tasks/Task.ts"
import { journaled } from "../../tasks/journal/journalOf.ts"
import { orStoreFailure } from "../../tasks/StoreFailure.ts"
import { TaskStore } from "../../tasks/TaskStore.ts"

/** The answer to an async message request (docs/api.md#async-messages). */
export interface Handle {
  readonly id: string
  readonly object: "task"
  readonly status: "pending"
  readonly created_at: number
}

/** True if the message is fetched later. A stream never is (docs/api.md#async-messages). */
export const isAsync = ({ async, stream }: CreateMessage): boolean => async === true && stream !== true

/** Headers that change the meaning of a body. */
const kept = ["anthropic-version", "anthropic-beta", "user-agent", ...routingHeaders]

/** Accepts message requests whose answer is fetched later. */
export class AsyncMessages extends Effect.Service<AsyncMessages>()("gateway/messages/async/AsyncMessages", {
  effect: Effect.gen(function* () {
    const pipeline = yield* Pipeline
    const quoteOf = pipeline.quote(yield* makeMessageFamily, "task")
    const store = yield* TaskStore
    const ledger = yield* Ledger

    /**
     * Stores a request with its hold, durably before the handle is returned. All checks happen here, so only a failed
     * generation becomes a failed task.
     */
    const accept = Effect.fnUntraced(function* (input: TextInput<CreateMessage>): Effect.fn.Return<Handle, Failure> {
      const { caller, payload, request } = input
      if (isThreaded(payload)) return yield* unthreadable("async", "an async message has none")
      const quote = yield* quoteOf(input)
      const { model } = quote
      const createdAtMs = yield* Clock.currentTimeMillis
      const id = newId(createdAtMs)
      const hold = holdOf({ id, caller, requestId: request.id }, quote, request.record)
      const created_at = Math.floor(createdAtMs / 1_000)
      const handle: Handle = { id, object: "task", status: "pending", created_at }
      const newTask = (): NewTask => ({
        id,
        kind: messageKindName,
        account: caller.account,
        key: caller.key,
        model: model.id,
        lane: messageLane(limitedAs(model)),
        details: journaled(callsServers(payload, request)),
        requestId: request.id,
        trace: recordedAt(request.trace),
        request: storedRequest(caller, { ...request, body: withoutAsync(request.body) }, kept, hold),
        createdAtMs
      })
      const answered = request.once?.keep(handle) ?? Effect.void
      yield* ledger
        .holding(hold, (row) => store.insert(newTask(), orStoreFailure(Effect.zipRight(answered, row))))
        .pipe(Effect.catchTag("StoreFailure", Effect.die))
      request.record?.creates(id, hold.offers.all[0])
      return handle
    })

    return { accept } as const
  })
}) {}

const callsServers = (payload: CreateMessage, { body, headers }: Incoming): boolean =>
  serversOf(payload, body, headers.get("anthropic-beta") ?? "") !== undefined

/** Begins with the time, so that new rows are neighbours in the index. The 122 random bits cannot be guessed. */
const newId = (nowMs: number) => `task_${nowMs.toString(36)}${randomHex()}`

/** The body of the synchronous request. */
const withoutAsync = (body: unknown): unknown =>
  typeof body === "object" && body !== null
    ? Object.fromEntries(Object.entries(body).filter(([name]) => name !== "async"))
    : body
