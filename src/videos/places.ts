import { UpstreamFailed } from "../contract/Failure.ts"
import type { UpstreamTrouble } from "../generation/UpstreamTrouble.ts"
import { numberAt } from "../contract/json.ts"
import type { Route } from "../routing/Route.ts"
import type { Task, TaskPatch } from "../tasks/Task.ts"
import { UpstreamError } from "../upstreams/UpstreamError.ts"
import { VideoSaturated } from "../upstreams/VideoUpstream.ts"
import type { VideoJob, VideoRejected, VideoTransient } from "../upstreams/VideoUpstream.ts"

/** One of the places that may make a video: an upstream, and the model's id and price (`Price.text`) there. */
export interface Place extends Route {
  readonly price?: string
}

/** The lane of an upstream's videos. */
export const videoBulkhead = (upstream: string): string => `video:${upstream}`

/** Where a task's video may be made, in the order of the model's routes. */
export const placesOf = ({ upstream }: Pick<Task, "upstream">, job: VideoJob): ReadonlyArray<Place> =>
  job.routes ?? (upstream === null ? [] : [{ upstream, model: job.upstreamModel }])

/** Which of its job's places a task is at. */
const routeOf = ({ details }: Pick<Task, "details">): number => numberAt(details, "route") ?? 0

/** What to store of a task that is submitted to a place: nothing where it is there already. */
export const movedTo = (task: Pick<Task, "details">, job: VideoJob, place: Place): TaskPatch => {
  const route = Math.max(0, job.routes?.indexOf(place) ?? 0)
  if (route === routeOf(task)) return {}
  const price = place.price === undefined ? {} : { price: place.price }
  return {
    upstream: place.upstream,
    lane: videoBulkhead(place.upstream),
    details: { ...task.details, route, ...price }
  }
}

/** A job as the place was told of it that its task is at. */
export const placed = (task: Pick<Task, "details">, job: VideoJob): VideoJob => ({
  ...job,
  upstreamModel: job.routes?.[routeOf(task)]?.model ?? job.upstreamModel
})

/** A place that takes nothing now, and may later. */
export type Wait = VideoSaturated | VideoTransient

/** How long a place asks to be left alone; undefined where it does not say. */
export const secondsOf = (error: Wait | VideoRejected): number | undefined =>
  error._tag === "VideoSaturated" ? error.retryAfterSeconds : undefined

/** Of several the one that is over first. */
export const soonest = (waits: ReadonlyArray<Wait>): Wait | undefined =>
  waits.toSorted((one, other) => (secondsOf(one) ?? 0) - (secondsOf(other) ?? 0))[0]

/** A place that is not asked for now, as if it said once more for how long. */
export const waitOf = ({ retryAfterMs }: UpstreamError): Wait =>
  new VideoSaturated({ retryAfterSeconds: Math.ceil((retryAfterMs ?? 0) / 1_000) })

/** What a place's cool-down hears of a call that failed. */
export const failing = (trouble: UpstreamTrouble | undefined, retryAfterSeconds?: number): UpstreamError =>
  new UpstreamError({
    failure: new UpstreamFailed({}),
    retry: "again",
    retryAfterMs: retryAfterSeconds === undefined ? undefined : retryAfterSeconds * 1_000,
    status: undefined,
    trouble
  })

/** What a place that did not take a task says of itself; undefined where the task may have caused it. */
export const troubleOf = (error: Wait | VideoRejected): UpstreamTrouble | undefined => {
  switch (error._tag) {
    case "VideoSaturated":
    case "VideoRejected":
      return error.trouble
    case "VideoTransient":
      return "unreachable"
  }
}
