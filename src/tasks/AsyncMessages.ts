import { Clock, Effect } from "effect"
import type { Caller } from "../contract/Caller.ts"
import type { Conflict, InsufficientBalance, QuotaExceeded, RateLimited } from "../contract/Failure.ts"
import type { Incoming } from "../contract/handlers.ts"
import { Ledger } from "../ledger/Ledger.ts"
import type { Quote } from "../models/Models.ts"
import { messageKindName, messageLane } from "./MessageKind.ts"
import { storedRequest } from "./StoredRequest.ts"
import type { NewTask } from "./Task.ts"
import { TaskStore } from "./TaskStore.ts"

/** What an async message request is answered with (specification C7). */
export interface Handle {
  readonly id: string
  readonly object: "task"
  readonly status: "pending"
  readonly created_at: number
}

/** Accepts message requests whose answer is fetched later. */
export class AsyncMessages extends Effect.Service<AsyncMessages>()("gateway/tasks/AsyncMessages", {
  dependencies: [Ledger.Default],
  effect: Effect.gen(function* () {
    const store = yield* TaskStore
    const ledger = yield* Ledger

    /** Stores a request that was found valid, with what it may cost; it is durable when the handle is there. */
    const accept = (
      caller: Caller,
      { model, mostNanoUsd, price }: Quote,
      request: Incoming
    ): Effect.Effect<Handle, Conflict | InsufficientBalance | QuotaExceeded | RateLimited> =>
      Effect.gen(function* () {
        const createdAtMs = yield* Clock.currentTimeMillis
        const id = newId(createdAtMs)
        const created_at = Math.floor(createdAtMs / 1_000)
        const handle: Handle = { id, object: "task", status: "pending", created_at }
        const task: NewTask = {
          id,
          kind: messageKindName,
          account: caller.account,
          key: caller.key,
          model: model.id,
          lane: messageLane(model.id),
          details: {},
          request: storedRequest(caller, request),
          createdAtMs
        }
        const hold = {
          id,
          caller,
          requestId: request.id,
          model: model.id,
          upstream: model.routes[0]?.upstream ?? "",
          price,
          modelLimits: model.limits
        }
        const kept = request.once?.keep(handle) ?? Effect.void
        yield* ledger
          .holding(hold, mostNanoUsd, (row) => store.insert(task, Effect.zipRight(kept, row)))
          .pipe(Effect.catchTag("SqlError", Effect.die))
        return handle
      })

    return { accept } as const
  })
}) {}

/** Begins with the time, so that new rows stand beside each other in the index; 122 random bits are nobody's guess. */
const newId = (nowMs: number) => `task_${nowMs.toString(36)}${crypto.randomUUID().replaceAll("-", "")}`
