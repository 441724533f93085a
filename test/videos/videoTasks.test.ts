import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Option, TestClock } from "effect"
import { TaskStore } from "../../src/tasks/TaskStore.ts"
import { VideoTasks } from "../../src/videos/VideoTasks.ts"
import { settled } from "../sql/clock.ts"
import { videoBulkhead } from "../../src/videos/places.ts"
import { Outages } from "../../src/videos/Outages.ts"
import { image, text } from "./requests.ts"
import { alice, create, failure, job, layer } from "./createTask.ts"

describe("creating a video task whose upstream does not answer", () => {
  const silent = (lane: string) =>
    Effect.map(Outages, ({ unanswered }) => {
      for (let call = 0; call < 16; call++) unanswered(lane, undefined, 0)
    })
  const taskOf = (id: string) =>
    Effect.flatMap(TaskStore, (store) => Effect.map(store.find(alice.account, "video", id), Option.getOrThrow))

  it.effect("waits for no word of it", () =>
    Effect.gen(function* () {
      const waiting = yield* Effect.fork(create({ model: "strict-video" }))
      yield* settled
      expect(yield* Fiber.poll(waiting)).toEqual(Option.none())
      yield* silent(videoBulkhead("strict"))
      expect((yield* create({ model: "strict-video" })).id).toMatch(/^cgt-/)
      yield* TestClock.adjust("10 seconds")
      yield* Fiber.join(waiting)
    }).pipe(Effect.provide(layer))
  )

  it.effect("begins at a route that answers, and at the first if none does", () =>
    Effect.gen(function* () {
      yield* silent(videoBulkhead("strict"))
      const waiting = yield* Effect.fork(create({ model: "either" }))
      yield* settled
      yield* TestClock.adjust("10 seconds")
      const { id } = yield* Fiber.join(waiting)
      expect(yield* taskOf(id)).toMatchObject({ lane: videoBulkhead("ark"), upstream: "ark", details: { route: 1 } })
      expect(yield* job(id)).toMatchObject({ upstreamModel: "strict-there", routes: [{}, { model: "ark-there" }] })
      yield* silent(videoBulkhead("ark"))
      const { id: other } = yield* create({ model: "either" })
      expect(yield* taskOf(other)).toMatchObject({ lane: videoBulkhead("strict"), upstream: "strict" })
    }).pipe(Effect.provide(layer))
  )
})

describe("creating a video task", () => {
  it.effect("answers an id that can't be guessed, of a task that is stored", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 5, 6, 16, 0, 57))
      const videos = yield* VideoTasks
      const { id } = yield* create()
      expect(id).toMatch(/^cgt-20260606160057-[a-z0-9]{16}$/)
      expect(yield* videos.find(alice, id)).toEqual({
        id,
        model: "sandbox-video",
        status: "queued",
        created_at: 1_780_761_657,
        updated_at: 1_780_761_657,
        service_tier: "default",
        execution_expires_after: 172_800,
        generate_audio: true,
        draft: false,
        priority: 0
      })
    }).pipe(Effect.provide(layer))
  )

  it.effect("chooses a seed once, from the id", () =>
    Effect.gen(function* () {
      const one = yield* create({})
      const first = yield* job(one.id)
      expect(yield* job(one.id)).toEqual(first)
      const seeds = yield* Effect.forEach(Array.from({ length: 20 }), () =>
        Effect.flatMap(create({}), ({ id }) => job(id))
      )
      const settings = seeds.map((stored) => (stored as { settings: { seed: number } }).settings)
      expect(new Set(settings.map(({ seed }) => seed)).size).toBeGreaterThan(15)
    }).pipe(Effect.provide(layer))
  )

  it.effect("refuses unknown models, models of another kind and models that the key may not use", () =>
    Effect.gen(function* () {
      expect((yield* failure(create({ model: "nope" })))._tag).toBe("InvalidRequest")
      expect((yield* failure(create({ model: "words" })))._tag).toBe("InvalidRequest")
      expect((yield* failure(create({}, { ...alice, models: ["seed*"] })))._tag).toBe("ModelForbidden")
      expect(Exit.isSuccess(yield* Effect.exit(create({}, { ...alice, models: ["sandbox-*"] })))).toBe(true)
    }).pipe(Effect.provide(layer))
  )

  it.effect("refuses a callback address that is not to be called", () =>
    Effect.gen(function* () {
      expect(yield* failure(create({ callback_url: "http://inside.example" }))).toMatchObject({
        _tag: "InvalidRequest",
        message: "callback_url: expected a public address"
      })
      const { id } = yield* create({ callback_url: "http://outside.example/hook" })
      const stored = yield* Effect.flatMap(TaskStore, (store) => store.find(alice.account, "video", id))
      expect(Option.map(stored, ({ callbackUrl }) => callbackUrl)).toEqual(Option.some("http://outside.example/hook"))
    }).pipe(Effect.provide(layer))
  )

  it.effect("takes the resolutions that the model makes", () =>
    Effect.gen(function* () {
      expect(yield* failure(create({ resolution: "4k" }))).toMatchObject({
        message: 'resolution: expected one of 480p, 720p, 1080p for sandbox-video; got "4k"'
      })
      yield* create({ model: "seedance", resolution: "4k" })
      expect((yield* failure(create({ model: "seedance", resolution: "720p" })))._tag).toBe("InvalidRequest")
    }).pipe(Effect.provide(layer))
  )

  it.effect("names in its record what the upstream can't carry, and refuses it in strict mode", () =>
    Effect.gen(function* () {
      const { id } = yield* create({ model: "lacking", seed: 5 })
      expect(yield* Effect.flatMap(VideoTasks, (videos) => videos.find(alice, id))).toMatchObject({
        adapted: ["seed"]
      })
      expect(yield* failure(create({ model: "lacking-strict", seed: 5 }))).toMatchObject({
        _tag: "InvalidRequest",
        param: "seed",
        message: "seed: not supported as asked by this model's upstream"
      })
    }).pipe(Effect.provide(layer))
  )

  it.effect("hands its own upstreams what to render, and others of its protocol the whole body but the callback", () =>
    Effect.gen(function* () {
      const content = [text("a cat --seed 5"), image("first_frame", "https://example.com/a.png")]
      const ours = yield* create({ content })
      expect(yield* job(ours.id)).toMatchObject({
        taskId: ours.id,
        upstreamModel: "sandbox-video-there",
        prompt: "a cat",
        media: [{ kind: "image", role: "first_frame", url: "https://example.com/a.png" }],
        body: null
      })
      const fields = {
        model: "seedance",
        resolution: "480p",
        content,
        unknown_field: 1,
        callback_url: "http://o.example"
      }
      const theirs = yield* create(fields)
      const { callback_url: _, ...rest } = fields
      const stored = yield* job(theirs.id)
      expect(stored).toMatchObject({ media: [], body: rest })
      expect(JSON.stringify(stored)).not.toContain("o.example")
    }).pipe(Effect.provide(layer))
  )
})
