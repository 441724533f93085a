import { createAlibaba } from "@ai-sdk/alibaba"
import { afterAll, describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { dashscopeVideo } from "../../../src/upstreams/protocols/dashscopeVideo/dashscopeVideo.ts"
import type { VideoMedia } from "../../../src/upstreams/videos/VideoUpstream.ts"
import { dashscopeKey, fakeDashScope } from "../fakes/dashscope.ts"
import { job as anyJob, settings } from "./job.ts"

const dashscope = fakeDashScope()
afterAll(() => dashscope.stop())

const upstream = dashscopeVideo({
  name: "dashscope",
  baseUrl: dashscope.baseUrl,
  apiKey: Redacted.make(dashscopeKey)
})
const job = (over: Parameters<typeof anyJob>[0] = {}) =>
  anyJob({ upstreamModel: "wan3.0-video", settings: settings({ frames: 120 }), ...over })
const image = (role: "first_frame" | "last_frame"): VideoMedia => ({
  kind: "image",
  role,
  url: `https://a.example.com/${role}.png`
})

describe("DashScope's videos", () => {
  it.live("are asked for as Alibaba's own library asks", () =>
    Effect.gen(function* () {
      const model = createAlibaba({ apiKey: dashscopeKey, videoBaseURL: dashscope.origin }).video("wan3.0-video")
      const started = yield* Effect.promise(async () =>
        model.doStart!({
          prompt: "a cat",
          n: 1,
          aspectRatio: "16:9",
          resolution: "1280x720",
          duration: 5,
          seed: 11,
          fps: undefined,
          image: undefined,
          inputReferences: undefined,
          generateAudio: true,
          frameImages: [
            { frameType: "first_frame", image: { type: "url", url: image("first_frame").url } },
            { frameType: "last_frame", image: { type: "url", url: image("last_frame").url } }
          ],
          providerOptions: { alibaba: { watermark: false } }
        })
      )
      const byLibrary = dashscope.tasks.at(-1)
      yield* upstream.submit(job({ media: [image("first_frame"), image("last_frame")] }))
      expect(dashscope.tasks.at(-1)?.body).toEqual(byLibrary?.body)
      dashscope.move(byLibrary!.id, "SUCCEEDED")
      const status = yield* Effect.promise(async () => model.doStatus!({ operation: started.operation }))
      expect(status).toMatchObject({ status: "completed", videos: [{ type: "url" }] })
    })
  )

  it.live("go through their states, and end with what was made", () =>
    Effect.gen(function* () {
      const id = yield* upstream.submit(job())
      for (const [label, status] of [
        ["PENDING", "queued"],
        ["SUSPENDED", "queued"],
        ["RUNNING", "running"],
        ["CANCELED", "cancelled"]
      ] as const) {
        dashscope.move(id, label)
        expect(yield* upstream.poll(id)).toEqual({ status })
      }
      // It may be running all the same, until the service forgets its tasks.
      const untold = { status: "unknown", expiresAfterMs: 24 * 3_600_000 }
      for (const label of ["ANOTHER", "UNKNOWN"]) {
        dashscope.move(id, label)
        expect(yield* upstream.poll(id)).toEqual(untold)
      }
      expect(yield* upstream.cancel(id)).toBe("running")
      dashscope.move(id, "SUCCEEDED")
      expect(yield* upstream.poll(id)).toEqual({
        status: "succeeded",
        result: { videoUrl: `${dashscope.origin}/media/${id}.mp4`, duration: 5, resolution: "720p" }
      })
      const error = { code: "DataInspectionFailed", message: "Output data may contain inappropriate content." }
      dashscope.move(id, "FAILED", error)
      expect(yield* upstream.poll(id)).toEqual({ status: "failed", error })
      expect(yield* upstream.poll("0385dc79")).toEqual(untold)
    })
  )

  it.live("are cancelled while they wait", () =>
    Effect.gen(function* () {
      const id = yield* upstream.submit(job())
      expect(yield* upstream.cancel(id)).toBe("cancelled")
      const other = yield* upstream.submit(job())
      dashscope.move(other, "RUNNING")
      expect(yield* upstream.cancel(other)).toBe("running")
      dashscope.move(other, "SUCCEEDED")
      expect(yield* upstream.cancel(other)).toBe("ended")
    })
  )

  it.live.each([
    ["refuse:400/DataInspectionFailed", "VideoRejected", "DataInspectionFailed"],
    ["refuse:401/InvalidApiKey", "VideoRejected", "InternalServiceError"],
    ["refuse:400/Arrearage", "VideoRejected", "InternalServiceError"],
    ["refuse:429/Throttling.RateQuota", "VideoSaturated", undefined],
    ["refuse:500/InternalError", "VideoAmbiguous", undefined],
    ["drop", "VideoAmbiguous", undefined]
  ] as const)("whose create ends with %s are %s", ([prompt, _tag, code]) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(upstream.submit(job({ prompt })))
      expect(error).toMatchObject({ _tag, ...(code !== undefined && { code }) })
      expect(JSON.stringify(error)).not.toContain(dashscopeKey)
    })
  )

  it("have images in bytes, but sound at an address alone", () => {
    const fit = (media: VideoMedia) => upstream.fit!({ ...job({ media: [media] }), given: new Set() })
    const audio = { kind: "audio", role: "reference_audio" } as const
    expect(fit({ ...image("first_frame"), url: "data:image/png;base64,AAAA" }).type).toBe("fits")
    expect(fit({ ...audio, url: "https://a.example.com/a.mp3" }).type).toBe("fits")
    expect(fit({ ...audio, url: "data:audio/mpeg;base64,AAAA" })).toMatchObject({
      refused: { message: expect.stringContaining("reference_audio at an http(s) address alone") }
    })
  })

  it("whose create was not answered can't be looked for", () => {
    expect(upstream.reconcile).toBeUndefined()
  })
})
