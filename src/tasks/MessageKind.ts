import { Context, Effect } from "effect"
import type { Caller } from "../contract/Caller.ts"
import { isJsonObject as isObject } from "../contract/fields.ts"
import type { Incoming } from "../contract/handlers.ts"
import { Ledger } from "../ledger/Ledger.ts"
import type { TaskRecord } from "./Api.ts"
import { decodeStored, incoming } from "./StoredRequest.ts"
import { isTerminal } from "./Task.ts"
import type { Task, TaskError, TaskState } from "./Task.ts"
import type { TaskKind } from "./TaskKind.ts"

/**
 * Runs one message request to its message object, by the code of the synchronous path; a failure comes with the type that
 * path would have answered. The messages family provides it.
 */
export class MessageWork extends Context.Tag("gateway/tasks/MessageWork")<
  MessageWork,
  (
    caller: Caller,
    body: unknown,
    request: Incoming,
    charge: ReturnType<Ledger["chargeOf"]>
  ) => Effect.Effect<object, TaskError>
>() {}

export const messageKindName = "message"

/** Async messages of one model at a time. Each waits for its upstream in a fiber; the rest wait as rows. */
const parallel = 1_000

/** The lane of a model's async messages. */
export const messageLane = (model: string): string => `${messageKindName}:${model}`

/** Async messages: one turn is the whole generation; after a crash it starts again. */
export const makeMessageKind: Effect.Effect<TaskKind, never, MessageWork | Ledger> = Effect.gen(function* () {
  const work = yield* MessageWork
  const ledger = yield* Ledger
  return {
    name: messageKindName,
    parallel,
    run: (lease) =>
      Effect.gen(function* () {
        const stored = yield* Effect.flatMap(lease.request, decodeStored).pipe(
          Effect.catchTag("ParseError", Effect.die)
        )
        yield* lease.write({ state: "running" })
        return yield* Effect.match(work(stored.caller, stored.body, incoming(stored), ledger.chargeOf(lease.task.id)), {
          onSuccess: (result) => ({ patch: { state: "succeeded", result } as const, againInMs: 0 }),
          onFailure: (error) => ({ patch: { state: "failed", error } as const, againInMs: 0 })
        })
      }),
    record: messageRecord,
    changed: ({ id, state }) =>
      isTerminal(state) ? ledger.endHold(id, state === "succeeded" ? ledger.generatedBy(id) : undefined) : Effect.void,
    gaveUp: (reason) => ({ code: "internal_server_error", message: `Internal error: ${reason}` })
  }
})

const shown: Record<TaskState, TaskRecord["status"]> = {
  queued: "pending",
  running: "processing",
  succeeded: "success",
  failed: "failed",
  expired: "failed",
  cancelled: "failed"
}

/** The record of `GET /v1/tasks/{id}`. A message has one word for what went wrong, which is both type and code. */
export const messageRecord = (task: Task): TaskRecord => ({
  id: task.id,
  object: "task",
  status: shown[task.state],
  ...(isObject(task.result) ? { result: task.result } : {}),
  ...(task.error === null ? {} : { error: { type: task.error.code, ...task.error } }),
  created_at: Math.floor(task.createdAtMs / 1_000),
  ...(task.endedAtMs === null ? {} : { completed_at: Math.floor(task.endedAtMs / 1_000) })
})
