import { Effect } from "effect"
import type { JsonObject } from "../../../contract/fields.ts"
import { listAt, numberAt, objectAt, textAt } from "../../../contract/json/json.ts"
import { bearer } from "../../Endpoint.ts"
import type { Endpoint } from "../../Endpoint.ts"
import { findUnansweredSubmit } from "../../videos/findUnansweredSubmit.ts"
import { shownValues } from "../../videos/SubmitFingerprint.ts"
import { videoApi } from "../../videos/videoApi.ts"
import type { VideoServices, VideoUpstreamOptions } from "../../videos/videoApi.ts"
import { cancelVideo, noVideo, pollReport, submittedId } from "../../videos/videoCalls.ts"
import { makeVideoFiles } from "../../videos/videoFiles.ts"
import type { UnheardSubmit, VideoJob, VideoRejected, VideoReport, VideoUpstream } from "../../videos/VideoUpstream.ts"
import { addressOf, errorOf, resultOf, stateOf, taskIn } from "./report.ts"
import { bounds, fit, lengthOf, ratioOf, requestOf, resolutionOf } from "./request.ts"

const endpoint: Endpoint = { version: "", path: "/video_generation", headers: bearer }
const create = endpoint.path
const queries = "/query/video_generation"
const at = (path: string, id: string) => `${path}/${encodeURIComponent(id)}`
const pageSize = 100

/** An unknown task is a 500 or a 400 there. Tasks are known for seven days. */
const statusOf = ({ json, method, status }: { method: string; status: number; json: unknown }): number =>
  method === "GET" &&
  status >= 400 &&
  /record not found|invalid task_id/.test(textAt(objectAt(json, "error"), "message") ?? "")
    ? 404
    : status

/**
 * MiniMax's videos, version 2 (platform.minimax.io, "Video generation V2"), in Ark's own shape. Addresses of files end
 * soon, so that the gateway serves them.
 */
export const minimaxVideo = (options: VideoUpstreamOptions): Effect.Effect<VideoUpstream, never, VideoServices> => {
  const api = videoApi(endpoint, options, statusOf)
  const query = (id: string) => api.call("GET", at(queries, id))

  const submit = (job: VideoJob) =>
    submittedId(api.call("POST", create, JSON.stringify(requestOf(job))), (answer) => textAt(answer, "task_id"))

  const cancel = (id: string) =>
    cancelVideo({
      poll: query(id),
      stateIn: (answer) => stateOf(taskIn(answer)),
      stop: api.call("DELETE", at(create, id))
    })

  const reconcile = (_: VideoJob, unheard: UnheardSubmit) =>
    findUnansweredSubmit(unheard, {
      page: (number) => api.call("GET", `${queries}?page_num=${number}&page_size=${pageSize}`),
      read: ({ json }) => {
        const items = listAt(json, "items")
        return { items, hasMore: items.length === pageSize }
      },
      createdAt: (item) => numberAt(item, "created_at"),
      shownIn
    })

  return Effect.map(makeVideoFiles(api), (files): VideoUpstream => {
    const poll = (id: string) =>
      pollReport(query(id), (answer) => {
        const task = taskIn(answer)
        return task === undefined ? undefined : reportOf(id, task)
      })

    const reportOf = (id: string, task: JsonObject): VideoReport | Effect.Effect<VideoReport, VideoRejected> => {
      const status = stateOf(task)
      if (status === "failed") return { status, error: errorOf(task) }
      if (status !== "succeeded") return { status }
      const address = addressOf(task)
      return address === undefined ? noVideo : files.finished(id, files.at(address), resultOf(task))
    }

    const { name } = options
    const facts = {
      isPassthrough: false,
      refusesAtOnce: true,
      billsInputVideo: true,
      extraFrames: 24,
      bounds,
      fit
    } as const
    return { name, ...facts, submit, poll, cancel, reconcile, shownInList }
  })
}

/** The fields of a job that MiniMax's list shows. Frames have a ratio of their own. */
const shownInList = ({ media, settings, upstreamModel }: VideoJob): JsonObject =>
  shownValues({
    model: upstreamModel,
    resolution: resolutionOf(settings),
    duration: lengthOf(settings),
    ratio: media.length > 0 ? undefined : ratioOf(settings)
  })

/** The same of a listed task, which may lack some while it waits. */
const shownIn = (item: unknown): JsonObject | undefined =>
  (textAt(item, "task_type") ?? "generation") === "generation"
    ? shownValues({
        model: textAt(item, "model"),
        resolution: textAt(item, "resolution")?.toUpperCase(),
        duration: numberAt(item, "duration"),
        ratio: textAt(item, "ratio")
      })
    : undefined
