import type { SqlClient } from "@effect/sql"
import { Effect, Layer, Option, TestClock } from "effect"
import { Cancellation } from "../../src/tasks/Cancellation.ts"
import type { Task } from "../../src/tasks/Task.ts"
import { TaskRunnerLive } from "../../src/tasks/TaskRunner.ts"
import { TaskStore } from "../../src/tasks/TaskStore.ts"
import { videoBulkhead } from "../../src/videos/places.ts"
import { Outages } from "../../src/videos/Outages.ts"
import { FirstReplies } from "../../src/videos/FirstReplies.ts"
import { makeVideoKind } from "../../src/videos/VideoKind.ts"
import type { VideoUpstream } from "../../src/upstreams/videos/VideoUpstream.ts"
import { VideoUpstreams } from "../../src/upstreams/videos/VideoUpstream.ts"
import { alice, eventually, newTask, rows, settled, stores } from "../tasks/engine.ts"
import { job } from "./videoJob.ts"

export const video = (over: Partial<Parameters<typeof newTask>[1]> = {}) =>
  newTask("v", {
    kind: "video",
    lane: videoBulkhead("up"),
    upstream: "up",
    request: job,
    expiresAtMs: 3_600_000,
    ...over
  })

/** An upstream that answers each kind of call from a list, and its last answer for ever; it logs the calls. */
export const upstream = (answers: {
  readonly submit?: ReadonlyArray<ReturnType<VideoUpstream["submit"]>>
  readonly poll?: ReadonlyArray<ReturnType<VideoUpstream["poll"]>>
  readonly cancel?: ReadonlyArray<ReturnType<VideoUpstream["cancel"]>>
  readonly reconcile?: ReadonlyArray<ReturnType<NonNullable<VideoUpstream["reconcile"]>>>
}) => {
  const calls: Array<string> = []
  const nth = <A, E>(name: string, list: ReadonlyArray<Effect.Effect<A, E>> | undefined) =>
    Effect.suspend(() => {
      const n = calls.filter((call) => call === name).length
      calls.push(name)
      return list?.[Math.min(n, list.length - 1)] ?? Effect.dieMessage(`${name} was not expected`)
    })
  const made: VideoUpstream = {
    name: "up",
    isPassthrough: false,
    submit: () => nth("submit", answers.submit),
    poll: () => nth("poll", answers.poll),
    cancel: () => nth("cancel", answers.cancel),
    ...(answers.reconcile === undefined ? {} : { reconcile: () => nth("reconcile", answers.reconcile) })
  }
  return { calls, made }
}

export const id = Effect.succeed("up-1")
/** Another id for each submit. */
export const newId = Effect.sync(() => crypto.randomUUID())
export const queued = Effect.succeed({ status: "queued" } as const)
export const running = Effect.succeed({ status: "running" } as const)
export const done = Effect.succeed({ status: "succeeded", result: { videoUrl: "http://video" } } as const)

export const engine = (...made: ReadonlyArray<VideoUpstream>) => {
  const kinds = Effect.map(
    makeVideoKind({ record: (task) => ({ id: task.id, status: task.state }) }),
    (kind) => stores({ kinds: [kind] }).layer
  ).pipe(Effect.provideService(VideoUpstreams, new Map(made.map((one) => [one.name, one]))))
  return Layer.mergeAll(TaskRunnerLive, Cancellation.Default).pipe(
    Layer.provideMerge(Layer.unwrapEffect(kinds)),
    Layer.provide(Layer.merge(Outages.Default, FirstReplies.Default))
  )
}

export const task = Effect.flatMap(TaskStore, (store) => Effect.map(store.find(alice, "video", "v"), Option.getOrThrow))
export const becomes = (isSo: (task: Task) => boolean) => eventually(task, isSo)
export const atRest = eventually(rows, (all) => all.every((row) => row.lease_owner === null))
export const insert = Effect.flatMap(TaskStore, (store) => store.insert(video()))
export const pass = (ms: number) => Effect.zipRight(TestClock.adjust(ms), settled)

export const drive = <A, E>(
  made: VideoUpstream,
  body: Effect.Effect<A, E, TaskStore | Cancellation | SqlClient.SqlClient>
) => body.pipe(Effect.provide(engine(made)))

export const cancel = Effect.flatMap(Cancellation, (cancellation) => cancellation.cancel(alice, "video", "v"))
