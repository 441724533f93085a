import type { JsonObject } from "../../../contract/fields.ts"
import { noVideo } from "../../videos/videoCalls.ts"
import { progressIn, videoStatus } from "../../videos/videoStatus.ts"
import type { VideoError, VideoReport, VideoResult } from "../../videos/VideoUpstream.ts"
import { numberAt, objectAt, textAt } from "../../../contract/json/json.ts"

/** The state in a task record (docs/api.md#a-video-tasks-record). An unknown label leaves the task as it is. */
export const reportOf = (record: JsonObject): VideoReport => {
  const status = videoStatus(textAt(record, "status") ?? "")
  switch (status) {
    case "succeeded": {
      const result = resultOf(record)
      return result === undefined ? noVideo : { status, result }
    }
    case "failed":
      return { status, error: errorOf(record) }
    default:
      return { status, progress: progressIn(record) }
  }
}

/** Some of Ark's own clients list it as `failure_reason`. */
const errorOf = (record: JsonObject): VideoError => {
  const error = objectAt(record, "error") ?? objectAt(record, "failure_reason")
  return {
    code: textAt(error, "code") ?? "InternalServiceError",
    message: textAt(error, "message") ?? "The upstream failed to make the video"
  }
}

const resultOf = (record: JsonObject): VideoResult | undefined => {
  const content = objectAt(record, "content") ?? {}
  const videoUrl = textAt(content, "video_url")
  if (videoUrl === undefined) return undefined
  return {
    videoUrl,
    lastFrameUrl: textAt(content, "last_frame_url"),
    usage: usageOf(objectAt(record, "usage")),
    seed: wholeAt(record, "seed"),
    resolution: textAt(record, "resolution"),
    ratio: textAt(record, "ratio"),
    duration: wholeAt(record, "duration"),
    frames: wholeAt(record, "frames"),
    framesPerSecond: wholeAt(record, "framespersecond"),
    serviceTier: textAt(record, "service_tier"),
    extra: extraOf(record)
  }
}

const usageOf = (usage: JsonObject | undefined): VideoResult["usage"] => {
  const completionTokens = wholeAt(usage, "completion_tokens")
  const totalTokens = wholeAt(usage, "total_tokens") ?? completionTokens
  return completionTokens === undefined || totalTokens === undefined
    ? undefined
    : { completionTokens, totalTokens, toolUsage: objectAt(usage, "tool_usage") }
}

/** Fields that the gateway reads elsewhere, or that concern the upstream's own task. */
const knownFields = new Set(
  "id model status content usage error failure_reason created_at updated_at seed resolution ratio duration frames framespersecond service_tier callback_url".split(
    " "
  )
)

const extraOf = (record: JsonObject): JsonObject | undefined => {
  const extra = Object.entries(record).filter(([name, value]) => !knownFields.has(name) && value !== null)
  return extra.length === 0 ? undefined : Object.fromEntries(extra)
}

const wholeAt = (value: unknown, key: string): number | undefined => {
  const at = numberAt(value, key)
  return at === undefined || !Number.isInteger(at) ? undefined : at
}
