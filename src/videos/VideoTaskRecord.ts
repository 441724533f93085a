import { Schema } from "effect"
import { JsonObject, said } from "../contract/fields.ts"
import type { VideoResult, VideoSettings } from "../upstreams/VideoUpstream.ts"
import { framesMade } from "./consumption.ts"
import { framesPerSecond, videoTokens } from "./geometry.ts"
import { VideoStatus } from "./VideoTask.ts"
import type { VideoTask } from "./VideoTask.ts"

/** There or not there; never null. */
const known = <A, I>(schema: Schema.Schema<A, I>, description: string) =>
  Schema.optionalWith(schema, { exact: true }).annotations({ description })

const TaskError = Schema.Struct({
  code: said(Schema.String, "The upstream's own code where it has one."),
  message: said(Schema.String, "The error in words.")
})

const fields = {
  id: Schema.String.annotations({ description: "The id from the create request." }),
  model: Schema.String.annotations({ description: "The model as the request named it." }),
  status: VideoStatus.annotations({ description: "All but `queued` and `running` are final." }),
  content: known(
    Schema.Struct({
      video_url: Schema.String.annotations({ description: "Address of the video; it expires." }),
      last_frame_url: known(Schema.String, "With `return_last_frame`: address of the last frame as an image.")
    }),
    "Only when succeeded."
  ),
  error: known(TaskError, "Only when failed."),
  usage: known(
    Schema.Struct({
      completion_tokens: said(Schema.Int, "Tokens of the video."),
      total_tokens: said(Schema.Int, "All tokens counted."),
      tool_usage: known(JsonObject, "Uses of each tool, where tools were given.")
    }),
    "Only when succeeded."
  ),
  created_at: Schema.Int.annotations({ description: "Unix seconds." }),
  updated_at: Schema.Int.annotations({ description: "Unix seconds of the last change of status." }),
  seed: known(Schema.Int, "The seed really used; when succeeded."),
  resolution: known(Schema.String, "When succeeded."),
  ratio: known(Schema.String, "The real ratio, never `adaptive`; when succeeded."),
  duration: known(
    Schema.Int,
    "Whole seconds; when succeeded, unless the length was given as `frames`, or chosen by a model that does not tell it."
  ),
  frames: known(Schema.Int, "In place of `duration`, if the length was given as `frames`."),
  framespersecond: known(Schema.Int, "When succeeded."),
  service_tier: said(Schema.String, "Service tier applied."),
  execution_expires_after: Schema.Int.annotations({ description: "Seconds from creation to expiry." }),
  generate_audio: said(Schema.Boolean, "As requested."),
  draft: said(Schema.Boolean, "As requested."),
  draft_task_id: known(Schema.String, "Id of the draft that it was made of."),
  priority: said(Schema.Int, "As requested."),
  tools: known(Schema.Array(Schema.Struct({ type: Schema.Literal("web_search") })), "As requested."),
  safety_identifier: known(Schema.String, "As requested.")
}

// What an upstream of the same protocol adds goes out under its own names.
const open = Schema.Record({ key: Schema.String, value: Schema.Unknown })

/** A task as its owner sees it, in every state, and as its callbacks carry it (docs/api.md#a-video-tasks-record). */
export const VideoTaskRecord = Schema.Struct(fields, open).annotations({ identifier: "VideoTaskRecord" })
export type VideoTaskRecord = typeof VideoTaskRecord.Type

/** A record in a list: a failed one says why a second time, under the name that Ark's Go and JavaScript types have for it. */
export const ListedVideoTask = Schema.Struct(
  { ...fields, failure_reason: known(TaskError, "The same as `error`.") },
  open
).annotations({ identifier: "ListedVideoTask" })
export type ListedVideoTask = typeof ListedVideoTask.Type

/** Renders a task. A field that is not known yet, or that its state doesn't have, is absent. */
export const record = (task: VideoTask): VideoTaskRecord => {
  const { draftTaskId, executionExpiresAfterSeconds, safetyIdentifier, settings } = task.details
  return {
    id: task.id,
    model: task.model,
    status: task.state,
    ...outcome(task),
    created_at: seconds(task.createdAtMs),
    updated_at: seconds(task.updatedAtMs),
    ...made(task),
    service_tier: task.result?.serviceTier ?? settings.serviceTier,
    execution_expires_after: executionExpiresAfterSeconds,
    generate_audio: settings.generateAudio,
    draft: settings.draft,
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

/** What the video turned out to be: the upstream's word, else what was settled at creation. */
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

/** Absent where the model chose it and its upstream does not tell. */
const madeLength = (settings: VideoSettings, { duration, frames }: VideoResult) => {
  if (settings.byFrames) return { frames: frames ?? settings.frames }
  const made = settings.isOpenLength === true ? frames : settings.frames
  const seconds = duration ?? (made === undefined ? undefined : Math.floor(made / framesPerSecond))
  return seconds === undefined ? {} : { duration: seconds }
}

/** An upstream's own fields, but never one that is the gateway's to fill in. */
const unknown = (extra: JsonObject | undefined): JsonObject =>
  Object.fromEntries(Object.entries(extra ?? {}).filter(([name]) => !Object.hasOwn(fields, name)))
