import type { JsonObject } from "../../../contract/fields.ts"
import { numberAt, objectAt, textAt } from "../../../contract/json/json.ts"
import { bearer } from "../../Endpoint.ts"
import type { Endpoint } from "../../Endpoint.ts"
import { videoApi } from "../../videos/videoApi.ts"
import type { VideoUpstreamOptions } from "../../videos/videoApi.ts"
import { cancelVideo, noVideo, pollReport, submittedId } from "../../videos/videoCalls.ts"
import type { VideoState } from "../../videos/videoStatus.ts"
import type { VideoJob, VideoReport, VideoResult, VideoUpstream } from "../../videos/VideoUpstream.ts"
import { generationOf } from "./generations.ts"
import { fit, requestOf, seconds } from "./request.ts"

const endpoint: Endpoint = {
  version: "",
  path: "/services/aigc/video-generation/video-synthesis",
  headers: bearer
}
/** Videos between two frames of Wan 2.1 and 2.2 are made elsewhere. */
const ofTwoFrames = "/services/aigc/image2video/video-synthesis"
const pathOf = (model: string) => (generationOf(model) === "oldFrames" ? ofTwoFrames : endpoint.path)
const task = (id: string, action = "") => `/tasks/${encodeURIComponent(id)}${action}`

const knownForMs = 24 * 60 * 60_000

export const bounds = { seconds }

/** A create without this header would wait for the video, which the service refuses. */
const inBackground = { headers: { "x-dashscope-async": "enable" } }

/**
 * Videos of Alibaba's Model Studio (DashScope): Wan, HappyHorse, Vidu and others (alibabacloud.com/help/en/model-studio).
 * A task is known there for 24 hours, and so is its file.
 *
 * There is no way to look for a create without an answer: a list of tasks has neither a prompt nor a name of ours.
 */
export const dashscopeVideo = (options: VideoUpstreamOptions): VideoUpstream => {
  const api = videoApi(endpoint, options)

  const submit = (job: VideoJob) =>
    submittedId(api.call("POST", pathOf(job.upstreamModel), JSON.stringify(requestOf(job)), inBackground), (answer) =>
      textAt(objectAt(answer, "output"), "task_id")
    )

  const poll = (id: string) => pollReport(api.call("GET", task(id)), reportOf)

  const cancel = (id: string) =>
    cancelVideo({ poll: api.call("GET", task(id)), stateIn: stateOf, stop: api.call("POST", task(id, "/cancel")) })

  return {
    name: options.name,
    isPassthrough: false,
    refusesAtOnce: true,
    billsInputVideo: true,
    extraFrames: 24,
    bounds,
    fit,
    submit,
    poll,
    cancel
  }
}

const states: Readonly<Record<string, VideoState>> = {
  PENDING: "queued",
  SUSPENDED: "queued",
  RUNNING: "running",
  SUCCEEDED: "succeeded",
  FAILED: "failed",
  CANCELED: "cancelled",
  // The task is older than 24 hours, or its state can't be told now.
  UNKNOWN: "unknown"
}

const stateOf = (answer: JsonObject): VideoState =>
  states[textAt(objectAt(answer, "output"), "task_status") ?? ""] ?? "unknown"

const reportOf = (answer: JsonObject): VideoReport | undefined => {
  const output = objectAt(answer, "output")
  if (output === undefined) return undefined
  const status = stateOf(answer)
  const videoUrl = textAt(output, "video_url")
  switch (status) {
    case "failed":
      return { status, error: errorOf(output) }
    case "succeeded":
      return videoUrl === undefined ? noVideo : { status, result: { videoUrl, ...madeOf(objectAt(answer, "usage")) } }
    case "unknown":
      return { status, expiresAfterMs: knownForMs }
    default:
      return { status }
  }
}

const errorOf = (output: JsonObject) => ({
  code: textAt(output, "code") ?? "InternalServiceError",
  message: textAt(output, "message") ?? "The upstream failed to make the video"
})

/** The video as it was made. `duration` is what is billed: the seconds of input videos, too. */
const madeOf = (usage: JsonObject | undefined): Omit<VideoResult, "videoUrl"> => {
  const duration =
    numberAt(usage, "output_video_duration") ?? numberAt(usage, "video_duration") ?? numberAt(usage, "duration")
  const input = numberAt(usage, "input_video_duration") ?? 0
  const lines = numberAt(usage, "SR")
  const ratio = textAt(usage, "ratio") ?? textAt(usage, "video_ratio")
  return {
    ...(duration !== undefined && Number.isInteger(duration) && { duration }),
    ...(input > 0 && { inputVideoSeconds: input }),
    ...(lines !== undefined && { resolution: `${lines}p` }),
    ...(ratio !== undefined && /^\d+:\d+$/.test(ratio) && { ratio })
  }
}
