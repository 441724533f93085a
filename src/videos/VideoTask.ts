import { Schema } from "effect"
import { AccountId, KeyId } from "../contract/Caller.ts"
import { VideoError, VideoResult, VideoSettings } from "../upstreams/VideoUpstream.ts"

/** The states a task is shown in: these six and no other spelling. */
export const VideoStatus = Schema.Literal("queued", "running", "succeeded", "failed", "expired", "cancelled")
export type VideoStatus = typeof VideoStatus.Type

/** A video task as the gateway keeps it, small enough to read at every poll; what to render is its `VideoJob`. */
export const VideoTask = Schema.Struct({
  id: Schema.String,
  account: AccountId,
  key: KeyId,
  /** The model as the caller named it. */
  model: Schema.String,
  /** Name of the upstream that renders it. */
  upstream: Schema.String,
  status: VideoStatus,
  settings: VideoSettings,
  createdAtMs: Schema.Number,
  updatedAtMs: Schema.Number,
  executionExpiresAfterSeconds: Schema.Int,
  callbackUrl: Schema.NullOr(Schema.String),
  safetyIdentifier: Schema.NullOr(Schema.String),
  /** Set exactly when succeeded. */
  result: Schema.NullOr(VideoResult),
  /** Set exactly when failed. */
  error: Schema.NullOr(VideoError)
})
export type VideoTask = typeof VideoTask.Type

/** What happens to a task. Whatever reaches a task that has ended changes nothing. */
export type VideoChange =
  | { readonly status: "queued" | "running" | "expired" | "cancelled" }
  | { readonly status: "succeeded"; readonly result: VideoResult }
  | { readonly status: "failed"; readonly error: VideoError }

export const isTerminal = (status: VideoStatus): boolean => status !== "queued" && status !== "running"

const next: Record<VideoStatus, ReadonlyArray<VideoStatus>> = {
  // A quick upstream may be done before anybody saw it run.
  queued: ["running", "succeeded", "failed", "expired", "cancelled"],
  running: ["succeeded", "failed", "expired", "cancelled"],
  succeeded: [],
  failed: [],
  expired: [],
  cancelled: []
}

export const canBecome = (from: VideoStatus, to: VideoStatus): boolean => next[from].includes(to)

/** The task after a change, or the very same task where the change does not apply (it ended, it is there already). */
export const change = (task: VideoTask, to: VideoChange, nowMs: number): VideoTask =>
  canBecome(task.status, to.status)
    ? {
        ...task,
        status: to.status,
        updatedAtMs: Math.max(nowMs, task.updatedAtMs),
        result: to.status === "succeeded" ? to.result : null,
        error: to.status === "failed" ? to.error : null
      }
    : task
