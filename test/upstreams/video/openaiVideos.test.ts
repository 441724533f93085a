import { afterAll, describe, expect, it } from "@effect/vitest"
import { Effect, Option, Redacted, TestClock } from "effect"
import { KeptFiles } from "../../../src/files/KeptFiles.ts"
import { openaiVideos } from "../../../src/upstreams/protocols/openaiVideos/openaiVideos.ts"
import type { VideoServices, VideoUpstreamOptions } from "../../../src/upstreams/videos/videoApi.ts"
import type {
  VideoMedia,
  VideoReport,
  VideoSettings,
  VideoUpstream
} from "../../../src/upstreams/videos/VideoUpstream.ts"
import { fakeSora, fileOf, soraKey } from "../fakes/sora.ts"
import { clipIn } from "../../files/clips.ts"
import { job, settings } from "./job.ts"
import { services } from "./world.ts"

const sora = fakeSora()
afterAll(() => sora.stop())

const at = (over: Partial<VideoUpstreamOptions> = {}) =>
  openaiVideos({ name: "sora", baseUrl: sora.baseUrl, apiKey: Redacted.make(soraKey), ...over })

const using = <A, E>(
  body: (upstream: VideoUpstream) => Effect.Effect<A, E, VideoServices>,
  over: Partial<VideoUpstreamOptions> = {}
) => Effect.flatMap(at(over), body).pipe(Effect.scoped, Effect.provide(services))

/** Polls until the file is here; a poll that waits for it is answered as running. */
const polled = (upstream: VideoUpstream, id: string): Effect.Effect<VideoReport, unknown> =>
  Effect.repeat(Effect.zipRight(Effect.sleep("10 millis"), upstream.poll(id)), {
    until: (report) => !["running", "fetching"].includes(report.status) || "isGone" in report
  })

const frame = (url: string): VideoMedia => ({ kind: "image", role: "first_frame", url })

describe("submit", () => {
  it.effect("sends a form of the API's own words", () =>
    using((upstream) =>
      Effect.gen(function* () {
        const id = yield* upstream.submit(
          job({ upstreamModel: "sora-2", settings: settings({ frames: 192, ratio: "9:16", width: 720, height: 1280 }) })
        )
        expect(sora.made.at(-1)).toMatchObject({
          id,
          form: { model: "sora-2", prompt: "a cat", seconds: "8", size: "720x1280" },
          file: undefined
        })
      })
    )
  )

  it.effect("sends a first frame as a file, or its address", () =>
    using((upstream) =>
      Effect.gen(function* () {
        yield* upstream.submit(job({ media: [frame(`data:image/png;base64,${btoa("pixels")}`)] }))
        expect(sora.made.at(-1)?.file).toEqual({ type: "image/png", bytes: "pixels" })
        yield* upstream.submit(job({ media: [frame("https://a.example.com/i.png")] }))
        expect(sora.made.at(-1)).toMatchObject({
          form: { "input_reference[image_url]": "https://a.example.com/i.png" },
          file: undefined
        })
      })
    )
  )

  it.effect.each([
    ["refuse:400/moderation_blocked", "VideoRejected", "moderation_blocked"],
    ["refuse:401/invalid_api_key", "VideoRejected", "InternalServiceError"],
    ["refuse:403/model_not_available", "VideoRejected", "InternalServiceError"],
    ["refuse:404/model_not_found", "VideoRejected", "InternalServiceError"],
    ["refuse:429/insufficient_quota", "VideoRejected", "InternalServiceError"],
    ["refuse:400/billing_hard_limit_reached", "VideoRejected", "InternalServiceError"],
    ["refuse:429/rate_limit_exceeded", "VideoSaturated", undefined],
    ["refuse:503/overloaded", "VideoSaturated", undefined],
    ["refuse:500/server_error", "VideoAmbiguous", undefined],
    ["drop", "VideoAmbiguous", undefined]
  ] as const)("%s is %s", ([prompt, _tag, code]) =>
    using((upstream) =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(upstream.submit(job({ prompt })))
        expect(error).toMatchObject({ _tag, ...(code !== undefined && { code }) })
        expect(JSON.stringify(error)).not.toContain(soraKey)
      })
    )
  )

  it.effect("a refused connection had no effect", () =>
    using(
      (upstream) =>
        Effect.map(Effect.flip(upstream.submit(job())), (error) => expect(error._tag).toBe("VideoTransient")),
      {
        baseUrl: "http://127.0.0.1:1"
      }
    )
  )
})

describe("fit", () => {
  const fit = (
    over: Partial<VideoSettings>,
    media: ReadonlyArray<VideoMedia> = [],
    prompt = "a cat",
    given: ReadonlyArray<string> = []
  ) =>
    using((upstream) =>
      Effect.sync(() => upstream.fit?.({ ...job({ settings: settings(over), media, prompt }), given: new Set(given) }))
    )

  it.effect("takes a length in seconds and a prompt", () =>
    Effect.gen(function* () {
      expect(yield* fit({}, [frame("https://a.example.com/i.png")])).toEqual({ type: "fits", adapted: [] })
      expect(yield* fit({ frames: 57, byFrames: true }, [], "a cat", ["frames"])).toMatchObject({
        type: "refused",
        refused: { param: "frames" }
      })
      expect(yield* fit({}, [frame("https://a.example.com/i.png")], " ")).toMatchObject({
        type: "refused",
        refused: { param: "content" }
      })
    })
  )

  it.effect("names what will not be had", () =>
    Effect.gen(function* () {
      const asked = { generateAudio: false, returnLastFrame: true, watermark: true, webSearch: true }
      const given = ["return_last_frame", "watermark", "tools", "seed", "camera_fixed", "priority"]
      expect(yield* fit(asked, [], "a cat", given)).toEqual({
        type: "fits",
        adapted: ["seed", "return_last_frame", "watermark", "camera_fixed", "tools", "priority"]
      })
    })
  )
})

describe("poll", () => {
  it.live("a finished video is fetched once and has a link that needs no key", () =>
    using((upstream) =>
      Effect.gen(function* () {
        const id = yield* upstream.submit(job())
        expect(yield* upstream.poll(id)).toMatchObject({ status: "queued" })
        sora.move(id, "in_progress")
        expect(yield* upstream.poll(id)).toMatchObject({ status: "running" })
        sora.next(id, () => Response.json({ id, status: "in_progress", progress: 42 }))
        expect(yield* upstream.poll(id)).toMatchObject({ status: "running", progress: 42 })
        sora.move(id, "completed")
        expect(yield* upstream.poll(id)).toMatchObject({ status: "fetching", nextPollMs: 500 })
        const report = yield* polled(upstream, id)
        expect(report).toMatchObject({ status: "succeeded", result: { duration: 4 } })
        const url = report.status === "succeeded" ? report.result.videoUrl : ""
        const [, keptId = ""] = /^https:\/\/gw\.example\.com\/files\/([0-9a-f]{64})\/video\.mp4$/.exec(url) ?? []
        const { part, size } = Option.getOrThrow(
          yield* Effect.flatMap(KeptFiles, (kept) => kept.file(keptId, "video.mp4"))
        )
        const bytes = yield* Effect.promise(() => new Response(part(0, size - 1)).bytes())
        expect(Buffer.from(bytes).equals(fileOf(id))).toBe(true)
        expect(yield* upstream.poll(id)).toEqual(report)
        expect(sora.calls.filter(({ path }) => path.endsWith(`${id}/content`))).toHaveLength(1)
      })
    )
  )

  it.live("a file that breaks off is fetched again, and one that is gone fails the task", () =>
    using((upstream) =>
      Effect.gen(function* () {
        const id = yield* upstream.submit(job())
        sora.move(id, "completed")
        sora.next("/content", () => {
          let sent = false
          return new Response(
            new ReadableStream({
              pull: (controller) => {
                if (sent) return controller.error(new Error("gone"))
                sent = true
                controller.enqueue(Buffer.alloc(10_000))
              }
            })
          )
        })
        const report = yield* polled(upstream, id)
        expect(report.status).toBe("succeeded")

        const other = yield* upstream.submit(job())
        sora.move(other, "completed")
        sora.next("/content", () => new Response(null, { status: 404 }))
        expect(yield* polled(upstream, other)).toMatchObject({
          status: "fetching",
          isGone: true,
          made: { duration: 4 },
          reason: "its address answers 404"
        })
      })
    )
  )

  it.live("a file that can't be had is said to be made, with the reason, and tried again later", () =>
    using((upstream) =>
      Effect.gen(function* () {
        for (const [answer, reason] of [
          [() => new Response(null, { status: 403 }), "its address answers 403"],
          [() => new Response("<!doctype html><p>Sign in, please"), "what its address answers is not a video"]
        ] as const) {
          const id = yield* upstream.submit(job())
          sora.move(id, "completed")
          sora.next("/content", answer)
          const told = yield* Effect.repeat(Effect.zipRight(Effect.sleep("10 millis"), upstream.poll(id)), {
            until: (report) => report.status !== "fetching" || report.reason !== undefined
          })
          expect(told).toMatchObject({ status: "fetching", made: { duration: 4 }, reason })
          expect((yield* polled(upstream, id)).status).toBe("succeeded")
        }
      })
    )
  )

  it.effect("a failure keeps its code and its words; an unknown id is none of its videos", () =>
    using((upstream) =>
      Effect.gen(function* () {
        const id = yield* upstream.submit(job())
        const error = { code: "moderation_blocked", message: "not this cat" }
        sora.move(id, "failed", error)
        expect(yield* upstream.poll(id)).toEqual({ status: "failed", error })
        expect(yield* Effect.flip(upstream.poll("video_none"))).toMatchObject({ code: "ResourceNotFound" })
        sora.next(id, () => new Response("busy", { status: 500 }))
        expect((yield* Effect.flip(upstream.poll(id)))._tag).toBe("VideoTransient")
      })
    )
  )
})

describe("cancel", () => {
  it.effect("deletes what waits and nothing else", () =>
    using((upstream) =>
      Effect.gen(function* () {
        const id = yield* upstream.submit(job())
        sora.move(id, "in_progress")
        expect(yield* upstream.cancel(id)).toBe("running")
        sora.move(id, "completed")
        expect(yield* upstream.cancel(id)).toBe("ended")
        const other = yield* upstream.submit(job())
        sora.next(other, () => {
          sora.move(other, "in_progress")
          return Response.json({ id: other, status: "queued" })
        })
        expect(yield* upstream.cancel(other)).toBe("running")
        sora.move(other, "queued")
        expect(yield* upstream.cancel(other)).toBe("cancelled")
        expect(yield* upstream.cancel(other)).toBe("ended")
      })
    )
  )
})

describe("kept files", () => {
  const id = "0".repeat(64)
  const keep = Effect.flatMap(KeptFiles, (kept) => kept.keep(id, "video.mp4", clipIn(1)))

  it.effect("are served for their lifetime, and nothing else is", () =>
    Effect.gen(function* () {
      const kept = yield* KeptFiles
      yield* keep
      yield* TestClock.setTime(Date.now())
      expect(Option.isSome(yield* kept.file(id, "video.mp4"))).toBe(true)
      for (const [folder, name] of [
        [id, "last.png"],
        [id, "video.mp4.part"],
        [id, "../kept.key"],
        ["..", "kept.key"],
        [`${id}/..`, "video.mp4"]
      ] as const) {
        expect(Option.isNone(yield* kept.file(folder, name))).toBe(true)
      }
      yield* TestClock.adjust("49 hours")
      expect(Option.isNone(yield* kept.file(id, "video.mp4"))).toBe(true)
    }).pipe(Effect.provide(services))
  )
})
