import { Schema } from "effect"
import { JsonObject, answerField } from "../contract/fields.ts"
import type { VideoResult, VideoSettings } from "../upstreams/videos/VideoUpstream.ts"
import { framesMade } from "./consumption.ts"
import { framesPerSecond, videoTokens } from "./geometry.ts"
import { VideoStatus } from "./VideoTask.ts"
import type { VideoTask } from "./VideoTask.ts"

/** Present or absent, never null. */
const present = <A, I>(schema: Schema.Schema<A, I>, description: string) =>
  Schema.optionalWith(schema, { exact: true }).annotations({ description })

const TaskError = Schema.Struct({
  code: answerField(Schema.String, "The upstream's own code, if it has one."),
  message: answerField(Schema.String, "The error in words.")
})

const fields = {
  id: Schema.String.annotations({ description: "The id from the create request." }),
  model: Schema.String.annotations({ description: "The model as the request named it." }),
  status: VideoStatus.annotations({ description: "All but `queued` and `running` are final." }),
  content: present(
    Schema.Struct({
      video_url: Schema.String.annotations({ description: "Address of the video; it expires." }),
      last_frame_url: present(Schema.String, "With `return_last_frame`: address of the last frame as an image.")
    }),
    "Only when succeeded."
  ),
  error: present(TaskError, "Only when failed."),
  usage: present(
    Schema.Struct({
      completion_tokens: answerField(Schema.Int, "Tokens of the video."),
      total_tokens: answerField(Schema.Int, "All tokens counted."),
      tool_usage: present(JsonObject, "Uses of each tool, where tools were given.")
    }),
    "Only when succeeded."
  ),
  progress: present(Schema.Int, "Per cent, while it runs, if its upstream tells it."),
  created_at: Schema.Int.annotations({ description: "Unix seconds." }),
  updated_at: Schema.Int.annotations({ description: "Unix seconds of the last change of status." }),
  seed: present(Schema.Int, "The seed that was used. Only when succeeded."),
  resolution: present(Schema.String, "Only when succeeded."),
  ratio: present(Schema.String, "The actual ratio, never `adaptive`. Only when succeeded."),
  duration: present(
    Schema.Int,
    "Whole seconds. Only when succeeded; absent if the length was given as `frames`, or if the model chose it and does not report it."
  ),
  frames: present(Schema.Int, "In place of `duration`, if the length was given as `frames`."),
  framespersecond: present(Schema.Int, "Only when succeeded."),
  service_tier: answerField(Schema.String, "The applied service tier."),
  execution_expires_after: Schema.Int.annotations({ description: "Seconds from creation to expiry." }),
  generate_audio: answerField(
    Schema.Boolean,
    "As the model makes it; `adapted` names it where that is not as requested."
  ),
  draft: answerField(Schema.Boolean, "As requested."),
  adapted: present(
    Schema.Array(Schema.String),
    "The parameters that the model's upstream can't carry: they were changed or left out. In strict mode such a request is refused."
  ),
  draft_task_id: present(Schema.String, "Id of the draft that it was made from."),
  priority: answerField(Schema.Int, "As requested."),
  tools: present(Schema.Array(Schema.Struct({ type: Schema.Literal("web_search") })), "As requested."),
  safety_identifier: present(Schema.String, "As requested.")
}

// Fields that a passthrough upstream adds keep their names.
const open = Schema.Record({ key: Schema.String, value: Schema.Unknown })

/** A task as its owner sees it, in every state, and as its callbacks carry it (docs/api.md#a-video-tasks-record). */
export const VideoTaskRecord = Schema.Struct(fields, open).annotations({ identifier: "VideoTaskRecord" })
export type VideoTaskRecord = typeof VideoTaskRecord.Type

/** A record in a list. A failed one repeats its reason under the name in Ark's Go and JavaScript types. */
export const ListedVideoTask = Schema.Struct(
  { ...fields, failure_reason: present(TaskError, "The same as `error`.") },
  open
).annotations({ identifier: "ListedVideoTask" })
export type ListedVideoTask = typeof ListedVideoTask.Type

/** Renders a task. Fields that are unknown or do not belong to its state are absent. */
export const record = (task: VideoTask): VideoTaskRecord => {
  const { adapted, draftTaskId, executionExpiresAfterSeconds, progress, safetyIdentifier, settings } = task.details
  return {
    id: task.id,
    model: task.model,
    status: task.state,
    ...outcome(task),
    ...(task.state === "running" && progress !== undefined && { progress }),
    created_at: seconds(task.createdAtMs),
    updated_at: seconds(task.updatedAtMs),
    ...made(task),
    service_tier: task.result?.serviceTier ?? settings.serviceTier,
    execution_expires_after: executionExpiresAfterSeconds,
    generate_audio: settings.generateAudio,
    draft: settings.draft,
    ...(adapted !== undefined && { adapted }),
    ...(draftTaskId !== undefined && { draft_task_id: draftTaskId }),
    priority: settings.priority,
    ...(settings.webSearch && { tools: [{ type: "web_search" as const }] }),
    ...(safetyIdentifier !== null && { safety_identifier: safetyIdentifier }),
    ...unknown(task.result?.extra)
  }
}

export const listed = (task: VideoTask): ListedVideoTask => ({
  ...record(task),
  ...(task.error !== null && { failure_reason: task.error })
})

const seconds = (ms: number): number => Math.floor(ms / 1000)

const outcome = ({ details: { settings }, error, result }: VideoTask) => {
  if (error !== null) return { error: { code: error.code, message: error.message } }
  if (result === null) return {}
  const tokens = videoTokens({ ...settings, frames: framesMade(settings, result) })
  const usage = result.usage ?? { completionTokens: tokens, totalTokens: tokens }
  return {
    content: {
      video_url: result.videoUrl,
      ...(result.lastFrameUrl !== undefined && { last_frame_url: result.lastFrameUrl })
    },
    usage: {
      completion_tokens: usage.completionTokens,
      total_tokens: usage.totalTokens,
      ...(usage.toolUsage !== undefined && { tool_usage: usage.toolUsage })
    }
  }
}

/** The finished video's fields: the upstream's, otherwise those settled at creation. */
const made = ({ details: { settings }, result }: VideoTask) => {
  if (result === null) return {}
  return {
    seed: result.seed ?? settings.seed,
    resolution: result.resolution ?? settings.resolution,
    ratio: result.ratio ?? settings.ratio,
    ...madeLength(settings, result),
    framespersecond: result.framesPerSecond ?? framesPerSecond
  }
}

/** Absent if the model chose it and the upstream does not report it. */
const madeLength = (settings: VideoSettings, { duration, frames }: VideoResult) => {
  if (settings.byFrames) return { frames: frames ?? settings.frames }
  const made = settings.isOpenLength === true ? frames : settings.frames
  const seconds = duration ?? (made === undefined ? undefined : Math.floor(made / framesPerSecond))
  return seconds === undefined ? {} : { duration: seconds }
}

/** An upstream's own fields, except those that the gateway fills in. */
const unknown = (extra: JsonObject | undefined): JsonObject =>
  Object.fromEntries(Object.entries(extra ?? {}).filter(([name]) => !Object.hasOwn(fields, name)))
