import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Exit, Layer, Option, TestClock } from "effect"
import { AccountId, KeyId, unrestricted } from "../../src/contract/Caller.ts"
import { InvalidRequest } from "../../src/contract/Failure.ts"
import { Ledger } from "../../src/ledger/Ledger.ts"
import { AddressGuard } from "../../src/guard/AddressGuard.ts"
import type { Model } from "../../src/models/Catalogue.ts"
import { Models } from "../../src/models/Models.ts"
import { TaskStore } from "../../src/tasks/TaskStore.ts"
import { makeVideoKind } from "../../src/tasks/VideoKind.ts"
import { TaskKinds, taskKinds } from "../../src/tasks/TaskKind.ts"
import { Outbox } from "../../src/tasks/Outbox.ts"
import { Cancellation } from "../../src/tasks/Cancellation.ts"
import { Leases } from "../../src/tasks/Leases.ts"
import { Changes } from "../../src/sql/Changes.ts"
import { Commits } from "../../src/sql/Commits.ts"
import { layer as database } from "../../src/sql/Database.ts"
import { VideoUpstreams } from "../../src/upstreams/VideoUpstream.ts"
import type { VideoUpstream } from "../../src/upstreams/VideoUpstream.ts"
import { VideoTasks } from "../../src/videos/VideoTasks.ts"
import { makeVideoFamily } from "../../src/videos/videoFamily.ts"
import { image, request, text } from "./requests.ts"

const upstream = (name: string, passesThrough: boolean): VideoUpstream => ({
  name,
  passesThrough,
  submit: () => Effect.succeed("up-1"),
  poll: () => Effect.succeed({ status: "running" }),
  cancel: () => Effect.succeed("running")
})
const Upstreams = Layer.succeed(
  VideoUpstreams,
  new Map([
    ["sandbox", upstream("sandbox", false)],
    ["ark", upstream("ark", true)]
  ])
)

const model = (id: string, upstream: string, more: Partial<Model> = {}): Model => ({
  id,
  kind: "video",
  routes: [{ upstream, model: `${id}-there` }],
  contextTokens: undefined,
  ownedBy: upstream,
  ...more
})
const served = [
  model("sandbox-video", "sandbox"),
  model("seedance", "ark", { resolutions: ["480p", "4k"] }),
  model("words", "sandbox", { kind: "text" })
]
const ModelsStub = Layer.succeed(
  Models,
  Models.make({
    find: (id: string) => {
      const found = served.find((one) => one.id === id && one.kind === "video")
      return found === undefined
        ? Effect.fail(new InvalidRequest({ param: "model", message: `model: unknown model "${id}"` }))
        : Effect.succeed(found)
    }
  } as never)
)
const GuardStub = Layer.succeed(
  AddressGuard,
  AddressGuard.make({
    admit: (written: string, param: string) =>
      written.includes("inside")
        ? Effect.fail(new InvalidRequest({ param, message: `${param}: expected a public address` }))
        : Effect.void
  } as never)
)

const Kinds = Layer.effect(
  TaskKinds,
  Effect.map(Effect.flatMap(makeVideoFamily, makeVideoKind), (kind) => taskKinds(kind))
)
/** One that looks for no changes: these tests move the clock by years. */
const LedgerStill = Ledger.DefaultWithoutDependencies.pipe(
  Layer.provide(
    Layer.succeed(
      Changes,
      Changes.make({ seen: () => 0, tell: Effect.succeed([]), listen: () => Effect.succeed(0) } as never)
    )
  )
)
const layer = VideoTasks.DefaultWithoutDependencies.pipe(
  Layer.provide(Cancellation.Default),
  Layer.provideMerge(Leases.Default),
  Layer.provideMerge(TaskStore.Default),
  Layer.provideMerge(Layer.mergeAll(Kinds, Outbox.none, ModelsStub, GuardStub)),
  Layer.provideMerge(Upstreams),
  Layer.provideMerge(LedgerStill),
  Layer.provideMerge(Commits.Default),
  Layer.provideMerge(database({ url: "sqlite::memory:", exclusive: false })),
  Layer.orDie
)

const alice = unrestricted(AccountId.make("alice"), KeyId.make("a"))
const bob = unrestricted(AccountId.make("bob"), KeyId.make("b"))

const create = (fields: Record<string, unknown> = {}, caller = alice) =>
  Effect.flatMap(VideoTasks, (videos) => {
    const made = request(fields)
    return videos.create(caller, made, { id: "req_1", body: { ...made, ...fields } })
  })
const job = (id: string) => Effect.flatMap(Leases, (leases) => leases.request(id))
const failure = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.flip(effect)

describe("creating a video task", () => {
  it.effect("answers an id that can't be guessed, of a task that is stored", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 5, 6, 16, 0, 57))
      const videos = yield* VideoTasks
      const { id } = yield* create()
      expect(id).toMatch(/^cgt-20260606160057-[a-z0-9]{16}$/)
      expect(yield* videos.find(alice.account, id)).toEqual({
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

  it.effect("chooses a seed and a length once, from the id", () =>
    Effect.gen(function* () {
      const one = yield* create({ duration: -1 })
      const first = yield* job(one.id)
      expect(yield* job(one.id)).toEqual(first)
      const seeds = yield* Effect.forEach(Array.from({ length: 20 }), () =>
        Effect.flatMap(create({ duration: -1 }), ({ id }) => job(id))
      )
      const settings = seeds.map((stored) => (stored as { settings: { seed: number; frames: number } }).settings)
      expect(new Set(settings.map(({ seed }) => seed)).size).toBeGreaterThan(15)
      expect(new Set(settings.map(({ frames }) => frames)).size).toBeGreaterThan(3)
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
        message: 'resolution: expected one of 480p, 720p, 1080p; got "4k"'
      })
      yield* create({ model: "seedance", resolution: "4k" })
      expect((yield* failure(create({ model: "seedance", resolution: "720p" })))._tag).toBe("InvalidRequest")
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

describe("an account's video tasks", () => {
  it.effect("are nobody else's: found, listed, removed and cancelled by their owner only", () =>
    Effect.gen(function* () {
      const videos = yield* VideoTasks
      const { id } = yield* create()
      const foreign = yield* failure(videos.find(bob.account, id))
      const unknown = yield* failure(videos.find(bob.account, "cgt-unknown"))
      expect(foreign._tag).toBe("NotFound")
      expect(foreign.message.replace(id, "")).toBe(unknown.message.replace("cgt-unknown", ""))
      expect((yield* failure(videos.remove(bob.account, id)))._tag).toBe("NotFound")
      expect(yield* videos.list(bob.account, {})).toEqual({ total: 0, items: [] })
      expect((yield* videos.list(alice.account, {})).total).toBe(1)
    }).pipe(Effect.provide(layer))
  )

  it.effect("are cancelled while queued, refused while running and removed once ended", () =>
    Effect.gen(function* () {
      const videos = yield* VideoTasks
      const leases = yield* Leases
      const { id } = yield* create()
      expect(yield* videos.remove(alice.account, id)).toEqual({})
      expect((yield* videos.find(alice.account, id)).status).toBe("cancelled")
      expect(yield* videos.remove(alice.account, id)).toEqual({})
      expect((yield* failure(videos.find(alice.account, id)))._tag).toBe("NotFound")
      expect((yield* failure(videos.remove(alice.account, id)))._tag).toBe("NotFound")

      const other = yield* create()
      const [held] = yield* leases.claim("video:sandbox", 1)
      yield* leases.write(held!, { state: "running", upstreamId: "up-1" })
      expect(yield* failure(videos.remove(alice.account, other.id))).toMatchObject({
        _tag: "Conflict",
        code: "InvalidAction.RunningTaskDeletion"
      })
      yield* leases.write(held!, { state: "succeeded", result: { videoUrl: "https://example.com/v.mp4" } })
      expect((yield* videos.find(alice.account, other.id)).content).toEqual({ video_url: "https://example.com/v.mp4" })
      expect(yield* videos.remove(alice.account, other.id)).toEqual({})
    }).pipe(Effect.provide(layer))
  )

  it.effect("are listed newest first, in pages, by every filter", () =>
    Effect.gen(function* () {
      const videos = yield* VideoTasks
      const ids: Array<string> = []
      for (let at = 0; at < 12; at++) {
        const fields = at % 2 === 0 ? {} : { model: "seedance", resolution: "480p", service_tier: "flex" }
        ids.unshift((yield* create(fields)).id)
        yield* TestClock.adjust("1 seconds")
      }
      yield* videos.remove(alice.account, ids[0]!)
      const list = (query: Parameters<typeof videos.list>[1]) =>
        Effect.map(videos.list(alice.account, query), ({ items, total }) => ({ total, ids: items.map(({ id }) => id) }))

      expect(yield* list({})).toEqual({ total: 12, ids: ids.slice(0, 10) })
      expect(yield* list({ page_num: 2 })).toEqual({ total: 12, ids: ids.slice(10) })
      expect(yield* list({ page_num: 3, page_size: 5 })).toEqual({ total: 12, ids: ids.slice(10) })
      expect(yield* list({ page_num: 500, page_size: 500 })).toEqual({ total: 12, ids: [] })
      expect(yield* list({ "filter.status": "cancelled" })).toEqual({ total: 1, ids: [ids[0]] })
      expect(yield* list({ "filter.status": "queued", page_size: 2 })).toEqual({ total: 11, ids: ids.slice(1, 3) })
      expect((yield* list({ "filter.status": "success" })).total).toBe(0)
      expect((yield* list({ "filter.status": "pending" })).total).toBe(0)
      expect((yield* list({ "filter.model": "seedance" })).total).toBe(6)
      expect((yield* list({ "filter.service_tier": "flex" })).total).toBe(6)
      const some = { total: 3, ids: [ids[1], ids[2], ids[3]] }
      expect(yield* list({ "filter.task_ids": [ids[3]!, `${ids[1]}, ${ids[2]}`, "cgt-unknown"] })).toEqual(some)
      expect((yield* list({ "filter.task_ids": "" })).total).toBe(12)
      yield* TestClock.adjust(Duration.days(7))
      expect(yield* list({})).toEqual({ total: 0, ids: [] })
    }).pipe(Effect.provide(layer))
  )
})
