import { Effect } from "effect"
import { bearer } from "../../Endpoint.ts"
import type { Endpoint } from "../../Endpoint.ts"
import { findUnansweredSubmit } from "../../findUnansweredSubmit.ts"
import { videoStatus } from "../../videoStatus.ts"
import { isOk, refusedPoll, refusedSubmit, unansweredRead, unansweredSubmit, videoApi } from "../../videoApi.ts"
import type { VideoUpstreamOptions } from "../../videoApi.ts"
import { VideoAmbiguous, VideoTransient } from "../../VideoUpstream.ts"
import type { UnheardSubmit, VideoCancelOutcome, VideoJob, VideoReport, VideoUpstream } from "../../VideoUpstream.ts"
import { looksLike } from "./looksLike.ts"
import { reportOf } from "./report.ts"
import { requestOf } from "./request.ts"
import { isObject, listAt, numberAt, textAt } from "../../../contract/json.ts"

const endpoint: Endpoint = { version: "", path: "/contents/generations/tasks", headers: bearer }
const tasks = endpoint.path
const task = (id: string) => `${tasks}/${encodeURIComponent(id)}`
const pageSize = 100

/**
 * Video tasks of Ark and ModelArk (Seedance). It is the callers' own protocol: bodies pass through, and unknown fields
 * of a record come back.
 */
export const arkVideo = (options: VideoUpstreamOptions): VideoUpstream => {
  const api = videoApi(endpoint, options)

  const submit = (job: VideoJob) =>
    api.call("POST", tasks, JSON.stringify(requestOf(job))).pipe(
      Effect.mapError(unansweredSubmit),
      Effect.flatMap((answer) => {
        if (!isOk(answer)) return refusedSubmit(answer)
        const id = textAt(answer.json, "id")
        return id === undefined ? new VideoAmbiguous({ reason: "accepted without an id" }) : Effect.succeed(id)
      })
    )

  const poll = (id: string) =>
    api.call("GET", task(id)).pipe(
      Effect.mapError(unansweredRead),
      Effect.flatMap((answer) => {
        if (!isOk(answer)) return refusedPoll(answer)
        return isObject(answer.json) ? Effect.succeed<VideoReport>(reportOf(answer.json)) : noRecord
      })
    )

  /** Polls first: Ark's DELETE of an ended task removes its record, and the result with it. */
  const cancel = (id: string) =>
    api.call("GET", task(id)).pipe(
      Effect.flatMap((answer): Effect.Effect<VideoCancelOutcome, VideoTransient> => {
        if (answer.status === 404) return Effect.succeed("ended")
        if (!isOk(answer)) return new VideoTransient({ reason: `status ${answer.status}` })
        switch (videoStatus(textAt(answer.json, "status") ?? "")) {
          case "queued":
            return remove(id)
          case "running":
          case "unknown":
            return Effect.succeed("running")
          case "cancelled":
            return Effect.succeed("cancelled")
          default:
            return Effect.succeed("ended")
        }
      }),
      Effect.catchTag("NoAnswer", (error) => Effect.fail(unansweredRead(error)))
    )

  const remove = (id: string): Effect.Effect<VideoCancelOutcome, VideoTransient> =>
    api.call("DELETE", task(id)).pipe(
      Effect.mapError(unansweredRead),
      Effect.flatMap((answer) => {
        if (isOk(answer)) return Effect.succeed("cancelled" as const)
        if (answer.status === 409) return Effect.succeed("running" as const)
        if (answer.status === 404) return Effect.succeed("ended" as const)
        return new VideoTransient({ reason: `status ${answer.status} ${answer.error.code}` })
      })
    )

  /**
   * Ark stores no key of ours with a task. Reconciliation has only the list, newest first, and the request fields in
   * its records.
   */
  const reconcile = (job: VideoJob, unheard: UnheardSubmit) =>
    findUnansweredSubmit(job, unheard, {
      page: (number) => {
        const query = new URLSearchParams({ page_num: String(number), page_size: String(pageSize) })
        query.set("filter.model", job.upstreamModel)
        return api.call("GET", `${tasks}?${query}`)
      },
      read: ({ json }) => {
        const items = listAt(json, "items")
        return { items, hasMore: items.length === pageSize }
      },
      createdAt: (item) => numberAt(item, "created_at"),
      isLike: looksLike
    })

  return { name: options.name, isPassthrough: true, refusesAtOnce: true, submit, poll, cancel, reconcile }
}

const noRecord = new VideoTransient({ reason: "the answer is not a task record" })
