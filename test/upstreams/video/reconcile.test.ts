import { describe, expect, it } from "@effect/vitest"
import { Effect, Option, Redacted } from "effect"
import type { JsonObject } from "../../../src/contract/fields.ts"
import { arkVideo } from "../../../src/upstreams/protocols/arkVideo/arkVideo.ts"
import { openaiVideos } from "../../../src/upstreams/protocols/openaiVideos/openaiVideos.ts"
import type { VideoJob, VideoUpstream } from "../../../src/upstreams/videos/VideoUpstream.ts"
import { arkKey, fakeArk } from "../fakes/ark.ts"
import { fakeSora, soraKey } from "../fakes/sora.ts"
import { job, settings } from "./job.ts"
import { among, rivalFor, unheard } from "./unheard.ts"
import { services } from "./world.ts"

/** What the other tasks know: ids that are theirs, and what other submits that were not heard of asked for. */
const look = (
  upstream: VideoUpstream,
  asked: VideoJob,
  taken: ReadonlyArray<string> = [],
  rivals: ReadonlyArray<VideoJob | undefined> = []
) =>
  upstream.reconcile!(
    asked,
    unheard({
      fingerprint: { shown: upstream.shownInList!(asked) },
      ...among(
        taken,
        rivals.map((rival) => rivalFor(upstream, rival))
      )
    })
  )

const seconds = (ms: number) => Math.floor(ms / 1_000)

describe("a submit that Ark did not answer", () => {
  const asked = (over: JsonObject = {}) =>
    job({ body: { model: "house", content: [{ type: "text", text: "drop" }], duration: 5, ...over } })
  const world = Effect.acquireRelease(
    Effect.sync(() => {
      const ark = fakeArk()
      return { ark, upstream: arkVideo({ name: "ark", baseUrl: ark.baseUrl, apiKey: Redacted.make(arkKey) }) }
    }),
    ({ ark }) => Effect.promise(() => ark.stop())
  )

  it.scopedLive("is found where it made a task", () =>
    Effect.gen(function* () {
      const { ark, upstream } = yield* world
      ark.add({ model: "another" })
      expect((yield* Effect.flip(upstream.submit(asked())))._tag).toBe("VideoAmbiguous")
      expect(yield* look(upstream, asked())).toEqual(Option.some(ark.tasks.at(-1)?.id))
    })
  )

  it.scopedLive("made nothing where no task is left that could be its own", () =>
    Effect.gen(function* () {
      const { ark, upstream } = yield* world
      expect(yield* look(upstream, asked())).toEqual(Option.none())
      const other = ark.add({ model: "seedance" })
      ark.add({ model: "seedance" }, seconds(Date.now()) - 3_600)
      ark.add({ model: "seedance", generate_audio: false })
      ark.add({ model: "seedance", safety_identifier: "somebody" })
      const mine = asked({ generate_audio: true, safety_identifier: "me" })
      expect(yield* look(upstream, mine, [other.id])).toEqual(Option.none())
    })
  )

  it.scopedLive("is not decided where two could be its own, or the one another's", () =>
    Effect.gen(function* () {
      const { ark, upstream } = yield* world
      const one = ark.add({ model: "seedance" })
      for (const rival of [asked(), undefined]) {
        expect((yield* Effect.flip(look(upstream, asked(), [], [rival])))._tag).toBe("VideoAmbiguous")
      }
      const two = ark.add({ model: "seedance" })
      expect((yield* Effect.flip(look(upstream, asked())))._tag).toBe("VideoAmbiguous")
      expect(yield* look(upstream, asked(), [one.id])).toEqual(Option.some(two.id))
    })
  )

  it.scopedLive("is told from another that was not heard of by what they asked for", () =>
    Effect.gen(function* () {
      const { ark, upstream } = yield* world
      const [mine, yours] = ["me", "you"].map((name) => asked({ safety_identifier: name }))
      const made = ark.add({ model: "seedance", safety_identifier: "me" })
      const other = ark.add({ model: "seedance", safety_identifier: "you" })
      expect(yield* look(upstream, mine!, [], [yours])).toEqual(Option.some(made.id))
      expect(yield* look(upstream, yours!, [], [mine])).toEqual(Option.some(other.id))
      // One that left it open may have made either.
      expect((yield* Effect.flip(look(upstream, mine!, [], [yours, asked()])))._tag).toBe("VideoAmbiguous")
    })
  )

  it.scopedLive("is told from others by what Ark shows once a video is made, and waits for it", () =>
    Effect.gen(function* () {
      const { ark, upstream } = yield* world
      const longer = asked({ duration: 10 })
      const made = ark.add({ model: "seedance", duration: 10 })
      const other = ark.add({ model: "seedance", duration: 5 })
      const clears = { _tag: "VideoAmbiguous", mayClear: true }
      expect(yield* Effect.flip(look(upstream, longer, [], [asked(), asked()]))).toMatchObject(clears)
      ark.move(other.id, "succeeded")
      ark.move(made.id, "succeeded", undefined, 10)
      expect(yield* look(upstream, longer, [], [asked(), asked()])).toEqual(Option.some(made.id))
      // What is made shows no more: two that are alike stay so.
      expect(yield* Effect.flip(look(upstream, asked(), [], [asked()]))).toMatchObject({ mayClear: false })
    })
  )

  it.scopedLive("says so where the upstream has no list, and asks again where the list fails", () =>
    Effect.gen(function* () {
      const { ark, upstream } = yield* world
      for (const status of [404, 405, 501]) {
        ark.next(() => new Response("no such page", { status }))
        expect(yield* Effect.flip(look(upstream, asked()))).toMatchObject({
          _tag: "VideoAmbiguous",
          reason: "it offers no list of its videos"
        })
      }
    })
  )

  it.scopedLive("is looked for on every page of that time", () =>
    Effect.gen(function* () {
      const { ark, upstream } = yield* world
      const mine = ark.add({ model: "seedance" })
      const others = Array.from({ length: 250 }, () => ark.add({ model: "seedance" }).id)
      expect(yield* look(upstream, asked(), others)).toEqual(Option.some(mine.id))
      expect(ark.calls).toHaveLength(3)
    })
  )

  it.scopedLive("is asked about again where the list can't be had", () =>
    Effect.gen(function* () {
      const { ark, upstream } = yield* world
      ark.next(() => new Response("busy", { status: 500 }))
      expect((yield* Effect.flip(look(upstream, asked())))._tag).toBe("VideoTransient")
    })
  )

  it.scopedLive("is looked for by Ark's own clock", () =>
    Effect.gen(function* () {
      const { ark, upstream } = yield* world
      const ahead = Date.now() + 3_600_000
      const item = { id: "cgt-ahead", model: "seedance", status: "queued", created_at: seconds(ahead) }
      const listed = () =>
        Response.json({ total: 1, items: [item] }, { headers: { date: new Date(ahead).toUTCString() } })
      ark.next(listed)
      expect(yield* look(upstream, asked())).toEqual(Option.some("cgt-ahead"))
    })
  )
})

it.scopedLive("a submit that Sora did not answer is found by what it asked for", () =>
  Effect.gen(function* () {
    const sora = yield* Effect.acquireRelease(Effect.sync(fakeSora), (sora) => Effect.promise(() => sora.stop()))
    const upstream = yield* openaiVideos({ name: "sora", baseUrl: sora.baseUrl, apiKey: Redacted.make(soraKey) })
    const lost = job({ prompt: "drop one cat", upstreamModel: "sora-2" })
    expect(yield* look(upstream, lost)).toEqual(Option.none())
    expect((yield* Effect.flip(upstream.submit(lost)))._tag).toBe("VideoAmbiguous")
    const found = sora.made.at(-1)!.id
    const others = yield* Effect.forEach([1, 2, 3], () =>
      upstream.submit(job({ prompt: "a cat", upstreamModel: "sora-2" }))
    )
    expect(yield* look(upstream, lost)).toEqual(Option.some(found))
    expect(yield* look(upstream, { ...lost, settings: settings({ frames: 192 }) })).toEqual(Option.none())
    expect(others).not.toContain(found)
  }).pipe(Effect.scoped, Effect.provide(services))
)
