import { Effect, Either, Option } from "effect"
import { AccountId, KeyId } from "../../contract/callers/Caller.ts"
import { isJsonObject } from "../../contract/fields.ts"
import { parseJson } from "../../contract/json/json.ts"
import { isState } from "../Task.ts"
import type { Task, TaskError, TaskState } from "../Task.ts"
import type { TaskKind } from "../TaskKind.ts"
import { readableTasks, readTask } from "./TaskRow.ts"

/** The task of a row, for its owner. Of an unreadable row, it shows the readable fields and an error. */
export const foundTask = (
  rows: ReadonlyArray<unknown>,
  kind: TaskKind | undefined
): Effect.Effect<Option.Option<Task>> => {
  const [row] = rows
  if (row === undefined) return Effect.succeedNone
  const task = readTask(row)
  if (Either.isRight(task)) return Effect.succeedSome(task.right)
  const error = kind?.gaveUp(lost) ?? { code: "unreadable", message: lost }
  // Logs the damaged column.
  return Effect.as(readableTasks([row]), Option.fromNullable(outline(row, error)))
}

const lost = "the stored task can't be read"

/** A succeeded task without a readable result is shown as failed; others keep their state. */
const outline = (row: unknown, error: TaskError): Task | undefined => {
  if (!isJsonObject(row)) return undefined
  const text = (column: string) => {
    const value = row[column]
    return typeof value === "string" ? value : null
  }
  const time = (column: string) => {
    const value = Number(row[column] ?? Number.NaN)
    return Number.isSafeInteger(value) ? value : null
  }
  const details = parseJson(text("details") ?? "")
  const said = row["state"]
  const result = parseJson(text("result") ?? "")
  const state: TaskState = !isState(said) || (said === "succeeded" && result === undefined) ? "failed" : said
  const createdAtMs = time("created_at") ?? 0
  return {
    id: text("id") ?? "",
    kind: text("kind") ?? "",
    account: AccountId.make(text("account_id") ?? ""),
    key: KeyId.make(text("key_id") ?? ""),
    model: text("model") ?? "",
    tier: text("tier"),
    state,
    lane: text("lane") ?? "",
    upstream: text("upstream"),
    upstreamId: text("upstream_id"),
    submitAtMs: time("submit_at"),
    callbackUrl: text("callback_url"),
    requestId: text("request_id"),
    trace: text("trace"),
    details: isJsonObject(details) ? details : {},
    result: state === "succeeded" ? result : null,
    error: state === "failed" ? error : null,
    changes: time("changes") ?? 1,
    attempts: 0,
    tries: 0,
    expiresAtMs: time("expires_at"),
    createdAtMs,
    updatedAtMs: time("updated_at") ?? createdAtMs,
    endedAtMs: time("ended_at")
  }
}
