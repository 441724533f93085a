import { SqlClient } from "@effect/sql"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer, Option, TestClock } from "effect"
import { Cancellation } from "../../src/tasks/Cancellation.ts"
import type { Task } from "../../src/tasks/Task.ts"
import { TaskRunnerLive } from "../../src/tasks/TaskRunner.ts"
import { TaskStore } from "../../src/tasks/TaskStore.ts"
import { makeVideoKind, videoLane } from "../../src/tasks/VideoKind.ts"
import type { VideoUpstream } from "../../src/upstreams/VideoUpstream.ts"
import {
  VideoAmbiguous,
  VideoRejected,
  VideoSaturated,
  VideoTransient,
  VideoUpstreams
} from "../../src/upstreams/VideoUpstream.ts"
import { alice, eventually, newTask, rows, settled, stores } from "./engine.ts"
import { job } from "./videoJob.ts"

const video = (over: Partial<Parameters<typeof newTask>[1]> = {}) =>
  newTask("v", { kind: "video", lane: videoLane("up"), upstream: "up", request: job, expiresAtMs: 3_600_000, ...over })

/** An upstream that answers each kind of call from a list, and its last answer for ever; it logs the calls. */
const upstream = (answers: {
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
    passesThrough: false,
    submit: () => nth("submit", answers.submit),
    poll: () => nth("poll", answers.poll),
    cancel: () => nth("cancel", answers.cancel),
    ...(answers.reconcile === undefined ? {} : { reconcile: () => nth("reconcile", answers.reconcile) })
  }
  return { calls, made }
}

const id = Effect.succeed("up-1")
const queued = Effect.succeed({ status: "queued" } as const)
const running = Effect.succeed({ status: "running" } as const)
const done = Effect.succeed({ status: "succeeded", result: { videoUrl: "http://video" } } as const)

const engine = (made: VideoUpstream) => {
  const kinds = Effect.map(
    makeVideoKind({ record: (task) => ({ id: task.id, status: task.state }) }),
    (kind) => stores({ kinds: [kind] }).layer
  ).pipe(Effect.provideService(VideoUpstreams, new Map([["up", made]])))
  return Layer.mergeAll(TaskRunnerLive, Cancellation.Default).pipe(Layer.provideMerge(Layer.unwrapEffect(kinds)))
}

const task = Effect.flatMap(TaskStore, (store) => Effect.map(store.find(alice, "video", "v"), Option.getOrThrow))
const becomes = (isSo: (task: Task) => boolean) => eventually(task, isSo)
const atRest = eventually(rows, (all) => all.every((row) => row["lease_token"] === null))
const requests = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT task_id FROM task_requests`)
const insert = Effect.flatMap(TaskStore, (store) => store.insert(video()))
const pass = (ms: number) => Effect.zipRight(TestClock.adjust(ms), settled)

const drive = <A, E>(made: VideoUpstream, body: Effect.Effect<A, E, TaskStore | Cancellation | SqlClient.SqlClient>) =>
  body.pipe(Effect.provide(engine(made)))

describe("a video task", () => {
  it.effect("is submitted once, polled until it is done, and keeps no input after its submit", () => {
    const { calls, made } = upstream({ submit: [id], poll: [queued, running, done] })
    return drive(
      made,
      Effect.gen(function* () {
        yield* insert
        yield* becomes((seen) => seen.upstreamId === "up-1")
        yield* atRest
        expect(yield* requests).toEqual([])
        for (let n = 0; n < 3; n++) {
          yield* pass(1_500)
          yield* atRest
        }
        const ended = yield* becomes((seen) => seen.state === "succeeded")
        expect(ended.changes).toBe(3)
        expect(ended.result).toEqual({ videoUrl: "http://video" })
        expect(calls).toEqual(["submit", "poll", "poll", "poll"])
      })
    )
  })

  it.effect("stays queued while the upstream has no room, and is submitted again later and later", () => {
    const full = Effect.fail(new VideoSaturated({ retryAfterSeconds: undefined }))
    const { calls, made } = upstream({ submit: [full, full, full, id], poll: [queued] })
    return drive(
      made,
      Effect.gen(function* () {
        yield* insert
        yield* eventually(Effect.succeed(calls), (all) => all.length === 1)
        yield* atRest
        yield* pass(700)
        expect(calls).toHaveLength(1)
        for (const ms of [600, 2_400, 4_800]) {
          yield* pass(ms)
          yield* atRest
        }
        const seen = yield* becomes((seen) => seen.upstreamId === "up-1")
        expect([seen.state, seen.attempts]).toEqual(["queued", 0])
        expect(calls.filter((call) => call === "submit")).toHaveLength(4)
      })
    )
  })

  it.effect("waits for as long as the upstream asked", () => {
    const { calls, made } = upstream({
      submit: [Effect.fail(new VideoSaturated({ retryAfterSeconds: 100 })), id],
      poll: [queued]
    })
    return drive(
      made,
      Effect.gen(function* () {
        yield* insert
        yield* eventually(Effect.succeed(calls), (all) => all.length === 1)
        yield* atRest
        yield* pass(79_000)
        expect(calls).toHaveLength(1)
        yield* pass(41_000)
        yield* becomes((seen) => seen.upstreamId === "up-1")
      })
    )
  })

  it.effect("fails with the upstream's words when it says no", () => {
    const { made } = upstream({ submit: [Effect.fail(new VideoRejected({ code: "Sensitive", message: "no" }))] })
    return drive(
      made,
      Effect.gen(function* () {
        yield* insert
        const ended = yield* becomes((seen) => seen.state === "failed")
        expect(ended.error).toEqual({ code: "Sensitive", message: "no" })
      })
    )
  })

  it.effect("is not failed by polls that fail", () => {
    const down = Effect.fail(new VideoTransient({ reason: "502" }))
    const { calls, made } = upstream({ submit: [id], poll: [...Array.from({ length: 12 }, () => down), done] })
    return drive(
      made,
      Effect.gen(function* () {
        yield* insert
        yield* becomes((seen) => seen.upstreamId === "up-1")
        for (let n = 0; n < 14; n++) {
          yield* pass(36_000)
          yield* atRest
        }
        yield* becomes((seen) => seen.state === "succeeded")
        expect(calls.filter((call) => call === "poll")).toHaveLength(13)
      })
    )
  })

  it.effect("whose submit got no answer is looked for, and not submitted again where it is found", () => {
    const { calls, made } = upstream({
      submit: [Effect.fail(new VideoAmbiguous({ reason: "reset" }))],
      reconcile: [Effect.fail(new VideoAmbiguous({ reason: "two look alike" })), Effect.succeedSome("up-7")],
      poll: [queued]
    })
    return drive(
      made,
      Effect.gen(function* () {
        yield* insert
        yield* becomes((seen) => seen.submitAtMs !== null)
        yield* atRest
        yield* pass(5_000)
        yield* atRest
        yield* pass(1_000)
        const seen = yield* becomes((seen) => seen.upstreamId !== null)
        expect(seen.upstreamId).toBe("up-7")
        expect(calls.filter((call) => call !== "poll")).toEqual(["submit", "reconcile", "reconcile"])
      })
    )
  })

  it.effect("whose submit got no answer is submitted again only where the upstream says it has nothing", () => {
    const { calls, made } = upstream({
      submit: [Effect.fail(new VideoAmbiguous({ reason: "reset" })), id],
      reconcile: [Effect.succeedNone],
      poll: [queued]
    })
    return drive(
      made,
      Effect.gen(function* () {
        yield* insert
        yield* becomes((seen) => seen.submitAtMs !== null)
        yield* atRest
        yield* pass(5_000)
        yield* becomes((seen) => seen.upstreamId === "up-1")
        expect(calls.filter((call) => call !== "poll")).toEqual(["submit", "reconcile", "submit"])
      })
    )
  })

  it.effect("whose submit got no answer fails where the upstream can't tell", () => {
    const { calls, made } = upstream({ submit: [Effect.fail(new VideoAmbiguous({ reason: "reset" }))] })
    return drive(
      made,
      Effect.gen(function* () {
        yield* insert
        const ended = yield* becomes((seen) => seen.state === "failed")
        expect(ended.error?.code).toBe("SubmitUnconfirmed")
        expect(calls).toEqual(["submit"])
      })
    )
  })
})

const cancel = Effect.flatMap(Cancellation, (cancellation) => cancellation.cancel(alice, "video", "v"))

describe("cancelling a video task", () => {
  it.effect("that was never submitted asks nobody", () => {
    const full = Effect.fail(new VideoSaturated({ retryAfterSeconds: undefined }))
    const { calls, made } = upstream({ submit: [full] })
    return drive(
      made,
      Effect.gen(function* () {
        yield* insert
        yield* eventually(Effect.succeed(calls), (all) => all.length === 1)
        yield* atRest
        expect(yield* cancel).toBe("cancelled")
        expect(yield* cancel).toBe("ended")
        yield* pass(5_000)
        expect((yield* task).state).toBe("cancelled")
        expect(calls).toEqual(["submit"])
      })
    )
  })

  it.effect("reaches the upstream, and stays cancelled whatever comes later", () => {
    const { calls, made } = upstream({ submit: [id], cancel: [Effect.succeed("cancelled")], poll: [done] })
    return drive(
      made,
      Effect.gen(function* () {
        yield* insert
        yield* becomes((seen) => seen.upstreamId !== null)
        expect(yield* cancel).toBe("cancelled")
        yield* pass(60_000)
        expect((yield* task).state).toBe("cancelled")
        expect(calls).toEqual(["submit", "cancel"])
      })
    )
  })

  it.effect("that the upstream has begun is refused, and so is one whose upstream can't be asked", () => {
    const { made } = upstream({
      submit: [id],
      cancel: [Effect.fail(new VideoTransient({ reason: "down" })), Effect.succeed("running")],
      poll: [queued]
    })
    return drive(
      made,
      Effect.gen(function* () {
        yield* insert
        yield* becomes((seen) => seen.upstreamId !== null)
        expect(yield* cancel).toBe("unreachable")
        expect(yield* cancel).toBe("running")
        expect((yield* task).state).toBe("queued")
      })
    )
  })

  it.effect("while it is being submitted waits for the submit and then reaches the upstream", () => {
    const { calls, made } = upstream({
      submit: [Effect.delay(id, "1 second")],
      cancel: [Effect.succeed("cancelled")],
      poll: [queued]
    })
    return drive(
      made,
      Effect.gen(function* () {
        yield* insert
        yield* becomes((seen) => seen.submitAtMs !== null)
        const cancelling = yield* Effect.fork(cancel)
        for (let n = 0; n < 30; n++) yield* pass(50)
        expect(yield* cancelling).toBe("cancelled")
        expect(calls).toEqual(["submit", "cancel"])
      })
    )
  })

  it.effect("that expires while it is being submitted stops the video that nobody waits for", () => {
    const { calls, made } = upstream({ submit: [Effect.delay(id, "2 seconds")], cancel: [Effect.succeed("cancelled")] })
    return drive(
      made,
      Effect.gen(function* () {
        yield* Effect.flatMap(TaskStore, (store) => store.insert(video({ expiresAtMs: 1_000 })))
        yield* becomes((seen) => seen.submitAtMs !== null)
        yield* pass(1_000)
        yield* becomes((seen) => seen.state === "expired")
        yield* pass(1_000)
        yield* eventually(Effect.succeed(calls), (all) => all.includes("cancel"))
        expect((yield* task).state).toBe("expired")
      })
    )
  })
})
