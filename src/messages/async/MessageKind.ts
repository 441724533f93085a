import { Effect } from "effect"
import { isJsonObject as isObject } from "../../contract/fields.ts"
import type { Failure } from "../../contract/failures/Failure.ts"
import { parseJson } from "../../contract/json/json.ts"
import { Ledger } from "../../ledger/Ledger.ts"
import { errorBody } from "../Errors.ts"
import { Pipeline } from "../../pipeline/Pipeline.ts"
import { makeMessageFamily } from "../messageFamily.ts"
import { CreateMessage } from "../Request.ts"
import type { Threads } from "../threads/Threads.ts"
import type { TaskRecord } from "./Api.ts"
import { openDecoder } from "../../contract/open.ts"
import { decodeStored, incomingOf, readable } from "../../tasks/StoredRequest.ts"
import { isTerminal } from "../../tasks/Task.ts"
import type { Task, TaskError, TaskState } from "../../tasks/Task.ts"
import type { TaskKind } from "../../tasks/TaskKind.ts"
import { journalOf, makeRemoveJournal } from "../../tasks/journal/journalOf.ts"
import { runRecord } from "../../tasks/runRecord.ts"
import { orStoreFailure } from "../../tasks/StoreFailure.ts"
import { ContentsLog } from "../../telemetry/ContentsLog.ts"
import { TaskCallLog } from "../../telemetry/TaskCallLog.ts"
import { waitOut } from "../../tasks/waitOut.ts"

export const messageKindName = "message"

const path = "/v1/messages"

/** The most async messages of one model at a time. Each takes a fiber; the others wait as rows. */
const parallel = 1_000

/** The lane of a model's async messages. */
export const messageLane = (model: string): string => `${messageKindName}:${model}`

/**
 * Async messages. One run is the whole generation; after a crash it starts again, behind the rounds of its journal if it
 * calls tools of servers.
 */
export const makeMessageKind: Effect.Effect<TaskKind, never, Pipeline | Threads | Ledger> = Effect.gen(function* () {
  const pipeline = yield* Pipeline
  const answer = pipeline.run(yield* makeMessageFamily)
  const ledger = yield* Ledger
  const calls = yield* TaskCallLog
  const contents = yield* ContentsLog
  const removeJournal = yield* makeRemoveJournal
  const ended = ({ id, state }: Task) => ledger.endHold(id, state === "succeeded" ? ledger.generatedBy(id) : undefined)
  return {
    name: messageKindName,
    parallel,
    run: Effect.fnUntraced(function* (lease) {
      const request = yield* Effect.flatMap(lease.request, decodeStored)
      // It was valid when it was accepted, so a failure here means that another version accepted it.
      const payload = yield* readable(decodeBody(request.body))
      yield* lease.write({ state: "running" })
      const { ended, record } = runRecord(calls, lease.task, path)
      const told = (body: object) =>
        contents.tell({ account: lease.task.account, record, trace: lease.trace }, () => ({
          request: request.body,
          answer: body
        }))
      const answered = answer(
        { caller: request.caller, payload, request: incomingOf(request, path, { record, trace: lease.trace }) },
        { charge: ledger.chargeOf(lease.task.id), routes: request.routes, journal: journalOf(lease) }
      )
      return yield* Effect.matchEffect(Effect.ensuring(Effect.flatMap(answered, messageOf), Effect.sync(ended)), {
        onSuccess: (result) => {
          told(result)
          return Effect.succeed({ patch: { state: "succeeded", result } as const, againInMs: 0 })
        },
        onFailure: (failure) => {
          told(errorBody(failure))
          return waitOut(lease.task, failure, { patch: { state: "failed", error: taskError(failure) }, againInMs: 0 })
        }
      })
    }),
    record: messageRecord,
    changed: (task) =>
      isTerminal(task.state)
        ? Effect.zipRight(orStoreFailure(removeJournal(task)), orStoreFailure(ended(task)))
        : Effect.succeed(0),
    gaveUp: (reason) => ({ code: "internal_server_error", message: `Internal error: ${reason}` })
  }
})

/** The message. A passthrough answer is text. */
const messageOf = (answer: object): Effect.Effect<object> =>
  answer instanceof Response ? Effect.promise(async () => objectIn(await answer.text())) : Effect.succeed(answer)

/** Parsed without losing digits of long integers. */
const objectIn = (text: string): object => {
  const message = parseJson(text)
  return isObject(message) ? message : {}
}

const decodeBody = openDecoder(CreateMessage)

/** The error that the synchronous endpoint would have answered with. */
const taskError = (failure: Failure): TaskError => {
  const { message, type } = errorBody(failure).error
  return { code: type, message }
}

const shown: Record<TaskState, TaskRecord["status"]> = {
  queued: "pending",
  running: "processing",
  succeeded: "success",
  failed: "failed",
  expired: "failed",
  cancelled: "failed"
}

/** The record of `GET /v1/tasks/{id}`. A message's error has one name, which is both type and code. */
export const messageRecord = (task: Task): TaskRecord => ({
  id: task.id,
  object: "task",
  status: shown[task.state],
  ...(isObject(task.result) ? { result: task.result } : {}),
  ...(task.error === null ? {} : { error: { type: task.error.code, ...task.error } }),
  created_at: Math.floor(task.createdAtMs / 1_000),
  ...(task.endedAtMs === null ? {} : { completed_at: Math.floor(task.endedAtMs / 1_000) })
})
