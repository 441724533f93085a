import { Effect } from "effect"
import type { JsonObject } from "../../contract/fields.ts"
import { isObject } from "../../contract/json/json.ts"
import { isLink } from "../link.ts"
import { isOk, refusedPoll, refusedSubmit, unansweredRead, unansweredSubmit } from "./videoApi.ts"
import type { NoAnswer, VideoAnswer } from "./videoApi.ts"
import type { VideoState } from "./videoStatus.ts"
import { VideoAmbiguous, VideoTransient } from "./VideoUpstream.ts"
import type { VideoCancelOutcome, VideoRejected, VideoReport, VideoSaturated } from "./VideoUpstream.ts"

type Answered = Effect.Effect<VideoAnswer, NoAnswer>

/** Ids are parts of addresses, and of rows that every turn rewrites. */
const mostId = 1_000

/** An id that later calls can name; undefined for any other text. */
export const usableId = (id: string | undefined): string | undefined =>
  id !== undefined && id.length <= mostId && id.isWellFormed() && !unusable.test(id) ? id : undefined

/** Control characters, and parts that would lead to another address: empty ones and dots. */
const unusable = /\p{Cc}|(?:^|\/)\.{0,2}(?:\/|$)/u

/** The id of a video in the answer to its create. Without one, the video may exist all the same. */
export const submittedId = (
  answered: Answered,
  idIn: (answer: JsonObject) => string | undefined
): Effect.Effect<string, VideoRejected | VideoSaturated | VideoAmbiguous | VideoTransient> =>
  answered.pipe(
    Effect.mapError(unansweredSubmit),
    Effect.flatMap((answer) => {
      if (!isOk(answer)) return refusedSubmit(answer)
      const id = isObject(answer.json) ? usableId(idIn(answer.json)) : undefined
      return id === undefined ? new VideoAmbiguous({ reason: "accepted without an id" }) : Effect.succeed(id)
    })
  )

/** The report of a video in an answer. */
export const pollReport = <E = never>(
  answered: Answered,
  read: (answer: JsonObject) => VideoReport | undefined | Effect.Effect<VideoReport, E>
): Effect.Effect<VideoReport, VideoRejected | VideoTransient | E> =>
  answered.pipe(
    Effect.mapError(unansweredRead),
    Effect.flatMap((answer): Effect.Effect<VideoReport, VideoRejected | VideoTransient | E> => {
      if (!isOk(answer)) return refusedPoll(answer)
      const report = isObject(answer.json) ? read(answer.json) : undefined
      if (report === undefined) return new VideoTransient({ reason: "the answer is not a video" })
      return Effect.isEffect(report) ? report : Effect.succeed(soundReport(report, answer))
    })
  )

/** The report of a video that ended without a file. */
export const noVideo: VideoReport = {
  status: "failed",
  error: { code: "InternalServiceError", message: "The upstream made no video" }
}

/** In UTF-16 units. */
const mostCode = 100

/** A report with links that a caller may open, and words that a caller may see. */
const soundReport = (report: VideoReport, { shown }: VideoAnswer): VideoReport => {
  if (report.status === "failed") {
    const { code, message } = report.error
    return { status: "failed", error: { code: shown(code).slice(0, mostCode), message: shown(message) } }
  }
  if (report.status !== "succeeded") return report
  const { lastFrameUrl, videoUrl, ...rest } = report.result
  if (!isLink(videoUrl)) return noVideo
  return {
    status: "succeeded",
    result: { ...rest, videoUrl, ...(lastFrameUrl !== undefined && isLink(lastFrameUrl) && { lastFrameUrl }) }
  }
}

/** The calls that stop a video. */
interface Stopping {
  readonly poll: Answered
  readonly stateIn: (answer: JsonObject) => VideoState
  /** Stops one that waits; absent if the upstream cannot. */
  readonly stop?: Answered
}

/** Stops a video that still waits. It is polled first: deleting an ended one would remove its record, with the result. */
export const cancelVideo = ({ poll, stateIn, stop }: Stopping): Effect.Effect<VideoCancelOutcome, VideoTransient> =>
  poll.pipe(
    Effect.flatMap((answer): Effect.Effect<VideoCancelOutcome, VideoTransient | NoAnswer> => {
      if (answer.status === 404) return Effect.succeed("ended")
      if (!isOk(answer)) return new VideoTransient({ reason: `status ${answer.status}` })
      switch (isObject(answer.json) ? stateIn(answer.json) : "unknown") {
        case "queued":
          return stop === undefined ? Effect.succeed("running") : Effect.flatMap(stop, outcomeOf)
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

/** An upstream that refuses has begun to render meanwhile. */
const outcomeOf = (answer: VideoAnswer): Effect.Effect<VideoCancelOutcome, VideoTransient> => {
  if (isOk(answer)) return Effect.succeed("cancelled")
  if (answer.status === 404) return Effect.succeed("ended")
  return [400, 405, 409].includes(answer.status)
    ? Effect.succeed("running")
    : new VideoTransient({ reason: `status ${answer.status} ${answer.error.code}` })
}
