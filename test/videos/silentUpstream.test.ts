import { SqlClient } from "@effect/sql"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { TaskStore } from "../../src/tasks/TaskStore.ts"
import { videoBulkhead } from "../../src/videos/places.ts"
import type { VideoUpstream } from "../../src/upstreams/videos/VideoUpstream.ts"
import { VideoTransient } from "../../src/upstreams/videos/VideoUpstream.ts"
import { eventually, rows } from "../tasks/engine.ts"
import { job } from "./videoJob.ts"
import { atRest, drive, engine, newId as id, pass, queued, upstream, video } from "./scriptedUpstream.ts"

const places = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT DISTINCT upstream, lane FROM tasks`)

describe("video tasks that wait for an upstream that does not answer", () => {
  const gone = Effect.fail(new VideoTransient({ reason: "refused", unanswered: true }))
  const insertMany = (many: number, over: Parameters<typeof video>[0] = {}) =>
    Effect.flatMap(TaskStore, (store) =>
      Effect.forEach(Array.from({ length: many }).keys(), (n) => store.insert({ ...video(over), id: `v${n}` }), {
        discard: true
      })
    )
  const haveIds = eventually(rows, (all) => all.every((row) => row["upstream_id"] !== null))
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
        expect(yield* haveIds).toHaveLength(400)
      })
    )
  })

  it.effect("are polled a few at a time too, where they were submitted before", () => {
    const { calls, made } = upstream({ submit: [id], poll: [gone] })
    return drive(
      made,
      Effect.gen(function* () {
        yield* insertMany(400)
        yield* haveIds
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
      yield* haveIds
      expect(yield* places).toEqual([{ upstream: "other", lane: videoBulkhead("other") }])
    }).pipe(Effect.provide(engine(up, { ...made, name: "other" })))
  })

  it.effect("are where they were taken, whichever route was asked before in that turn", () => {
    const { made: up } = upstream({ submit: [gone] })
    const { calls, made } = upstream({ submit: [gone, id], poll: [queued] })
    return Effect.gen(function* () {
      yield* insertMany(1, { request: { ...job, routes } })
      yield* eventually(Effect.succeed(calls), ({ length }) => length === 1)
      yield* atRest
      yield* quarters(4)
      yield* haveIds
      expect(yield* places).toEqual([{ upstream: "other", lane: videoBulkhead("other") }])
    }).pipe(Effect.provide(engine(up, { ...made, name: "other" })))
  })
})
