import { Effect, Option } from "effect"
import type { Scope } from "effect"
import type { PublicUrl } from "../../../config/PublicUrl.ts"
import type { JsonObject } from "../../../contract/fields.ts"
import type { KeptFiles } from "../../../files/KeptFiles.ts"
import { bearer } from "../../Endpoint.ts"
import type { Endpoint } from "../../Endpoint.ts"
import { chosenSeconds } from "../../chosenSeconds.ts"
import { findUnansweredSubmit } from "../../findUnansweredSubmit.ts"
import { isOk, refusedPoll, refusedSubmit, unansweredRead, unansweredSubmit, videoApi } from "../../videoApi.ts"
import type { NoAnswer, VideoUpstreamOptions } from "../../videoApi.ts"
import { videoStatus } from "../../videoStatus.ts"
import { VideoAmbiguous, VideoTransient } from "../../VideoUpstream.ts"
import type {
  UnheardSubmit,
  VideoCancelOutcome,
  VideoJob,
  VideoRejected,
  VideoReport,
  VideoUpstream
} from "../../VideoUpstream.ts"
import { isObject, listAt, numberAt, objectAt, textAt } from "../../../contract/json.ts"
import { makeVideoFiles } from "./files.ts"
import { fit, seconds, sizeOf } from "./offer.ts"
import { requestOf } from "./request.ts"

const endpoint: Endpoint = { version: "", path: "/videos", headers: bearer }
const videos = endpoint.path
const video = (id: string) => `${videos}/${encodeURIComponent(id)}`

/** The report while the gateway fetches the file. */
const fetching: VideoReport = { status: "running", nextPollMs: 500 }

/** OpenAI's videos (Sora). A task succeeds once the gateway has the file, because callers cannot read it at OpenAI. */
export const openaiVideos = (
  options: VideoUpstreamOptions
): Effect.Effect<VideoUpstream, never, KeptFiles | PublicUrl | Scope.Scope> => {
  const api = videoApi(endpoint, options)

  const submit = (job: VideoJob) =>
    Effect.suspend(() => api.call("POST", videos, requestOf(job))).pipe(
      Effect.mapError(unansweredSubmit),
      Effect.flatMap((answer) => {
        if (!isOk(answer)) return refusedSubmit(answer)
        const id = textAt(answer.json, "id")
        return id === undefined ? new VideoAmbiguous({ reason: "accepted without an id" }) : Effect.succeed(id)
      })
    )

  /** A running video cannot be stopped there. An ended one is not deleted. */
  const cancel = (id: string): Effect.Effect<VideoCancelOutcome, VideoTransient> =>
    api.call("GET", video(id)).pipe(
      Effect.flatMap((answer): Effect.Effect<VideoCancelOutcome, VideoTransient | NoAnswer> => {
        if (answer.status === 404) return Effect.succeed("ended")
        if (!isOk(answer)) return new VideoTransient({ reason: `status ${answer.status}` })
        const status = videoStatus(textAt(answer.json, "status") ?? "")
        if (status === "queued") return remove(id)
        return Effect.succeed(status === "running" || status === "unknown" ? "running" : "ended")
      }),
      Effect.catchTag("NoAnswer", (error) => Effect.fail(unansweredRead(error)))
    )

  /** OpenAI documents DELETE for finished videos only: if it refuses, the video is still running. */
  const remove = (id: string): Effect.Effect<VideoCancelOutcome, VideoTransient | NoAnswer> =>
    Effect.flatMap(api.call("DELETE", video(id)), (answer) => {
      if (isOk(answer)) return Effect.succeed("cancelled" as const)
      if (answer.status === 404) return Effect.succeed("ended" as const)
      return [400, 405, 409].includes(answer.status)
        ? Effect.succeed("running" as const)
        : new VideoTransient({ reason: `status ${answer.status} ${answer.error.code}` })
    })

  const reconcile = (job: VideoJob, unheard: UnheardSubmit) =>
    findUnansweredSubmit(job, unheard, {
      page: (_, last) => {
        const query = new URLSearchParams({ limit: "100", order: "desc" })
        const after = textAt(last, "id")
        if (after !== undefined) query.set("after", after)
        return api.call("GET", `${videos}?${query}`)
      },
      read: ({ json }) => ({ items: listAt(json, "data"), hasMore: isObject(json) && json["has_more"] === true }),
      createdAt: (item) => numberAt(item, "created_at"),
      isLike
    })

  return Effect.map(makeVideoFiles(api), (files) => {
    const poll = (id: string): Effect.Effect<VideoReport, VideoRejected | VideoTransient> =>
      api.call("GET", video(id)).pipe(
        Effect.mapError(unansweredRead),
        Effect.flatMap((answer) => {
          if (!isOk(answer)) return refusedPoll(answer)
          return isObject(answer.json) ? reportOf(id, answer.json) : noVideo
        })
      )

    const reportOf = (id: string, record: JsonObject): Effect.Effect<VideoReport, VideoRejected | VideoTransient> => {
      const status = videoStatus(textAt(record, "status") ?? "")
      if (status === "failed") return Effect.succeed({ status, error: errorOf(record) })
      if (status !== "succeeded") return Effect.succeed({ status })
      return Effect.map(
        files.linkOf(id),
        Option.match({
          onNone: () => fetching,
          onSome: (videoUrl) => ({ status, result: { videoUrl, duration: lengthOf(record) } })
        })
      )
    }

    const { name } = options
    return { name, isPassthrough: false, refusesAtOnce: true, seconds, fit, submit, poll, cancel, reconcile }
  })
}

/** True if the fields of a video match the job. */
const isLike = (item: unknown, job: VideoJob): boolean => {
  const agrees = (name: string, asked: string | undefined) => (textAt(item, name) ?? asked) === asked
  return (
    agrees("model", job.upstreamModel) &&
    agrees("prompt", job.prompt) &&
    agrees("seconds", String(chosenSeconds(job.settings, seconds))) &&
    agrees("size", sizeOf(job.settings)) &&
    textAt(item, "remixed_from_video_id") === undefined
  )
}

const noVideo = new VideoTransient({ reason: "the answer is not a video" })

const errorOf = (record: JsonObject) => {
  const error = objectAt(record, "error")
  return {
    code: textAt(error, "code") ?? "InternalServiceError",
    message: textAt(error, "message") ?? "The upstream failed to make the video"
  }
}

/** The API returns seconds as text. */
const lengthOf = (record: JsonObject): number | undefined => {
  const length = Number(record["seconds"] ?? Number.NaN)
  return Number.isInteger(length) ? length : undefined
}
