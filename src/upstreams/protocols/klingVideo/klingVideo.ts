import { Effect, Option } from "effect"
import type { JsonObject } from "../../../contract/fields.ts"
import { listAt, numberAt, objectAt, textAt } from "../../../contract/json/json.ts"
import { bearer } from "../../Endpoint.ts"
import type { Endpoint } from "../../Endpoint.ts"
import { isOk, unansweredRead, videoApi } from "../../videos/videoApi.ts"
import type { VideoUpstreamOptions } from "../../videos/videoApi.ts"
import { cancelVideo, noVideo, pollReport, submittedId, usableId } from "../../videos/videoCalls.ts"
import type { VideoState } from "../../videos/videoStatus.ts"
import { VideoTransient } from "../../videos/VideoUpstream.ts"
import type { VideoJob, VideoReport, VideoUpstream } from "../../videos/VideoUpstream.ts"
import { bounds, endpointOf, fit, requestOf } from "./request.ts"
import { tokenOf } from "./token.ts"

export const klingEndpoint: Endpoint = {
  version: "",
  path: "/videos",
  headers: (apiKey) => bearer(apiKey === undefined ? undefined : tokenOf(apiKey))
}

/** `text2video/867283741759111202`: a task is known at the endpoint that created it alone. */
const path = (id: string) => `${klingEndpoint.path}/${id.split("/").map(encodeURIComponent).join("/")}`

/** Codes as HTTP statuses. Kling may answer 200 all the same, and says 429 to an account without money. */
const statuses: Readonly<Record<number, number>> = {
  1000: 401,
  1001: 401,
  1002: 401,
  1003: 401,
  1004: 401,
  1101: 402,
  1102: 402,
  1103: 403,
  1200: 400,
  1201: 400,
  1202: 404,
  1203: 404,
  1300: 400,
  1301: 400,
  1302: 429,
  1303: 429,
  1304: 403,
  5000: 500,
  5001: 503,
  5002: 500
}

const statusOf = ({ json, status }: { readonly json: unknown; readonly status: number }): number => {
  const code = numberAt(json, "code") ?? 0
  return code === 0 ? status : (statuses[code] ?? (status === 200 ? 400 : status))
}

/**
 * Kling's videos (app.klingai.com/global/dev/document-api; there is no library). No cancel. A file is at Kling's own link
 * for 30 days.
 */
export const klingVideo = (options: VideoUpstreamOptions): VideoUpstream => {
  const api = videoApi(klingEndpoint, options, statusOf)

  const submit = (job: VideoJob) => {
    const endpoint = endpointOf(job)
    return submittedId(api.call("POST", path(endpoint), JSON.stringify(requestOf(job))), (answer) =>
      idIn(endpoint, answer)
    )
  }

  const poll = (id: string) => pollReport(api.call("GET", path(id)), reportOf)

  const cancel = (id: string) =>
    cancelVideo({ poll: api.call("GET", path(id)), stateIn: (answer) => stateOf(objectAt(answer, "data")) })

  /** By our own name of the task, which Kling looks up in place of its id. */
  const reconcile = (job: VideoJob) => {
    const endpoint = endpointOf(job)
    return api.call("GET", path(`${endpoint}/${job.taskId}`)).pipe(
      Effect.mapError(unansweredRead),
      Effect.flatMap((answer): Effect.Effect<Option.Option<string>, VideoTransient> => {
        if (answer.status === 404) return Effect.succeed(Option.none())
        return isOk(answer)
          ? Effect.succeed(Option.fromNullable(idIn(endpoint, answer.json)))
          : new VideoTransient({ reason: `status ${answer.status} ${answer.error.code}` })
      })
    )
  }

  const { name } = options
  const facts = { isPassthrough: false, refusesAtOnce: true, extraFrames: 24, bounds } as const
  return { name, ...facts, fit, submit, poll, cancel, reconcile }
}

const idIn = (endpoint: string, answer: unknown): string | undefined => {
  const id = usableId(textAt(objectAt(answer, "data"), "task_id"))
  return id === undefined ? undefined : `${endpoint}/${id}`
}

const states: Readonly<Record<string, VideoState>> = {
  submitted: "queued",
  processing: "running",
  succeed: "succeeded",
  failed: "failed"
}

const stateOf = (task: JsonObject | undefined): VideoState => states[textAt(task, "task_status") ?? ""] ?? "unknown"

const reportOf = (answer: JsonObject): VideoReport | undefined => {
  const task = objectAt(answer, "data")
  if (task === undefined) return undefined
  const status = stateOf(task)
  switch (status) {
    case "failed": {
      const message = textAt(task, "task_status_msg") ?? "The upstream failed to make the video"
      return { status, error: { code: isFiltered.test(message) ? sensitive : "InternalServiceError", message } }
    }
    case "succeeded": {
      const [video] = listAt(objectAt(task, "task_result"), "videos")
      const videoUrl = textAt(video, "url")
      return videoUrl === undefined ? noVideo : { status, result: { videoUrl, ...lengthIn(video) } }
    }
    default:
      return { status }
  }
}

const isFiltered = /risk control|content policy|sensitive/i
/** Ark's code for it. */
const sensitive = "OutputVideoSensitiveContentDetected"

/** Kling says `"5.042"` of a video of five seconds. */
const lengthIn = (video: unknown) => {
  const length = Math.round(Number(textAt(video, "duration") ?? Number.NaN))
  return Number.isInteger(length) && length > 0 ? { duration: length } : {}
}
