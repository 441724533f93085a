import { SqlClient } from "@effect/sql"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer, Option, TestClock } from "effect"
import { Cancellation } from "../../src/tasks/Cancellation.ts"
import { CrashPoints } from "../../src/tasks/CrashPoints.ts"
import type { CrashPoint } from "../../src/tasks/CrashPoints.ts"
import type { Task } from "../../src/tasks/Task.ts"
import { TaskRunnerLive } from "../../src/tasks/TaskRunner.ts"
import { TaskStore } from "../../src/tasks/TaskStore.ts"
import { videoBulkhead } from "../../src/videos/places.ts"
import { Outages } from "../../src/videos/Outages.ts"
import { FirstReplies } from "../../src/videos/FirstReplies.ts"
import { makeVideoKind } from "../../src/videos/VideoKind.ts"
import type { VideoUpstream } from "../../src/upstreams/VideoUpstream.ts"
import {
  VideoAmbiguous,
  VideoRejected,
  VideoSaturated,
  VideoTransient,
  VideoUpstreams
} from "../../src/upstreams/VideoUpstream.ts"
import { alice, eventually, newTask, rows, settled, stores } from "../tasks/engine.ts"
import { job } from "./videoJob.ts"

const video = (over: Partial<Parameters<typeof newTask>[1]> = {}) =>
  newTask("v", {
    kind: "video",
    lane: videoBulkhead("up"),
    upstream: "up",
    request: job,
    expiresAtMs: 3_600_000,
    ...over
  })

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
    isPassthrough: false,
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

const engine = (...made: ReadonlyArray<VideoUpstream>) => {
  const kinds = Effect.map(
    makeVideoKind({ record: (task) => ({ id: task.id, status: task.state }) }),
    (kind) => stores({ kinds: [kind] }).layer
  ).pipe(Effect.provideService(VideoUpstreams, new Map(made.map((one) => [one.name, one]))))
  return Layer.mergeAll(TaskRunnerLive, Cancellation.Default).pipe(
    Layer.provideMerge(Layer.unwrapEffect(kinds)),
    Layer.provide(Layer.merge(Outages.Default, FirstReplies.Default))
  )
}

const taskOf = (id: string) =>
  Effect.flatMap(TaskStore, (store) => Effect.map(store.find(alice, "video", id), Option.getOrThrow))
const task = taskOf("v")
const becomes = (isSo: (task: Task) => boolean) => eventually(task, isSo)
const atRest = eventually(rows, (all) => all.every((row) => row.lease_owner === null))
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

  it.effect(
    "is not submitted by a process that was held up after it meant to: another may have done it by then",
    () => {
      const { calls, made } = upstream({ submit: [id], poll: [queued] })
      const intended: Array<ReadonlyArray<string>> = []
      const at = (point: CrashPoint) =>
        Effect.suspend(() => {
          if (point !== "intended") return Effect.void
          intended.push([...calls])
          return intended.length === 1 ? TestClock.adjust("5 seconds") : Effect.void
        })
      return drive(
        made,
        Effect.gen(function* () {
          yield* insert
          yield* becomes((seen) => seen.upstreamId === "up-1")
          // It was meant anew, and nothing was asked of anybody before.
          expect(intended).toEqual([[], []])
          expect(calls.filter((call) => call === "submit")).toHaveLength(1)
        })
      ).pipe(Effect.provideService(CrashPoints, { at }))
    }
  )

  it.effect.each([
    ["is kept where its successor has it", "upstream_id = 'up-1'", []],
    ["is kept where its successor has yet to look for it", "lease_owner = 'successor'", []],
    ["is cancelled where its successor submitted it again", "submit_at = submit_at + 20000", ["cancel"]],
    ["is cancelled where its successor has another", "upstream_id = 'up-2'", ["cancel"]],
    ["is cancelled where its task has ended", "state = 'expired', ended_at = 1", ["cancel"]]
  ] as const)("that was handed on during its submit %s", ([, change, then]) => {
    let handOn: Effect.Effect<unknown> = Effect.void
    const { calls, made } = upstream({
      submit: [Effect.suspend(() => Effect.as(handOn, "up-1"))],
      cancel: [Effect.succeed("cancelled")]
    })
    return drive(
      made,
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        handOn = Effect.orDie(sql.unsafe(`UPDATE tasks SET lease_token = 'successor', ${change}`))
        yield* insert
        yield* eventually(Effect.succeed(calls), ({ length }) => length > 0)
        yield* settled
        expect(calls).toEqual(["submit", ...then])
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

describe("video tasks that wait for an upstream which answers nobody", () => {
  const gone = Effect.fail(new VideoTransient({ reason: "refused", unanswered: true }))
  const insertMany = (many: number, over: Parameters<typeof video>[0] = {}) =>
    Effect.flatMap(TaskStore, (store) =>
      Effect.forEach(Array.from({ length: many }).keys(), (n) => store.insert({ ...video(over), id: `v${n}` }), {
        discard: true
      })
    )
  const quarters = (count: number) => Effect.repeatN(Effect.zipRight(pass(250), atRest), count - 1)

  it.effect("are tried a few at a time, and all of them once one is answered", () => {
    let isBack = false
    const { calls, made } = upstream({
      submit: [Effect.suspend((): ReturnType<VideoUpstream["submit"]> => (isBack ? id : gone))],
      poll: [queued]
    })
    return drive(
      made,
      Effect.gen(function* () {
        yield* insertMany(400)
        yield* eventually(Effect.succeed(calls), ({ length }) => length >= 16)
        yield* atRest
        const first = calls.length
        yield* quarters(20)
        // Ten each quarter of a second, where each of them by itself would have tried four times by now.
        expect(calls.length - first).toBeGreaterThanOrEqual(150)
        expect(calls.length - first).toBeLessThanOrEqual(210)
        isBack = true
        yield* quarters(12)
        const seen = yield* eventually(rows, (all) => all.every((row) => row.upstream_id === "up-1"))
        expect(seen).toHaveLength(400)
      })
    )
  })

  it.effect("are polled a few at a time too, where they were submitted before", () => {
    const { calls, made } = upstream({ submit: [id], poll: [gone] })
    return drive(
      made,
      Effect.gen(function* () {
        yield* insertMany(400)
        yield* eventually(rows, (all) => all.every((row) => row.upstream_id === "up-1"))
        yield* quarters(8)
        const before = calls.length
        yield* quarters(20)
        expect(calls.length - before).toBeGreaterThanOrEqual(150)
        expect(calls.length - before).toBeLessThanOrEqual(210)
      })
    )
  })

  it.effect("are tried each by itself where it answers, if only with errors", () => {
    const { calls, made } = upstream({ submit: [Effect.fail(new VideoTransient({ reason: "busy" }))] })
    return drive(
      made,
      Effect.gen(function* () {
        yield* insertMany(400)
        yield* eventually(Effect.succeed(calls), ({ length }) => length >= 400)
        yield* quarters(20)
        expect(calls.length).toBeGreaterThan(1_200)
      })
    )
  })

  const routes = [
    { upstream: "up", model: "seed" },
    { upstream: "other", model: "seed-there" }
  ]

  it.effect("go elsewhere at once where they may", () => {
    const { made: up } = upstream({ submit: [gone] })
    const { made } = upstream({ submit: [id], poll: [queued] })
    return Effect.gen(function* () {
      yield* insertMany(100, { request: { ...job, routes } })
      yield* eventually(rows, (all) => all.every((row) => row.upstream_id === "up-1"))
      for (const { id } of yield* rows) {
        expect(yield* taskOf(id)).toMatchObject({ upstream: "other", lane: videoBulkhead("other") })
      }
    }).pipe(Effect.provide(engine(up, { ...made, name: "other" })))
  })

  it.effect("are where they were taken, whoever was asked before in that turn", () => {
    const { made: up } = upstream({ submit: [gone] })
    const { calls, made } = upstream({ submit: [gone, id], poll: [queued] })
    return Effect.gen(function* () {
      yield* insertMany(1, { request: { ...job, routes } })
      yield* eventually(Effect.succeed(calls), ({ length }) => length === 1)
      yield* atRest
      yield* quarters(4)
      const [row] = yield* eventually(rows, ([row]) => row?.upstream_id === "up-1")
      expect(yield* taskOf(row?.id ?? "")).toMatchObject({ upstream: "other", lane: videoBulkhead("other") })
    }).pipe(Effect.provide(engine(up, { ...made, name: "other" })))
  })
})

const cancel = Effect.flatMap(Cancellation, (cancellation) => cancellation.cancel(alice, "video", "v"))

describe("a video task with several places", () => {
  const routes = [
    { upstream: "up", model: "seed" },
    { upstream: "other", model: "seed-there" },
    { upstream: "up", model: "seed-2" }
  ]
  const insertRouted = Effect.flatMap(TaskStore, (store) => store.insert(video({ request: { ...job, routes } })))
  const all =
    (...made: ReadonlyArray<VideoUpstream>) =>
    <A, E>(body: Effect.Effect<A, E, TaskStore | Cancellation | SqlClient.SqlClient>) =>
      body.pipe(Effect.provide(engine(...made)))
  const named = (name: string, made: VideoUpstream) => {
    const models: Array<string> = []
    return {
      models,
      made: {
        ...made,
        name,
        submit: (asked: typeof job) => {
          models.push(asked.upstreamModel)
          return made.submit(asked)
        }
      }
    }
  }

  it.effect.each([
    ["has no room", new VideoSaturated({ retryAfterSeconds: 30 })],
    ["can't be reached", new VideoTransient({ reason: "refused" })],
    ["can't be used by us", new VideoRejected({ code: "InternalServiceError", message: "key", elsewhere: true })]
  ] as const)("goes to the next at once where one %s", ([, error]) => {
    const one = named("up", upstream({ submit: [Effect.fail(error)] }).made)
    const two = named("other", upstream({ submit: [id], poll: [running, done] }).made)
    return Effect.gen(function* () {
      yield* insertRouted
      const seen = yield* becomes((seen) => seen.upstreamId !== null)
      expect([seen.upstream, seen.lane, seen.upstreamId]).toEqual(["other", "video:other", "up-1"])
      yield* atRest
      for (let n = 0; n < 2; n++) {
        yield* pass(1_500)
        yield* atRest
      }
      yield* becomes((seen) => seen.state === "succeeded")
      expect([one.models, two.models]).toEqual([["seed"], ["seed-there"]])
    }).pipe(all(one.made, two.made))
  })

  it.effect("leaves a place alone for as long as it asked", () => {
    const one = named("up", upstream({ submit: [Effect.fail(new VideoSaturated({ retryAfterSeconds: 30 })), id] }).made)
    const two = named("other", upstream({ submit: [id], poll: [running] }).made)
    const insertAnother = (name: string) =>
      Effect.flatMap(TaskStore, (store) =>
        store.insert({ ...video({ request: { ...job, routes: routes.slice(0, 2) } }), id: name })
      )
    const submitted = (name: string) =>
      eventually(
        Effect.flatMap(TaskStore, (store) => Effect.map(store.find(alice, "video", name), Option.getOrThrow)),
        (seen) => seen.upstreamId !== null
      )
    return Effect.gen(function* () {
      yield* insertAnother("v1")
      expect((yield* submitted("v1")).upstream).toBe("other")
      yield* insertAnother("v2")
      expect((yield* submitted("v2")).upstream).toBe("other")
      expect(one.models).toEqual(["seed"])
      yield* pass(31_000)
      yield* insertAnother("v3")
      expect((yield* submitted("v3")).upstream).toBe("up")
    }).pipe(all(one.made, two.made))
  })

  it.effect("stays queued while nobody has room, and fails where the fault is the caller's", () => {
    const full = Effect.fail(new VideoSaturated({ retryAfterSeconds: undefined }))
    const one = named(
      "up",
      upstream({ submit: [full, full, Effect.fail(new VideoRejected({ code: "Bad", message: "no" }))] }).made
    )
    const two = named("other", upstream({ submit: [full] }).made)
    return Effect.gen(function* () {
      yield* insertRouted
      yield* eventually(Effect.succeed(one.models), (models) => models.length === 2)
      yield* atRest
      expect((yield* task).state).toBe("queued")
      yield* pass(2_000)
      const ended = yield* becomes((seen) => seen.state === "failed")
      expect(ended.error).toEqual({ code: "Bad", message: "no" })
      expect([one.models, two.models]).toEqual([["seed", "seed-2", "seed"], ["seed-there"]])
    }).pipe(all(one.made, two.made))
  })

  it.effect("is submitted nowhere else while nobody knows what became of a submit", () => {
    const { calls, made } = upstream({
      submit: [Effect.fail(new VideoAmbiguous({ reason: "reset" }))],
      reconcile: [Effect.fail(new VideoTransient({ reason: "down" })), Effect.succeedSome("up-7")],
      poll: [queued]
    })
    const two = named("other", upstream({ submit: [id] }).made)
    return Effect.gen(function* () {
      yield* insertRouted
      yield* becomes((seen) => seen.submitAtMs !== null)
      yield* atRest
      yield* pass(5_000)
      yield* atRest
      yield* pass(1_000)
      const seen = yield* becomes((seen) => seen.upstreamId !== null)
      expect([seen.upstream, seen.upstreamId]).toEqual(["up", "up-7"])
      expect(calls.filter((call) => call !== "poll")).toEqual(["submit", "reconcile", "reconcile"])
      expect(two.models).toEqual([])
    }).pipe(all(made, two.made))
  })
})

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
