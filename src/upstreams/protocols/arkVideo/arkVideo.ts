import { bearer } from "../../Endpoint.ts"
import type { Endpoint } from "../../Endpoint.ts"
import { findUnansweredSubmit } from "../../videos/findUnansweredSubmit.ts"
import { videoStatus } from "../../videos/videoStatus.ts"
import { videoApi } from "../../videos/videoApi.ts"
import type { VideoUpstreamOptions } from "../../videos/videoApi.ts"
import { cancelVideo, pollReport, submittedId } from "../../videos/videoCalls.ts"
import type { UnheardSubmit, VideoJob, VideoUpstream } from "../../videos/VideoUpstream.ts"
import { shownInList, shownInRecord } from "./listed.ts"
import { reportOf } from "./report.ts"
import { requestOf } from "./request.ts"
import { listAt, numberAt, textAt } from "../../../contract/json/json.ts"

const endpoint: Endpoint = { version: "", path: "/contents/generations/tasks", headers: bearer }
const tasks = endpoint.path
const task = (id: string) => `${tasks}/${encodeURIComponent(id)}`
const pageSize = 100
/** The models of today choose a length; those that can't have rows. */
export const bounds = { choosesSeconds: true }

/**
 * Video tasks of Ark and ModelArk (Seedance). It is the callers' own protocol: bodies pass through, and unknown fields
 * of a record come back.
 */
export const arkVideo = (options: VideoUpstreamOptions): VideoUpstream => {
  const api = videoApi(endpoint, options)

  const submit = (job: VideoJob) =>
    submittedId(api.call("POST", tasks, JSON.stringify(requestOf(job))), (answer) => textAt(answer, "id"))

  const poll = (id: string) => pollReport(api.call("GET", task(id)), reportOf)

  const cancel = (id: string) =>
    cancelVideo({
      poll: api.call("GET", task(id)),
      stateIn: (record) => videoStatus(textAt(record, "status") ?? ""),
      stop: api.call("DELETE", task(id))
    })

  /**
   * Ark stores no key of ours with a task. Reconciliation has only the list, newest first, and the request fields in
   * its records.
   */
  const reconcile = (job: VideoJob, unheard: UnheardSubmit) =>
    findUnansweredSubmit(unheard, {
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
      shownIn: shownInRecord
    })

  const { name } = options
  // Ark counts a first frame beside those of the length.
  const facts = { isPassthrough: true, refusesAtOnce: true, extraFrames: 1, bounds } as const
  return { name, ...facts, submit, poll, cancel, reconcile, shownInList }
}
