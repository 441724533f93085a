import { Clock, Effect } from "effect"
import type { Caller } from "../contract/Caller.ts"
import type { Incoming } from "../contract/handlers.ts"
import { messageKindName, messageLane } from "./MessageKind.ts"
import { storedRequest } from "./StoredRequest.ts"
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
    const accept = (caller: Caller, model: string, request: Incoming): Effect.Effect<Handle> =>
      Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
        store.insert({
          id: newId(nowMs),
          kind: messageKindName,
          account: caller.account,
          key: caller.key,
          model,
          lane: messageLane(model),
          details: {},
          request: storedRequest(caller, request),
          createdAtMs: nowMs
        })
      ).pipe(
        Effect.orDie,
        Effect.map((task): Handle => ({
          id: task.id,
          object: "task",
          status: "pending",
          created_at: Math.floor(task.createdAtMs / 1_000)
        }))
      )

    return { accept } as const
  })
}) {}

/** Begins with the time, so that new rows stand beside each other in the index; 122 random bits are nobody's guess. */
const newId = (nowMs: number) => `task_${nowMs.toString(36)}${crypto.randomUUID().replaceAll("-", "")}`
