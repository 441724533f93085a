import { UpstreamFailed } from "../contract/failures/Failure.ts"
import type { UpstreamTrouble } from "../generation/UpstreamTrouble.ts"
import type { AccountId } from "../contract/callers/Caller.ts"
import { numberAt, textAt } from "../contract/json/json.ts"
import { plainLane } from "../routing/Lane.ts"
import type { Requester } from "../routing/Lane.ts"
import type { Route } from "../routing/Route.ts"
import type { Task, TaskPatch } from "../tasks/Task.ts"
import { UpstreamError } from "../upstreams/UpstreamError.ts"
import { VideoSaturated } from "../upstreams/videos/VideoUpstream.ts"
import type {
  VideoJob,
  VideoRejected,
  VideoSettings,
  VideoTransient,
  VideoUpstream
} from "../upstreams/videos/VideoUpstream.ts"

/** A route that may render a video, with its price (`Price.text`). */
export interface Place extends Route {
  readonly price?: string
  readonly adapted?: ReadonlyArray<string>
  /** Its index in the job. */
  readonly index: number
}

/** The bulkhead name of an upstream's videos. */
export const videoBulkhead = (upstream: string): string => `video:${upstream}`

/**
 * The routes that may render a task's video, in order, as they are configured now: one whose key is gone gets the
 * upstream's first key.
 */
export const placesOf = (
  task: Pick<Task, "details" | "upstream">,
  job: VideoJob,
  upstreams: ReadonlyMap<string, VideoUpstream>
): ReadonlyArray<Place> => {
  const { upstream } = task
  const only = upstream === null ? [] : [{ upstream, model: job.upstreamModel, key: keyOf(task) }]
  return (job.routes ?? only).flatMap(({ key, ...route }, index) => {
    const configured = upstreams.get(route.upstream)
    if (configured === undefined) return []
    const { keys } = configured
    if (keys === undefined) return [{ ...route, index }]
    const known = keys.find((one) => one.key === key) ?? keys[0]
    return known === undefined ? [] : [{ ...route, index, key: known.key }]
  })
}

/** The name of the upstream's key that makes a task's video, if the upstream has several. */
const keyOf = ({ details }: Pick<Task, "details">): string | undefined => textAt(details, "upstreamKey")

/** The upstream with the key that makes a task's video, which other keys don't know; undefined if it is gone. */
export const upstreamOf = (
  task: Pick<Task, "details" | "upstream">,
  upstreams: ReadonlyMap<string, VideoUpstream>
): VideoUpstream | undefined => {
  const upstream = upstreams.get(task.upstream ?? "")
  const key = keyOf(task)
  if (upstream === undefined || key === undefined || upstream.onlyKey === key) return upstream
  return upstream.keys?.find((one) => one.key === key)?.upstream
}

/** The index of the task's route in its job. */
const routeOf = ({ details }: Pick<Task, "details">): number => numberAt(details, "route") ?? 0

/** The patch of a task that is submitted on a route; empty if it is there already. */
export const movedTo = (
  task: Pick<Task, "details">,
  job: VideoJob,
  { adapted, index, key, price, upstream }: Place
): TaskPatch => {
  if (index === routeOf(task) && key === keyOf(task)) return {}
  const { adapted: _adapted, upstreamKey: _key, ...details } = task.details
  return {
    upstream,
    lane: videoBulkhead(upstream),
    details: {
      ...details,
      settings: settingsAt(job, index),
      route: index,
      ...(price === undefined ? {} : { price }),
      ...(key === undefined ? {} : { upstreamKey: key }),
      ...(adapted === undefined ? {} : { adapted })
    }
  }
}

/** A job as the task's current route got it. */
export const placedJob = (task: Pick<Task, "details">, job: VideoJob): VideoJob => jobAt(job, routeOf(task))

/** A job as one of its routes gets it. */
export const jobAt = (job: VideoJob, index: number): VideoJob => ({
  ...job,
  upstreamModel: job.routes?.[index]?.model ?? job.upstreamModel,
  settings: settingsAt(job, index)
})

/** The settings of a job at one of its routes, which may have a length and a sound of its own. */
export const settingsAt = (
  { routes, settings }: Pick<VideoJob, "settings" | "routes">,
  index: number
): VideoSettings => {
  const { length, sound } = routes?.[index] ?? {}
  const heard = sound === undefined ? settings : { ...settings, generateAudio: sound }
  if (length === undefined) return heard
  const { isOpenLength: _, ...others } = heard
  return { ...others, ...length }
}

/** An error of a route that may accept the task later. */
export type Wait = VideoSaturated | VideoTransient

/** The delay that a route asked for, in seconds; undefined if it gave none. */
const secondsOf = (error: Wait | VideoRejected): number | undefined =>
  error._tag === "VideoSaturated" ? error.retryAfterSeconds : undefined

/** The wait that ends first. */
export const soonest = (waits: ReadonlyArray<Wait>): Wait | undefined =>
  waits.toSorted((one, other) => (secondsOf(one) ?? 0) - (secondsOf(other) ?? 0))[0]

/** The error of a route that is skipped until its `Retry-After` deadline. */
export const waitOf = ({ retryAfterMs }: UpstreamError): Wait =>
  new VideoSaturated({ retryAfterSeconds: Math.ceil((retryAfterMs ?? 0) / 1_000) })

/** The error of a failed call, for the route's `RetryAfter` state; without one, its outcome is unknown. */
export const routeError = (error?: Wait | VideoRejected): UpstreamError => {
  const seconds = error && secondsOf(error)
  return new UpstreamError({
    failure: new UpstreamFailed({}),
    retry: "again",
    retryAfterMs: seconds === undefined ? undefined : seconds * 1_000,
    status: undefined,
    trouble: error && troubleOf(error),
    rests: error?._tag === "VideoSaturated" ? error.rests : undefined
  })
}

/** A task's account, and its lane at a route: all its videos have one, but for the tier. */
export const requesterOf = (account: AccountId, job: VideoJob): Requester<Place> => ({
  account,
  laneAt: ({ adapted, index }) => ({
    ...plainLane,
    tier: settingsAt(job, index).serviceTier === "flex" && adapted?.includes("service_tier") !== true ? "flex" : ""
  })
})

/** The upstream's own trouble; undefined if the task may have caused the error. */
const troubleOf = (error: Wait | VideoRejected): UpstreamTrouble | undefined => {
  switch (error._tag) {
    case "VideoSaturated":
    case "VideoRejected":
      return error.trouble
    case "VideoTransient":
      return "unreachable"
  }
}
