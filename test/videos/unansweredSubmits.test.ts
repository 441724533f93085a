import { expect, it } from "@effect/vitest"
import { Effect, Option, Redacted, TestClock } from "effect"
import type { AccountId } from "../../src/contract/callers/Caller.ts"
import type { JsonObject } from "../../src/contract/fields.ts"
import { TaskStore } from "../../src/tasks/TaskStore.ts"
import { arkVideo } from "../../src/upstreams/protocols/arkVideo/arkVideo.ts"
import { alice, bob, describeOnEachStore, eventually } from "../tasks/engine.ts"
import { arkKey, fakeArk } from "../upstreams/fakes/ark.ts"
import { atRest, engine, pass, video } from "./scriptedUpstream.ts"
import { job } from "./videoJob.ts"

const beginMs = Date.parse("2026-06-06T12:00:00Z")

describeOnEachStore("submits that Ark took and did not answer", () => {
  /** A gateway's engine in front of Ark, which hangs up on every create. */
  const world = Effect.gen(function* () {
    yield* TestClock.setTime(beginMs)
    const clock = yield* Effect.clock
    const ark = yield* Effect.acquireRelease(
      Effect.sync(() => fakeArk({ clockMs: () => clock.unsafeCurrentTimeMillis(), measures: true })),
      ({ stop }) => Effect.promise(() => stop())
    )
    const made = arkVideo({ name: "up", baseUrl: ark.baseUrl, apiKey: Redacted.make(arkKey) })
    return { ark, layer: engine(made) }
  })

  const submit = (id: string, account: AccountId, text: string, over: JsonObject = {}) =>
    Effect.gen(function* () {
      const store = yield* TaskStore
      const body = {
        model: "seed",
        content: [{ type: "text", text: `drop ${text}` }],
        duration: 5,
        generate_audio: true,
        ...over
      }
      const createdAtMs = (yield* Effect.clock).unsafeCurrentTimeMillis()
      const expiresAtMs = createdAtMs + 172_800_000
      const request = { ...job, taskId: id, media: [], body, createdAtMs, deadlineMs: expiresAtMs }
      yield* store.insert(video({ id, account, request, createdAtMs, expiresAtMs }))
      yield* eventually(stored(id), (task) => task.submitAtMs !== null)
    })
  const stored = (id: string) =>
    Effect.gen(function* () {
      const store = yield* TaskStore
      const found = yield* Effect.forEach([alice, bob], (account) => store.find(account, "video", id))
      return Option.getOrThrow(Option.firstSomeOf(found))
    })
  const unanswered = (...given: Parameters<typeof submit>) => Effect.zipRight(submit(...given), atRest)

  /** Lets the engine look up to twelve times within these seconds. */
  const after = (seconds: number) => Effect.repeatN(Effect.zipRight(pass((seconds * 1_000) / 12), atRest), 11)

  it.scoped("fail only where another can be mixed up with them, and tell why", () =>
    Effect.gen(function* () {
      const { ark, layer } = yield* world
      yield* Effect.gen(function* () {
        const store = yield* TaskStore
        yield* unanswered("one", bob, "a cat")
        yield* unanswered("two", bob, "a dog")
        for (const { id } of ark.tasks) ark.move(id, "succeeded")
        yield* after(60)
        const ended = yield* Effect.forEach(["one", "two"], stored)
        for (const { error, state } of ended) {
          expect([state, error?.code]).toEqual(["failed", "SubmitUnconfirmed"])
          expect(error?.message).toContain("nothing in its list tells whose video is whose")
          expect(error?.message).not.toContain("no way to find out")
        }
        expect(yield* store.remove(bob, "video", "one")).toBe(true)
        // Both are known for five minutes; what they can't have made is found all the same.
        yield* unanswered("longer", alice, "a bird", { duration: 10 })
        yield* unanswered("silent", alice, "a fish", { generate_audio: false })
        yield* after(30)
        expect((yield* stored("silent")).upstreamId).toBe(ark.tasks[3]?.id)
        // What tells the other is shown once it is made, which takes longer than five looks.
        yield* after(240)
        expect((yield* stored("longer")).state).toBe("queued")
        expect((yield* stored("longer")).upstreamId).toBe(null)
        ark.move(ark.tasks[2]!.id, "succeeded")
        yield* after(60)
        expect((yield* stored("longer")).upstreamId).toBe(ark.tasks[2]?.id)
        expect(ark.tasks).toHaveLength(4)
      }).pipe(Effect.provide(layer))
    })
  )

  it.scoped("that are equal requests of one account each get a video, and what was not made is made", () =>
    Effect.gen(function* () {
      const { ark, layer } = yield* world
      yield* Effect.gen(function* () {
        const ids = ["first", "second", "third", "fourth"]
        for (const id of ids.slice(0, 3)) yield* unanswered(id, alice, "a cat")
        ark.next(() => new Response(new ReadableStream({ pull: (to) => to.error(new Error("gone")) })))
        yield* unanswered("fourth", alice, "a cat")
        expect(ark.tasks).toHaveLength(3)
        yield* after(120)
        const tasks = yield* Effect.forEach(ids, stored)
        expect(tasks.map(({ error }) => error)).toEqual([null, null, null, null])
        expect(new Set(tasks.map(({ upstreamId }) => upstreamId))).toEqual(new Set(ark.tasks.map(({ id }) => id)))
        expect(ark.tasks).toHaveLength(4)
      }).pipe(Effect.provide(layer))
    })
  )

  it.scoped("are told from others already while they are sent, whatever becomes of their worker", () =>
    Effect.gen(function* () {
      const { ark, layer } = yield* world
      yield* Effect.gen(function* () {
        const store = yield* TaskStore
        yield* submit("one", alice, "", { content: [{ type: "text", text: "mute" }] })
        yield* eventually(
          Effect.sync(() => ark.tasks.length),
          (count) => count === 1
        )
        const { unheard } = yield* store.rivals({ ...(yield* stored("one")), id: "another" }, ["cgt"], beginMs)
        expect(unheard).toMatchObject([{ id: "one", fingerprint: { shown: { model: "seed", duration: 5 } } }])
      }).pipe(Effect.provide(layer))
    })
  )
})
