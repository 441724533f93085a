import type { JsonObject } from "../../../contract/fields.ts"
import { videoStatus } from "../../videoStatus.ts"
import type { VideoError, VideoReport, VideoResult } from "../../VideoUpstream.ts"
import { numberAt, objectAt, textAt } from "../../../contract/json.ts"

/** What a task record says (docs/api.md#a-video-tasks-record). A label nobody knows leaves the task as it is. */
export const reportOf = (record: JsonObject): VideoReport => {
  const status = videoStatus(textAt(record, "status") ?? "")
  switch (status) {
    case "succeeded": {
      const result = resultOf(record)
      return result === undefined
        ? { status: "failed", error: { code: "InternalServiceError", message: "The upstream made no video" } }
        : { status, result }
    }
    case "failed":
      return { status, error: errorOf(record) }
    default:
      return { status }
  }
}

/** `failure_reason` in the lists of some of Ark's own clients. */
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
  if (videoUrl === undefined || !isAddress(videoUrl)) return undefined
  const lastFrameUrl = textAt(content, "last_frame_url")
  return {
    videoUrl,
    lastFrameUrl: lastFrameUrl !== undefined && isAddress(lastFrameUrl) ? lastFrameUrl : undefined,
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

/** What a caller may open: whatever else an upstream names (`file:`, `javascript:`) is no video. */
const isAddress = (text: string): boolean => /^https?:$/.test(URL.parse(text)?.protocol ?? "")

const usageOf = (usage: JsonObject | undefined): VideoResult["usage"] => {
  const completionTokens = wholeAt(usage, "completion_tokens")
  const totalTokens = wholeAt(usage, "total_tokens") ?? completionTokens
  return completionTokens === undefined || totalTokens === undefined
    ? undefined
    : { completionTokens, totalTokens, toolUsage: objectAt(usage, "tool_usage") }
}

/** What is said elsewhere, or concerns the upstream's own task. */
const told = new Set(
  "id model status content usage error failure_reason created_at updated_at seed resolution ratio duration frames framespersecond service_tier callback_url".split(
    " "
  )
)

const extraOf = (record: JsonObject): JsonObject | undefined => {
  const extra = Object.entries(record).filter(([name, value]) => !told.has(name) && value !== null)
  return extra.length === 0 ? undefined : Object.fromEntries(extra)
}

const wholeAt = (value: unknown, key: string): number | undefined => {
  const at = numberAt(value, key)
  return at === undefined || !Number.isInteger(at) ? undefined : at
}
