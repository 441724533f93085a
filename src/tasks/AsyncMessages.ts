import { Clock, Effect } from "effect"
import type { Caller } from "../contract/Caller.ts"
import type { Conflict } from "../contract/Failure.ts"
import type { Incoming } from "../contract/handlers.ts"
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
  effect: Effect.gen(function* () {
    const store = yield* TaskStore

    /** Stores a request that was found valid; it is durable when the handle is there. */
    const accept = (caller: Caller, model: string, request: Incoming): Effect.Effect<Handle, Conflict> =>
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
          model,
          lane: messageLane(model),
          details: {},
          request: storedRequest(caller, request),
          createdAtMs
        }
        yield* Effect.catchTag(store.insert(task, request.once?.keep(handle)), "SqlError", Effect.die)
        return handle
      })

    return { accept } as const
  })
}) {}

/** Begins with the time, so that new rows stand beside each other in the index; 122 random bits are nobody's guess. */
const newId = (nowMs: number) => `task_${nowMs.toString(36)}${crypto.randomUUID().replaceAll("-", "")}`
