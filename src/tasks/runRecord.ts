import type { Attempt } from "../contract/records/Attempt.ts"
import { isFailedCall } from "../contract/records/CallOutcome.ts"
import { RequestRecord } from "../contract/records/RequestRecord.ts"
import type { TaskCallLog } from "../telemetry/TaskCallLog.ts"
import type { Task } from "./Task.ts"

/** The record of one run of a text task, whose calls are stored when the run ends. */
export interface RunRecord {
  readonly record: RequestRecord
  readonly ended: () => void
}

/** @param path of the endpoint that the run answers for */
export const runRecord = (log: TaskCallLog, task: Task, path: string): RunRecord => {
  const { account, id, key, kind, model } = task
  const requestId = task.requestId ?? ""
  const record = new RequestRecord(
    { requestId, method: "POST", path },
    { family: kind, endpoint: path },
    performance.now(),
    () => {}
  )
  const callOf = (attempt: Attempt) => ({
    ...attempt,
    kind: "text" as const,
    task: id,
    requestId,
    asked: model,
    account,
    keyId: key,
    atMs: record.atMs + attempt.offsetMs,
    isHidden: isFailedCall(attempt.outcome) && record.attempts.at(-1)?.outcome === "answered",
    isRead: false
  })
  return { record, ended: () => record.attempts.map(callOf).forEach(log.append) }
}
