import { Effect } from "effect"
import { exitOf } from "../flow/exitOf.ts"
import type { Task } from "../tasks/Task.ts"
import { TaskCallLog } from "../telemetry/TaskCallLog.ts"
import { CallReports } from "../upstreams/calls/CallReports.ts"
import { atKey } from "../upstreams/keys/KeyPool.ts"
import { VideoUpstreams } from "../upstreams/videos/VideoUpstream.ts"
import type { VideoUpstream } from "../upstreams/videos/VideoUpstream.ts"
import { upstreamOf } from "./places.ts"
import type { Place } from "./places.ts"

type TaskOf = Pick<Task, "id" | "account" | "key" | "model" | "requestId">

/** The upstreams of tasks: their calls are counted and stored. */
export const makeCalling = Effect.gen(function* () {
  const upstreams = yield* VideoUpstreams
  const log = yield* TaskCallLog
  return {
    /** The upstream of a place with its key; undefined if it is gone. */
    at: (place: Pick<Place, "upstream" | "key">, task: TaskOf) => {
      const upstream = atKey(upstreams.get(place.upstream), place.key)
      return upstream && observe(log, upstream, task, place.key)
    },
    /** The upstream that makes a task's video. */
    of: (task: Task) => {
      const upstream = upstreamOf(task, upstreams)
      return upstream && observe(log, upstream, task)
    }
  } as const
})

const observe = (log: TaskCallLog, upstream: VideoUpstream, task: TaskOf, key?: string): VideoUpstream => {
  const hear = <A, E>(call: Effect.Effect<A, E>, model = ""): Effect.Effect<A, E> =>
    exitOf(call) !== undefined
      ? call
      : Effect.provideService(call, CallReports, (ended) =>
          log.append({
            ...ended,
            kind: "video",
            calls: ended.outcome === "unsent" ? 0 : 1,
            upstream: upstream.name,
            model,
            key,
            task: task.id,
            requestId: task.requestId ?? "",
            asked: task.model,
            account: task.account,
            keyId: task.key,
            atMs: Date.now() - ended.durationMs,
            isHidden: false
          })
        )
  const { reconcile } = upstream
  return {
    ...upstream,
    submit: (job) => hear(upstream.submit(job), job.upstreamModel),
    poll: (id) => hear(upstream.poll(id)),
    cancel: (id) => hear(upstream.cancel(id)),
    ...(reconcile === undefined ? {} : { reconcile: (job, submit) => hear(reconcile(job, submit)) })
  }
}
