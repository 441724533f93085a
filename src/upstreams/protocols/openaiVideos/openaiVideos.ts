import { Effect } from "effect"
import type { JsonObject } from "../../../contract/fields.ts"
import { bearer } from "../../Endpoint.ts"
import type { Endpoint } from "../../Endpoint.ts"
import { findUnansweredSubmit } from "../../videos/findUnansweredSubmit.ts"
import { hashOf, shownValues } from "../../videos/SubmitFingerprint.ts"
import { videoApi } from "../../videos/videoApi.ts"
import type { VideoServices, VideoUpstreamOptions } from "../../videos/videoApi.ts"
import { progressIn, videoStatus } from "../../videos/videoStatus.ts"
import { cancelVideo, pollReport, submittedId } from "../../videos/videoCalls.ts"
import type { UnheardSubmit, VideoJob, VideoRejected, VideoReport, VideoUpstream } from "../../videos/VideoUpstream.ts"
import { isObject, listAt, numberAt, objectAt, textAt } from "../../../contract/json/json.ts"
import { toldCost } from "../toldCost.ts"
import { makeVideoFiles } from "../../videos/videoFiles.ts"
import { bounds, fit, secondsOf, sizeOf } from "./offer.ts"
import { requestOf } from "./request.ts"

const endpoint: Endpoint = { version: "", path: "/videos", headers: bearer }
const videos = endpoint.path
const video = (id: string) => `${videos}/${encodeURIComponent(id)}`

/** OpenAI's videos (Sora). A task succeeds once the gateway has the file, because callers cannot read it at OpenAI. */
export const openaiVideos = (options: VideoUpstreamOptions): Effect.Effect<VideoUpstream, never, VideoServices> => {
  const api = videoApi(endpoint, options)

  const submit = (job: VideoJob) =>
    submittedId(
      Effect.suspend(() => api.call("POST", videos, requestOf(job))),
      (answer) => textAt(answer, "id")
    )

  /** OpenAI documents DELETE for finished videos only: if it refuses, the video is still running. */
  const cancel = (id: string) =>
    cancelVideo({
      poll: api.call("GET", video(id)),
      stateIn: (record) => videoStatus(textAt(record, "status") ?? ""),
      stop: api.call("DELETE", video(id))
    })

  const reconcile = (_: VideoJob, unheard: UnheardSubmit) =>
    findUnansweredSubmit(unheard, {
      page: (_, last) => {
        const query = new URLSearchParams({ limit: "100", order: "desc" })
        const after = textAt(last, "id")
        if (after !== undefined) query.set("after", after)
        return api.call("GET", `${videos}?${query}`)
      },
      read: ({ json }) => ({ items: listAt(json, "data"), hasMore: isObject(json) && json["has_more"] === true }),
      createdAt: (item) => numberAt(item, "created_at"),
      shownIn
    })

  return Effect.map(makeVideoFiles(api), (files) => {
    const poll = (id: string) => pollReport(api.call("GET", video(id)), (record) => reportOf(id, record))

    const reportOf = (id: string, record: JsonObject): VideoReport | Effect.Effect<VideoReport, VideoRejected> => {
      const status = videoStatus(textAt(record, "status") ?? "")
      if (status === "failed") return { status, error: errorOf(record) }
      if (status !== "succeeded") return { status, progress: progressIn(record) }
      return files.finished(id, files.withKey(`${video(id)}/content`), {
        duration: lengthOf(record),
        ...(options.tellsCost === true && toldCost(record["usage"]))
      })
    }

    const { name } = options
    const facts = { isPassthrough: false, refusesAtOnce: true, extraFrames: 24, bounds } as const
    return { name, ...facts, fit, submit, poll, cancel, reconcile, shownInList }
  })
}

/** The fields of a job that OpenAI's list shows; of the prompt, its hash. */
const shownInList = ({ prompt, settings, upstreamModel }: VideoJob): JsonObject =>
  shownValues({
    model: upstreamModel,
    prompt: hashOf(prompt),
    seconds: secondsOf(settings),
    size: sizeOf(settings)
  })

/** The same of a listed video. */
const shownIn = (item: unknown): JsonObject | undefined => {
  if (textAt(item, "remixed_from_video_id") !== undefined) return undefined
  const prompt = textAt(item, "prompt")
  return shownValues({
    model: textAt(item, "model"),
    prompt: prompt === undefined ? undefined : hashOf(prompt),
    seconds: textAt(item, "seconds"),
    size: textAt(item, "size")
  })
}

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
