import { SqlClient } from "@effect/sql"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, TestClock } from "effect"
import { Caller } from "../../src/contract/callers/Caller.ts"
import { TaskStore } from "../../src/tasks/TaskStore.ts"
import { VideoTasks } from "../../src/videos/VideoTasks.ts"
import { image, text } from "./requests.ts"
import { alice, create, failure, job, layer, made } from "./createTask.ts"

const bob = Caller.unrestricted("bob", "b")

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
      expect(yield* videos.find(alice, promoted.id)).toMatchObject({ draft: false, draft_task_id: id })

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

  it.effect("made elsewhere is passed on to an upstream of the dialect, for the account that names it first", () =>
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
      yield* videos.remove(alice, id)
      expect(yield* job(id)).toBeNull()
      const leases = yield* TaskStore
      const other = yield* create({ draft: true })
      const held = (yield* leases.claim("video:sandbox", 100)).find(({ task }) => task.id === other.id)!
      yield* leases.write(held, { state: "running", upstreamId: "up-2" })
      expect(yield* job(other.id)).not.toBeNull()
      yield* leases.write(held, { state: "failed", error: { code: "no", message: "no" } })
      expect(yield* job(other.id)).toBeNull()
    }).pipe(Effect.provide(layer))
  )
})

describe("an account's video tasks", () => {
  it.effect("are private: found, listed, removed and cancelled by their owner only", () =>
    Effect.gen(function* () {
      const videos = yield* VideoTasks
      const { id } = yield* create()
      const foreign = yield* failure(videos.find(bob, id))
      const unknown = yield* failure(videos.find(bob, "cgt-unknown"))
      expect(foreign._tag).toBe("NotFound")
      expect(foreign.message.replace(id, "")).toBe(unknown.message.replace("cgt-unknown", ""))
      expect((yield* failure(videos.remove(bob, id)))._tag).toBe("NotFound")
      expect(yield* videos.list(bob, {})).toEqual({ total: 0, items: [] })
      expect((yield* videos.list(alice, {})).total).toBe(1)
    }).pipe(Effect.provide(layer))
  )

  it.effect("are cancelled while queued, refused while running and removed once ended", () =>
    Effect.gen(function* () {
      const videos = yield* VideoTasks
      const leases = yield* TaskStore
      const { id } = yield* create()
      expect(yield* videos.remove(alice, id)).toBe("cancelled")
      expect((yield* videos.find(alice, id)).status).toBe("cancelled")
      expect(yield* videos.remove(alice, id)).toBe("removed")
      expect((yield* failure(videos.find(alice, id)))._tag).toBe("NotFound")
      expect((yield* failure(videos.remove(alice, id)))._tag).toBe("NotFound")

      const other = yield* create()
      const [held] = yield* leases.claim("video:sandbox", 1)
      yield* leases.write(held!, { state: "running", upstreamId: "up-1" })
      expect(yield* failure(videos.remove(alice, other.id))).toMatchObject({
        _tag: "Conflict",
        code: "InvalidAction.RunningTaskDeletion"
      })
      yield* leases.write(held!, { state: "succeeded", result: { videoUrl: "https://example.com/v.mp4" } })
      expect((yield* videos.find(alice, other.id)).content).toEqual({ video_url: "https://example.com/v.mp4" })
      expect(yield* videos.remove(alice, other.id)).toBe("removed")
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
      expect(yield* videos.find(alice, one)).toMatchObject({
        status: "succeeded",
        content: { video_url: "https://example.com/v.mp4" },
        service_tier: "flex"
      })
      const lost = { code: "InternalServiceError", message: expect.stringContaining("can't be read") }
      const failed = yield* videos.find(alice, two)
      expect(failed).toMatchObject({ status: "failed", error: lost })
      expect(failed).not.toHaveProperty("content")
      const queued = { status: "queued", execution_expires_after: 3_600, service_tier: "default" }
      expect(yield* videos.find(alice, three)).toMatchObject(queued)
      expect((yield* videos.find(alice, four)).status).toBe("queued")
      // Set aside, as its worker does.
      const leases = yield* TaskStore
      yield* leases.claim("video:sandbox", 100)
      expect(yield* videos.find(alice, three)).toMatchObject({ status: "failed", error: lost })
      expect((yield* failure(videos.find(bob, three)))._tag).toBe("NotFound")
      const five = yield* made({})
      yield* sql`UPDATE tasks SET result = 'oops', state = 'dancing' WHERE id = ${five}`
      expect(yield* videos.find(alice, five)).toMatchObject({ status: "failed", error: lost })
      expect((yield* videos.list(alice, {})).items.map(({ id }) => id)).toContain(two)
      for (const id of [one, two, three, five]) expect(yield* videos.remove(alice, id)).toBe("removed")
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
      yield* videos.remove(alice, ids[0]!)
      const list = (query: Parameters<typeof videos.list>[1]) =>
        Effect.map(videos.list(alice, query), ({ items, total }) => ({ total, ids: items.map(({ id }) => id) }))

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
