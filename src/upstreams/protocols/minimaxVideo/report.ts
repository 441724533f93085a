import type { JsonObject } from "../../../contract/fields.ts"
import { numberAt, objectAt, textAt } from "../../../contract/json/json.ts"
import { videoStatus } from "../../videos/videoStatus.ts"
import type { VideoState } from "../../videos/videoStatus.ts"
import type { VideoError, VideoResult } from "../../videos/VideoUpstream.ts"

/** The task in an answer to a query. */
export const taskIn = (answer: JsonObject): JsonObject | undefined => objectAt(answer, "task")

export const stateOf = (task: JsonObject | undefined): VideoState => videoStatus(textAt(task, "status") ?? "")

/** The address of the video, which works for a limited time; every query returns a new one. */
export const addressOf = (task: JsonObject): string | undefined => {
  const content = objectAt(task, "content")
  return textAt(content, "url") ?? textAt(content, "video_url")
}

export const errorOf = (task: JsonObject): VideoError => {
  const error = objectAt(task, "error")
  return {
    code: textAt(error, "code") ?? "InternalServiceError",
    message: textAt(error, "message") ?? "The upstream failed to make the video"
  }
}

/** The video as it was made. Its tokens are counted by the gateway: MiniMax bills seconds, those of input videos too. */
export const resultOf = (task: JsonObject): Omit<VideoResult, "videoUrl"> => {
  const usage = objectAt(task, "usage")
  const duration = numberAt(usage, "output_seconds") ?? numberAt(task, "duration")
  const input = numberAt(usage, "input_seconds") ?? 0
  const resolution = textAt(task, "resolution")
  const ratio = textAt(task, "ratio")
  return {
    ...(duration !== undefined && Number.isInteger(duration) && { duration }),
    ...(input > 0 && { inputVideoSeconds: input }),
    ...(resolution !== undefined && { resolution: resolution.toLowerCase() }),
    ...(ratio !== undefined && ratio !== "" && { ratio })
  }
}
