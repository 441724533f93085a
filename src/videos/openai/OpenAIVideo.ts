import { Schema } from "effect"
import { answerField } from "../../contract/fields.ts"
import type { TaskState } from "../../tasks/Task.ts"
import { framesMade } from "../consumption.ts"
import { framesPerSecond, sizeOf } from "../geometry.ts"
import type { VideoTask } from "../VideoTask.ts"

/** A task in the shape of OpenAI's videos (docs/api.md#videos-in-openais-shape). */
export const OpenAIVideo = Schema.Struct({
  id: answerField(
    Schema.String,
    "The task's id (`cgt-…`), which is valid at `/api/v3/contents/generations/tasks` too."
  ),
  object: Schema.Literal("video"),
  model: answerField(Schema.String, "The model as the request named it."),
  status: answerField(
    Schema.Literal("queued", "in_progress", "completed", "failed"),
    "A cancelled or expired task is `failed`, with that as the error's code."
  ),
  progress: answerField(Schema.Int, "Per cent, if the upstream tells it: 100 once completed, otherwise 0."),
  created_at: answerField(Schema.Int, "Unix seconds."),
  completed_at: answerField(Schema.NullOr(Schema.Int), "Unix seconds; null unless completed."),
  expires_at: answerField(
    Schema.Null,
    "Always null: the time until which the file can be read depends on the upstream."
  ),
  error: answerField(
    Schema.NullOr(
      Schema.Struct({
        code: answerField(Schema.String, "`cancelled`, `expired`, or the upstream's own code."),
        message: answerField(Schema.String, "The error in words.")
      })
    ),
    "Null unless failed."
  ),
  prompt: answerField(Schema.Null, "Always null: the gateway deletes the request once the upstream has it."),
  remixed_from_video_id: answerField(Schema.Null, "Always null: there are no remixes."),
  seconds: answerField(
    Schema.NullOr(Schema.String),
    "Whole seconds; null as long as the model has yet to choose the length."
  ),
  size: answerField(Schema.String, "Width and height in pixels: `1280x720`.")
}).annotations({ identifier: "OpenAIVideo" })
export type OpenAIVideo = typeof OpenAIVideo.Type

/** Renders a task, which either API may have made. */
export const openAIVideo = (task: VideoTask): OpenAIVideo => {
  const isCompleted = task.state === "succeeded"
  return {
    id: task.id,
    object: "video",
    model: task.model,
    status: statuses[task.state],
    progress: isCompleted ? 100 : (task.details.progress ?? 0),
    created_at: seconds(task.createdAtMs),
    completed_at: isCompleted ? seconds(task.endedAtMs ?? task.updatedAtMs) : null,
    expires_at: null,
    error: errorOf(task),
    prompt: null,
    remixed_from_video_id: null,
    seconds: lengthOf(task),
    size: pixels(task)
  }
}

const statuses = {
  queued: "queued",
  running: "in_progress",
  succeeded: "completed",
  failed: "failed",
  expired: "failed",
  cancelled: "failed"
} as const satisfies Record<TaskState, OpenAIVideo["status"]>

const seconds = (ms: number): number => Math.floor(ms / 1_000)

const errorOf = ({ error, state }: VideoTask): OpenAIVideo["error"] => {
  if (state === "cancelled") return { code: "cancelled", message: "The video was cancelled before it was made." }
  if (state === "expired") return { code: "expired", message: "The video was not made in time." }
  return error === null ? null : { code: error.code, message: error.message }
}

const lengthOf = ({ details: { settings }, result }: VideoTask): string | null => {
  if (result === null && settings.isOpenLength === true) return null
  const frames = result === null ? settings.frames : framesMade(settings, result)
  return String(Math.floor(frames / framesPerSecond))
}

const pixels = ({ details: { settings }, result }: VideoTask): string => {
  const resolution = result?.resolution ?? settings.resolution
  const ratio = result?.ratio ?? settings.ratio
  const isAsSettled = resolution === settings.resolution && ratio === settings.ratio
  const { height, width } = isAsSettled ? settings : sizeOf(resolution, ratio)
  return `${width}x${height}`
}
