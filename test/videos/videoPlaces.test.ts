import type { SqlClient } from "@effect/sql"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { AccountId } from "../../src/contract/callers/Caller.ts"
import type { Cancellation } from "../../src/tasks/Cancellation.ts"
import { TaskStore } from "../../src/tasks/TaskStore.ts"
import type { VideoUpstream } from "../../src/upstreams/videos/VideoUpstream.ts"
import {
  VideoAmbiguous,
  VideoRejected,
  VideoSaturated,
  VideoTransient
} from "../../src/upstreams/videos/VideoUpstream.ts"
import { alice, eventually } from "../tasks/engine.ts"
import { job } from "./videoJob.ts"
import {
  atRest,
  becomes,
  cancel,
  done,
  drive,
  engine,
  id,
  insert,
  newId,
  pass,
  queued,
  running,
  task,
  upstream,
  video
} from "./scriptedUpstream.ts"

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
    const one = named(
      "up",
      upstream({ submit: [Effect.fail(new VideoSaturated({ retryAfterSeconds: 30 })), newId] }).made
    )
    const two = named("other", upstream({ submit: [newId], poll: [running] }).made)
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

  it.effect("leaves a place to other accounts until a second one is refused there", () => {
    const full = Effect.fail(new VideoSaturated({ retryAfterSeconds: 30 }))
    const one = named("up", upstream({ submit: [full, newId, full, newId] }).made)
    const two = named("other", upstream({ submit: [newId], poll: [running] }).made)
    const submitted = (account: AccountId, name: string) =>
      Effect.flatMap(TaskStore, (store) =>
        Effect.zipRight(
          store.insert({ ...video({ request: { ...job, routes: routes.slice(0, 2) } }), id: name, account }),
          eventually(
            Effect.map(store.find(account, "video", name), Option.getOrThrow),
            (seen) => seen.upstreamId !== null
          )
        )
      )
    const upstreamOf = (name: string, id: string) =>
      Effect.map(submitted(AccountId.make(name), id), (seen) => seen.upstream)
    return Effect.gen(function* () {
      expect(yield* upstreamOf("a", "v1")).toBe("other")
      expect(yield* upstreamOf("b", "v2")).toBe("up")
      expect(yield* upstreamOf("a", "v3")).toBe("other")
      expect(yield* upstreamOf("c", "v4")).toBe("other")
      expect(one.models).toHaveLength(3)
    }).pipe(all(one.made, two.made))
  })

  it.effect("stays queued while no route has room, and fails where the fault is the caller's", () => {
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

  it.effect("is submitted nowhere else while the outcome of a submit is unknown", () => {
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
  it.effect("that was never submitted asks no upstream", () => {
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

  it.effect("that expires while it is being submitted stops the unwanted video", () => {
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
