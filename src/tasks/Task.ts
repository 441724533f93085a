import { Schema } from "effect"
import type { AccountId, KeyId } from "../contract/callers/Caller.ts"
import { answerField } from "../contract/fields.ts"
import type { JsonObject } from "../contract/fields.ts"

/**
 * The engine's states. Families map them to their own names (an async message: pending, processing, success, failed).
 */
export const TaskState = Schema.Literal("queued", "running", "succeeded", "failed", "expired", "cancelled")
export type TaskState = typeof TaskState.Type
export const isState = Schema.is(TaskState)

/** The reason of a failed task, in its family's terms. */
export const TaskError = Schema.Struct({
  code: answerField(Schema.String, "The kind of failure."),
  message: answerField(Schema.String, "The error in words.")
})
export type TaskError = typeof TaskError.Type

/**
 * The outcome of a cancellation. `cancelled`: final. `running`: too late. `ended`: it had ended before. `unreachable`:
 * the upstream did not answer, and nothing changed. `none`: no such task.
 */
export const Cancelled = Schema.Literal("cancelled", "running", "ended", "unreachable", "none")
export type Cancelled = typeof Cancelled.Type

/** Work that outlives the request and the process that accepted it. Times are Unix milliseconds. */
export interface Task {
  readonly id: string
  /** Name of its `TaskKind`. */
  readonly kind: string
  readonly account: AccountId
  readonly key: KeyId
  /** The model as the caller named it. */
  readonly model: string
  /** The service tier, if its family lists by it. */
  readonly tier: string | null
  readonly state: TaskState
  /** The queue that it waits in. Lanes have their own parallelism, so a slow upstream delays only its own tasks. */
  readonly lane: string
  readonly upstream: string | null
  /** The upstream's id for it, once a submit is known to have succeeded. */
  readonly upstreamId: string | null
  /** When the intent to submit was stored. Without an `upstreamId`, the outcome of the submit is unknown. */
  readonly submitAtMs: number | null
  readonly callbackUrl: string | null
  /** The fields that its family shows. Small, because every step rewrites it; the request is stored separately. */
  readonly details: JsonObject
  /** JSON; set exactly if succeeded. */
  readonly result: unknown
  /** Set exactly if failed. */
  readonly error: TaskError | null
  /** The number of changes of state, including its creation. */
  readonly changes: number
  /** Consecutive deaths of workers that ran it. */
  readonly attempts: number
  /** Consecutive calls without a result (saturated, unreachable). The backoff grows with it. */
  readonly tries: number
  /** The request that created it; null if an older gateway stored it. */
  readonly requestId: string | null
  /** `traceparent` of that request; null if it is not traced. */
  readonly trace: string | null
  readonly expiresAtMs: number | null
  readonly createdAtMs: number
  readonly updatedAtMs: number
  readonly endedAtMs: number | null
}

/** A task to create. */
export interface NewTask extends Pick<Task, "id" | "kind" | "account" | "key" | "model" | "lane" | "details"> {
  /** Until when its creation is not delivered to the callback URL, unless it is hurried; Unix ms. */
  readonly quietUntilMs?: number | undefined
  /**
   * The worker's input, as JSON of any size. Deleted once the upstream has it or the task has ended
   * (`releasesRequest`).
   */
  readonly request: unknown
  readonly tier?: string | null
  readonly upstream?: string | null
  readonly callbackUrl?: string | null
  readonly requestId?: string | null
  readonly trace?: string | null
  readonly createdAtMs: number
  readonly expiresAtMs?: number | null
}

/** A worker's changes to a task that it holds. A state that can't follow the present one is ignored. */
export interface TaskPatch {
  readonly state?: TaskState
  readonly details?: JsonObject
  readonly result?: unknown
  readonly error?: TaskError
  /** Another upstream and its lane. */
  readonly upstream?: string
  readonly lane?: string
  readonly upstreamId?: string
  readonly submitAtMs?: number | null
  /**
   * The fingerprint of this submit, as its kind reads it (`Rival`). Stored sealed beside the task, until the submit is
   * answered or taken back.
   */
  readonly fingerprint?: JsonObject | undefined
  readonly tries?: number
}

const order: Record<TaskState, number> = { queued: 0, running: 1, succeeded: 2, failed: 2, expired: 2, cancelled: 2 }

export const isTerminal = (state: TaskState): boolean => order[state] === 2

/**
 * Only forward: terminal states are final, and a running task is never queued again. A quick task may skip `running`.
 */
const canBecome = (from: TaskState, to: TaskState): boolean => order[to] > order[from]

/** The task after a patch. */
export const applyPatch = (task: Task, patch: TaskPatch, nowMs: number): Task => {
  const { fingerprint: _, state, ...rest } = patch
  if (state === undefined || !canBecome(task.state, state)) return { ...task, ...rest }
  const updatedAtMs = Math.max(nowMs, task.updatedAtMs)
  return {
    ...task,
    ...rest,
    state,
    changes: task.changes + 1,
    updatedAtMs,
    endedAtMs: isTerminal(state) ? updatedAtMs : null
  }
}

/** A submit without an answer: the upstream may have a video for it. */
export const isUnheard = (task: Pick<Task, "submitAtMs" | "upstreamId">): boolean =>
  task.submitAtMs !== null && task.upstreamId === null

/** The task that is stored for a new one. */
export const queuedTask = (task: NewTask): Task => ({
  id: task.id,
  kind: task.kind,
  account: task.account,
  key: task.key,
  model: task.model,
  tier: task.tier ?? null,
  state: "queued",
  lane: task.lane,
  upstream: task.upstream ?? null,
  upstreamId: null,
  submitAtMs: null,
  callbackUrl: task.callbackUrl ?? null,
  details: task.details,
  result: null,
  error: null,
  changes: 1,
  attempts: 0,
  tries: 0,
  requestId: task.requestId ?? null,
  trace: task.trace ?? null,
  expiresAtMs: task.expiresAtMs ?? null,
  createdAtMs: task.createdAtMs,
  updatedAtMs: task.createdAtMs,
  endedAtMs: null
})
