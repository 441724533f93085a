import { SqlClient } from "@effect/sql"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer, TestClock } from "effect"
import { Ledger } from "../../src/ledger/Ledger.ts"
import { fromUsd } from "../../src/ledger/Price.ts"
import { TaskStore } from "../../src/tasks/TaskStore.ts"
import type { VideoFetching, VideoReport } from "../../src/upstreams/videos/VideoUpstream.ts"
import { describeOnEachStore } from "../tasks/engine.ts"
import { create, layer } from "./createTask.ts"
import { atRest, becomes, done, engine, id, pass, running, task, upstream, video } from "./scriptedUpstream.ts"

const minute = 60_000
const fetching = (over: Partial<VideoFetching> = {}) =>
  Effect.succeed<VideoReport>({ status: "fetching", nextPollMs: 10 * minute, made: { duration: 5 }, ...over })

/** A task that was submitted and polled once. */
const polledOnce = Effect.gen(function* () {
  yield* Effect.flatMap(TaskStore, (store) => store.insert(video({ expiresAtMs: 24 * 60 * minute })))
  yield* becomes((seen) => seen.upstreamId === "up-1")
  yield* atRest
  yield* pass(1_500)
  yield* atRest
})

describeOnEachStore("a video that is made, and whose file is not there yet", () => {
  it.effect("is tried for an hour from when it was made, by whichever process, and fails with the last reason", () => {
    const first = upstream({ submit: [id], poll: [fetching({ reason: "its address answers 403" })] })
    return Effect.gen(function* () {
      yield* polledOnce
      const { details, state } = yield* task
      const made = { atMs: expect.any(Number), result: { duration: 5, videoUrl: "" } }
      expect([state, details["made"]]).toEqual(["running", made])
      for (let n = 0; n < 5; n++) yield* Effect.zipRight(pass(10 * minute), atRest)
      expect(yield* task).toMatchObject({ state: "running", details })
      yield* Effect.zipRight(pass(10 * minute), atRest)
      yield* pass(10 * minute)
      const ended = yield* becomes(({ state }) => state === "failed")
      expect(ended.error).toEqual({
        code: "ResourceNotFound",
        message:
          "The upstream made the video, but its file could not be fetched: its address answers 403. Nothing was charged."
      })
      expect(ended.details).toEqual(details)
    }).pipe(Effect.provide(engine(first.made)))
  })

  it.effect("succeeds once it is there, and fails at once if it is gone", () => {
    const there = upstream({ submit: [id], poll: [fetching({ nextPollMs: 500 }), done] })
    const gone = upstream({ submit: [id], poll: [fetching({ isGone: true, reason: "its address answers 404" })] })
    const ended = Effect.gen(function* () {
      yield* polledOnce
      yield* pass(1_500)
      return yield* becomes(({ endedAtMs }) => endedAtMs !== null)
    })
    return Effect.gen(function* () {
      expect((yield* ended.pipe(Effect.provide(engine(there.made)))).state).toBe("succeeded")
      const failed = yield* Effect.zipRight(TestClock.setTime(0), ended.pipe(Effect.provide(engine(gone.made))))
      expect(failed.error?.message).toContain("its address answers 404")
    })
  })

  it.effect("in a state that its upstream can't tell runs on, and has expired once it would be forgotten", () => {
    const unknown = Effect.succeed({ status: "unknown", nextPollMs: 10 * minute, expiresAfterMs: 30 * minute } as const)
    const { made } = upstream({ submit: [id], poll: [running, unknown] })
    return Effect.gen(function* () {
      yield* polledOnce
      for (let n = 0; n < 3; n++) {
        yield* Effect.zipRight(pass(9 * minute), atRest)
        expect((yield* task).state).toBe("running")
      }
      for (let n = 0; n < 2; n++) yield* Effect.zipRight(pass(10 * minute), atRest)
      expect((yield* task).state).toBe("expired")
    }).pipe(Effect.provide(engine(made)))
  })
})

const price = fromUsd({ per_second: 0.1 })

describe("a video that its upstream bills and nobody gets", () => {
  it.effect.each(["failed", "expired", "cancelled"] as const)("costs the operator, not the caller, once %s", (state) =>
    Effect.gen(function* () {
      const store = yield* TaskStore
      const sql = yield* SqlClient.SqlClient
      const { id } = yield* create()
      yield* sql`UPDATE holds SET price = ${price.text} WHERE id = ${id}`
      const [held] = yield* store.claim("video:sandbox", 1)
      const made = { atMs: 0, result: { videoUrl: "", duration: 4 } }
      const details = { ...held!.task.details, made }
      yield* store.write(held!, { state: "running", upstreamId: "up", details })
      yield* store.end(id, state)
      yield* Effect.flatMap(Ledger, (ledger) => ledger.flush)
      const rows = yield* sql`SELECT outcome, cost_nano_usd, upstream_cost_nano_usd, task_id FROM usage`
      expect(rows).toEqual([
        { outcome: "given-up", cost_nano_usd: 0, upstream_cost_nano_usd: 400_000_000, task_id: id }
      ])
      expect(yield* sql`SELECT id FROM holds`).toEqual([])
    }).pipe(Effect.provide(Layer.fresh(layer)))
  )
})
