import { Schema } from "effect"
import { TaskState } from "../tasks/Task.ts"
import type { Task } from "../tasks/Task.ts"
import { VideoResult, VideoSettings } from "../upstreams/VideoUpstream.ts"

/** The states a task is shown in: the engine's own six, and no other spelling. */
export const VideoStatus = TaskState

/** What the family keeps of a request beside the engine's columns, to show the task. */
export const VideoDetails = Schema.Struct({
  settings: VideoSettings,
  executionExpiresAfterSeconds: Schema.Int,
  safetyIdentifier: Schema.NullOr(Schema.String)
})
export type VideoDetails = typeof VideoDetails.Type

/** A video task as its family knows it. */
export interface VideoTask extends Omit<Task, "details" | "result"> {
  readonly details: VideoDetails
  /** Set exactly when succeeded. */
  readonly result: VideoResult | null
}

const decodeDetails = Schema.decodeUnknownSync(VideoDetails)
const decodeResult = Schema.decodeUnknownSync(Schema.NullOr(VideoResult))

/** Reads the engine's task. Throws where its row was not written by this family: a defect. */
export const videoTask = (task: Task): VideoTask => ({
  ...task,
  details: decodeDetails(task.details),
  result: decodeResult(task.result ?? null)
})
