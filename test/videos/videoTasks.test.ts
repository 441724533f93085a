import { SqlClient } from "@effect/sql"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Exit, Fiber, Layer, Option, TestClock } from "effect"
import { Caller } from "../../src/contract/Caller.ts"
import { testDouble } from "../../src/contract/testDouble.ts"
import { InvalidRequest } from "../../src/contract/Failure.ts"
import { Ownership } from "../../src/ownership/Ownership.ts"
import { Daemons } from "../../src/flow/Daemons.ts"
import { BalanceStore } from "../../src/ledger/BalanceStore.ts"
import { Ledger } from "../../src/ledger/Ledger.ts"
import { AddressGuard } from "../../src/guard/AddressGuard.ts"
import type { Model } from "../../src/catalogue/Catalogue.ts"
import { Dispatch } from "../../src/dispatch/Dispatch.ts"
import { TaskChanges } from "../../src/tasks/TaskChanges.ts"
import { TaskStore } from "../../src/tasks/TaskStore.ts"
import { makeVideoKind } from "../../src/videos/VideoKind.ts"
import { TaskKinds, taskKinds } from "../../src/tasks/TaskKind.ts"
import { Outbox } from "../../src/tasks/Outbox.ts"
import { Cancellation } from "../../src/tasks/Cancellation.ts"
import { Changes } from "../../src/sql/Changes.ts"
import { Commits } from "../../src/sql/Commits.ts"
import { DatabaseHealth } from "../../src/sql/DatabaseHealth.ts"
import { layer as database } from "../../src/sql/Database.ts"
import { VideoUpstreams } from "../../src/upstreams/VideoUpstream.ts"
import type { VideoUpstream } from "../../src/upstreams/VideoUpstream.ts"
import { Node } from "../../src/cluster/Node.ts"
import { VideoTasks } from "../../src/videos/VideoTasks.ts"
import { settled } from "../sql/clock.ts"
import { noCustody } from "./noCustody.ts"
import { videoBulkhead } from "../../src/videos/places.ts"
import { Outages } from "../../src/videos/Outages.ts"
import { FirstReplies } from "../../src/videos/FirstReplies.ts"
import { makeVideoFamily } from "../../src/videos/videoFamily.ts"
import { image, request, text } from "./requests.ts"

const upstream = (name: string, isPassthrough: boolean): VideoUpstream => ({
  name,
  isPassthrough: isPassthrough,
  submit: () => Effect.succeed("up-1"),
  poll: () => Effect.succeed({ status: "running" }),
  cancel: () => Effect.succeed("running")
})
const Upstreams = Layer.succeed(
  VideoUpstreams,
  new Map([
    ["sandbox", upstream("sandbox", false)],
    ["ark", upstream("ark", true)],
    ["strict", { ...upstream("strict", true), refusesAtOnce: true }]
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
  model("strict-video", "strict"),
  model("either", "strict", {
    routes: [
      { upstream: "strict", model: "strict-there" },
      { upstream: "ark", model: "ark-there" }
    ]
  }),
  model("words", "sandbox", { kind: "text" })
]
const ModelsStub = testDouble(Dispatch, {
  find: (id) => {
    const found = served.find((one) => one.id === id && one.kind === "video")
    return found === undefined
      ? Effect.fail(new InvalidRequest({ param: "model", message: `model: unknown model "${id}"` }))
      : Effect.succeed(found)
  }
})
const GuardStub = AddressGuard.Test({
  admit: (written, param) =>
    written.includes("inside")
      ? Effect.fail(new InvalidRequest({ param, message: `${param}: expected a public address` }))
      : Effect.void
})

const Kinds = Layer.effect(
  TaskKinds,
  Effect.map(Effect.flatMap(makeVideoFamily, makeVideoKind), (kind) => taskKinds(kind))
)
/** One that looks for no changes: these tests move the clock by years. */
const LedgerStill = Ledger.DefaultWithoutDependencies.pipe(
  Layer.provide(BalanceStore.DefaultWithoutDependencies),
  Layer.provide(Layer.mergeAll(Daemons.Default, DatabaseHealth.Default, Node.Default)),
  Layer.provide(testDouble(Changes, { seen: () => 0, listen: () => Effect.succeed(0) }))
)
const layer = VideoTasks.DefaultWithoutDependencies.pipe(
  Layer.provide(Layer.merge(Ownership.Default, Cancellation.Default)),
  Layer.provideMerge(TaskStore.Default),
  Layer.provideMerge(TaskChanges.Default),
  Layer.provideMerge(Layer.mergeAll(Kinds, Outbox.none, ModelsStub, GuardStub)),
  Layer.provideMerge(Upstreams),
  Layer.provideMerge(Outages.Default),
  Layer.provide(Layer.mergeAll(FirstReplies.Default, noCustody)),
  Layer.provideMerge(LedgerStill),
  Layer.provideMerge(Commits.Default),
  Layer.provideMerge(database({ url: "sqlite::memory:", exclusive: false })),
  Layer.orDie
)

const alice = Caller.unrestricted("alice", "a")
const bob = Caller.unrestricted("bob", "b")

const create = (fields: Record<string, unknown> = {}, caller = alice) =>
  Effect.flatMap(VideoTasks, (videos) => {
    const made = request(fields)
    return videos.create(caller, made, { id: "req_1", body: { ...made, ...fields } })
  })
const job = (id: string) => Effect.flatMap(TaskStore, (store) => store.request(id))
const failure = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.flip(effect)

describe("creating a video task whose upstream answers nobody", () => {
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

  it.effect("begins where somebody answers, and at the first where nobody does", () =>
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

/** A task that has succeeded, and what its upstream called it. */
const made = (fields: Record<string, unknown>, lane = "video:sandbox", result: object = {}) =>
  Effect.gen(function* () {
    const store = yield* TaskStore
    const { id } = yield* create(fields)
    const held = (yield* store.claim(lane, 100)).find(({ task }) => task.id === id)!
    yield* store.write(held, { state: "running", upstreamId: `up-${id}` })
    yield* store.write(held, { state: "succeeded", result: { videoUrl: "https://example.com/v.mp4", ...result } })
    return id
  })
const promotion = (id: string, fields: Record<string, unknown> = {}) => ({
  content: [{ type: "draft_task", draft_task: { id } }],
  ...fields
})

describe("a draft", () => {
  const content = [text("a cat --resolution 480p"), image("first_frame", "https://example.com/a.png")]
  const asked = { content, draft: true, ratio: "21:9", duration: 7, seed: 11, generate_audio: false }

  it.effect("is promoted by any model, with its own content and settings, and named in the record", () =>
    Effect.gen(function* () {
      const videos = yield* VideoTasks
      const id = yield* made(asked)
      const promoted = yield* create(promotion(id, { watermark: true }))
      const settings = { ratio: "21:9", resolution: "720p", frames: 168, seed: 11, generateAudio: false, draft: false }
      expect(yield* job(promoted.id)).toMatchObject({
        prompt: "a cat",
        media: [{ kind: "image", role: "first_frame", url: "https://example.com/a.png" }],
        settings: { ...settings, watermark: true }
      })
      expect(yield* videos.find(alice.account, promoted.id)).toMatchObject({ draft: false, draft_task_id: id })

      const elsewhere = yield* create(promotion(id, { model: "seedance", resolution: "480p", unknown_field: 1 }))
      expect(yield* job(elsewhere.id)).toMatchObject({
        settings: { ...settings, resolution: "480p" },
        body: {
          model: "seedance",
          content: [text("a cat"), image("first_frame", "https://example.com/a.png")],
          ratio: "21:9",
          duration: 7,
          seed: 11,
          generate_audio: false,
          resolution: "480p",
          unknown_field: 1
        }
      })
    }).pipe(Effect.provide(layer))
  )

  it.effect("goes by the upstream's own id to the upstream that made it, with what the model chose", () =>
    Effect.gen(function* () {
      const fields = { ...asked, model: "seedance", resolution: "480p", duration: -1, ratio: "adaptive" }
      const id = yield* made(fields, "video:ark", { duration: 9, ratio: "4:3", seed: 5 })
      const there = yield* create(promotion(id, { model: "seedance", resolution: "4k" }))
      expect(yield* job(there.id)).toMatchObject({
        body: {
          model: "seedance",
          resolution: "4k",
          content: [{ type: "draft_task", draft_task: { id: `up-${id}` } }]
        },
        settings: { frames: 216, ratio: "4:3", resolution: "4k", seed: 5 }
      })
      const here = yield* create(promotion(id))
      expect(yield* job(here.id)).toMatchObject({
        prompt: "a cat",
        media: [{ role: "first_frame" }],
        settings: { frames: 216, ratio: "4:3", resolution: "720p", seed: 5 }
      })
    }).pipe(Effect.provide(layer))
  )

  it.effect("is no task of another account's, none that was no draft, none that has not succeeded", () =>
    Effect.gen(function* () {
      const id = yield* made(asked)
      const message = (fields: object, caller = alice) =>
        Effect.map(failure(create({ ...promotion(id), ...fields }, caller)), (error) => error.message)
      const unknown = yield* message(promotion("cgt-unknown"))
      expect(unknown).toBe('content[0].draft_task.id: no task of this account has the id "cgt-unknown"')
      expect(yield* message({}, bob)).toBe(unknown.replace("cgt-unknown", id))
      expect(yield* message(promotion(yield* made({})))).toContain("expected a task created with draft: true")
      const { id: queued } = yield* create({ draft: true })
      expect(yield* message(promotion(queued))).toContain("expected a draft that succeeded; it is queued")
      expect(yield* message({ draft: true })).toContain("draft: expected false")
      const [part] = promotion(id).content
      expect(yield* message({ content: [part, text("and a dog")] })).toContain("content: expected nothing beside")
      expect(yield* message({ content: [part, part] })).toContain("content: expected at most one draft_task")
    }).pipe(Effect.provide(layer))
  )

  it.effect(
    "of somebody else's making is passed on to an upstream of the dialect, for the account that names it first",
    () =>
      Effect.gen(function* () {
        const fields = promotion("cgt-theirs", { model: "seedance", resolution: "480p" })
        const { id } = yield* create(fields)
        expect(yield* job(id)).toMatchObject({ body: { content: fields.content } })
        yield* create(fields)
        expect((yield* failure(create(fields, bob)))._tag).toBe("NotFound")
      }).pipe(Effect.provide(layer))
  )

  it.effect("keeps what it was made of, and no other task does", () =>
    Effect.gen(function* () {
      const videos = yield* VideoTasks
      expect(yield* job(yield* made({}))).toBeNull()
      const id = yield* made(asked)
      expect(yield* job(id)).not.toBeNull()
      yield* videos.remove(alice.account, id)
      expect(yield* job(id)).toBeNull()
      const store = yield* TaskStore
      const other = yield* create({ draft: true })
      const held = (yield* store.claim("video:sandbox", 100)).find(({ task }) => task.id === other.id)!
      yield* store.write(held, { state: "running", upstreamId: "up-2" })
      expect(yield* job(other.id)).not.toBeNull()
      yield* store.write(held, { state: "failed", error: { code: "no", message: "no" } })
      expect(yield* job(other.id)).toBeNull()
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
      const store = yield* TaskStore
      const { id } = yield* create()
      expect(yield* videos.remove(alice.account, id)).toEqual({})
      expect((yield* videos.find(alice.account, id)).status).toBe("cancelled")
      expect(yield* videos.remove(alice.account, id)).toEqual({})
      expect((yield* failure(videos.find(alice.account, id)))._tag).toBe("NotFound")
      expect((yield* failure(videos.remove(alice.account, id)))._tag).toBe("NotFound")

      const other = yield* create()
      const [held] = yield* store.claim("video:sandbox", 1)
      yield* store.write(held!, { state: "running", upstreamId: "up-1" })
      expect(yield* failure(videos.remove(alice.account, other.id))).toMatchObject({
        _tag: "Conflict",
        code: "InvalidAction.RunningTaskDeletion"
      })
      yield* store.write(held!, { state: "succeeded", result: { videoUrl: "https://example.com/v.mp4" } })
      expect((yield* videos.find(alice.account, other.id)).content).toEqual({ video_url: "https://example.com/v.mp4" })
      expect(yield* videos.remove(alice.account, other.id)).toEqual({})
    }).pipe(Effect.provide(layer))
  )

  it.effect("whose row is damaged are told as far as they can be read, and what is lost is a failure", () =>
    Effect.gen(function* () {
      const videos = yield* VideoTasks
      const sql = yield* SqlClient.SqlClient
      const one = yield* made({ service_tier: "flex", seed: 7 })
      const two = yield* made({ seed: 7 })
      const { id: three } = yield* create({ execution_expires_after: 3_600 })
      const { id: four } = yield* create()
      yield* sql`UPDATE tasks SET details = 'oops' WHERE id IN (${one}, ${three})`
      yield* sql`UPDATE tasks SET details = '{"settings":{}}' WHERE id = ${four}`
      yield* sql`UPDATE tasks SET result = '{"videoUrl":7}' WHERE id = ${two}`
      expect(yield* videos.find(alice.account, one)).toMatchObject({
        status: "succeeded",
        content: { video_url: "https://example.com/v.mp4" },
        service_tier: "flex"
      })
      const lost = { code: "InternalServiceError", message: expect.stringContaining("can't be read any more") }
      const failed = yield* videos.find(alice.account, two)
      expect(failed).toMatchObject({ status: "failed", error: lost })
      expect(failed).not.toHaveProperty("content")
      const queued = { status: "queued", execution_expires_after: 3_600, service_tier: "default" }
      expect(yield* videos.find(alice.account, three)).toMatchObject(queued)
      expect((yield* videos.find(alice.account, four)).status).toBe("queued")
      // Set aside, as its worker does.
      const store = yield* TaskStore
      yield* store.claim("video:sandbox", 100)
      expect(yield* videos.find(alice.account, three)).toMatchObject({ status: "failed", error: lost })
      expect((yield* failure(videos.find(bob.account, three)))._tag).toBe("NotFound")
      const five = yield* made({})
      yield* sql`UPDATE tasks SET result = 'oops', state = 'dancing' WHERE id = ${five}`
      expect(yield* videos.find(alice.account, five)).toMatchObject({ status: "failed", error: lost })
      expect((yield* videos.list(alice.account, {})).items.map(({ id }) => id)).toContain(two)
      for (const id of [one, two, three, five]) expect(yield* videos.remove(alice.account, id)).toEqual({})
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
