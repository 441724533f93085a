import { SqlClient } from "@effect/sql"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Option, TestClock } from "effect"
import { CrashPoints } from "../../src/tasks/CrashPoints.ts"
import type { CrashPoint } from "../../src/tasks/CrashPoints.ts"
import {
  VideoAmbiguous,
  VideoRejected,
  VideoSaturated,
  VideoTransient
} from "../../src/upstreams/videos/VideoUpstream.ts"
import { TaskStore } from "../../src/tasks/TaskStore.ts"
import { bob, eventually, settled } from "../tasks/engine.ts"
import {
  atRest,
  becomes,
  done,
  drive,
  id,
  insert,
  pass,
  queued,
  running,
  task,
  upstream,
  video
} from "./scriptedUpstream.ts"

const requests = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT task_id FROM task_requests`)

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

  it.effect("fails whose upstream gives it the id of another account's video, which no poll then reads", () => {
    const { calls, made } = upstream({ submit: [id], poll: [done] })
    return drive(
      made,
      Effect.gen(function* () {
        yield* insert
        yield* becomes((seen) => seen.upstreamId === "up-1")
        yield* atRest
        yield* pass(1_500)
        yield* becomes((seen) => seen.state === "succeeded")
        const store = yield* TaskStore
        yield* store.insert({ ...video(), id: "w", account: bob })
        const other = Effect.map(store.find(bob, "video", "w"), Option.getOrThrow)
        const ended = yield* eventually(other, (seen) => seen.endedAtMs !== null)
        expect(ended).toMatchObject({ state: "failed", upstreamId: null, result: null })
        expect(ended.error?.message).toContain("the id of another one")
        expect(calls).toEqual(["submit", "poll", "submit"])
        expect((yield* task).state).toBe("succeeded")
      })
    )
  })

  it.effect("keeps the progress that its upstream tells, which never goes back and is no change of its state", () => {
    const at = (progress: number) => Effect.succeed({ status: "running", progress } as const)
    const { calls, made } = upstream({ submit: [id], poll: [running, at(30), at(80), at(10)] })
    return drive(
      made,
      Effect.gen(function* () {
        yield* insert
        yield* becomes((seen) => seen.upstreamId === "up-1")
        while (calls.length < 7) {
          yield* atRest
          yield* pass(1_500)
        }
        yield* atRest
        const { changes, details, state } = yield* task
        expect([state, details["progress"], changes]).toEqual(["running", 80, 2])
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
          // It was meant anew, and no upstream was asked before.
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

  it.effect("is polled again for 30 s while its upstream does not know it yet, and fails afterwards", () => {
    const unknown = Effect.fail(new VideoRejected({ code: "ResourceNotFound", message: "no such video" }))
    const { calls, made } = upstream({ submit: [id], poll: [unknown, queued, unknown] })
    return drive(
      made,
      Effect.gen(function* () {
        yield* insert
        yield* becomes((seen) => seen.upstreamId === "up-1")
        yield* pass(3_000)
        yield* eventually(Effect.succeed(calls), (all) => all.filter((call) => call === "poll").length >= 1)
        yield* atRest
        expect((yield* task).state).toBe("queued")
        yield* pass(31_000)
        yield* atRest
        yield* pass(31_000)
        const ended = yield* becomes((seen) => seen.state === "failed")
        expect(ended.error?.code).toBe("ResourceNotFound")
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
