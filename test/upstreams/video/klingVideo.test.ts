import { afterAll, describe, expect, it } from "@effect/vitest"
import { Effect, Option, Redacted } from "effect"
import { klingVideo } from "../../../src/upstreams/protocols/klingVideo/klingVideo.ts"
import { tokenOf } from "../../../src/upstreams/protocols/klingVideo/token.ts"
import type { VideoMedia } from "../../../src/upstreams/videos/VideoUpstream.ts"
import { fakeKling, klingKey } from "../fakes/kling.ts"
import { job as anyJob, settings } from "./job.ts"
import { unheard } from "./unheard.ts"

const kling = fakeKling()
afterAll(() => kling.stop())

const upstream = klingVideo({ name: "kling", baseUrl: kling.baseUrl, apiKey: Redacted.make(klingKey) })
let asked = 0
const job = (over: Parameters<typeof anyJob>[0] = {}) =>
  anyJob({ taskId: `cgt-${++asked}`, upstreamModel: "kling-v3", settings: settings({ frames: 120 }), ...over })
const frame: VideoMedia = { kind: "image", role: "first_frame", url: `data:image/png;base64,${btoa("pixels")}` }

describe("Kling's videos", () => {
  it.live("are asked for by mode and in text, an image in base64 without its head", () =>
    Effect.gen(function* () {
      const id = yield* upstream.submit(job())
      expect(id).toMatch(/^text2video\/\d+$/)
      expect(kling.tasks.at(-1)?.body).toEqual({
        model_name: "kling-v3",
        prompt: "a cat",
        aspect_ratio: "16:9",
        duration: "5",
        mode: "std",
        sound: "on",
        external_task_id: `cgt-${asked}`
      })
      yield* upstream.submit(
        job({ media: [frame, { ...frame, role: "last_frame", url: "https://a.example.com/b.png" }] })
      )
      expect(kling.tasks.at(-1)).toMatchObject({
        endpoint: "image2video",
        body: { image: btoa("pixels"), image_tail: "https://a.example.com/b.png" }
      })
      // Version 1.6 alone takes several pictures, and is silent.
      const silent = settings({ frames: 120, generateAudio: false })
      const media = [{ ...frame, role: "reference_image" } as const]
      yield* upstream.submit(job({ upstreamModel: "kling-v1-6", settings: silent, media }))
      expect(kling.tasks.at(-1)).toMatchObject({
        endpoint: "multi-image2video",
        body: { image_list: [{ image: btoa("pixels") }] }
      })
    })
  )

  it.live("go through their states; one that a filter kept back says so", () =>
    Effect.gen(function* () {
      const id = yield* upstream.submit(job())
      expect(yield* upstream.poll(id)).toEqual({ status: "queued" })
      kling.move(id, "processing")
      expect(yield* upstream.poll(id)).toEqual({ status: "running" })
      expect(yield* upstream.cancel(id)).toBe("running")
      kling.move(id, "succeed")
      expect(yield* upstream.poll(id)).toEqual({
        status: "succeeded",
        result: { videoUrl: `https://media.example.com/${id.split("/")[1]}.mp4`, duration: 5 }
      })
      expect(yield* upstream.cancel(id)).toBe("ended")
      const message = "Failure to pass the risk control system"
      kling.move(id, "failed", message)
      const error = { code: "OutputVideoSensitiveContentDetected", message }
      expect(yield* upstream.poll(id)).toEqual({ status: "failed", error })
      expect(yield* Effect.flip(upstream.poll("text2video/1"))).toMatchObject({ code: "ResourceNotFound" })
    })
  )

  it.live.each([
    ["refuse:1201", { _tag: "VideoRejected", code: "1201" }],
    ["refuse:1301", { _tag: "VideoRejected", code: "1301" }],
    ["refuse:1102", { _tag: "VideoRejected", code: "InternalServiceError", trouble: "empty-account" }],
    ["refuse:1203", { _tag: "VideoRejected", code: "InternalServiceError" }],
    ["refuse:1303", { _tag: "VideoSaturated" }],
    ["refuse:5001", { _tag: "VideoSaturated" }],
    ["refuse:5000", { _tag: "VideoAmbiguous" }],
    ["drop", { _tag: "VideoAmbiguous" }]
  ] as const)("whose create ends with %s inside a 200", ([prompt, expected]) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(upstream.submit(job({ prompt })))
      expect(error).toMatchObject(expected)
      expect(JSON.stringify(error)).not.toMatch(/planted/)
    })
  )

  it.live("whose create was not answered are found by our own name of the task", () =>
    Effect.gen(function* () {
      const lost = job({ prompt: "drop a cat" })
      expect(yield* upstream.reconcile!(lost, unheard())).toEqual(Option.none())
      yield* Effect.flip(upstream.submit(lost))
      expect(yield* upstream.reconcile!(lost, unheard())).toEqual(Option.some(`text2video/${kling.tasks.at(-1)?.id}`))
    })
  )

  it("have a token for each call, or the key itself where it is one", () => {
    const claims = JSON.parse(Buffer.from(tokenOf("access:secret", 1_000).split(".")[1] ?? "", "base64url").toString())
    expect(claims).toEqual({ iss: "access", exp: 2_800, nbf: 995 })
    expect(tokenOf("sk-relay")).toBe("sk-relay")
  })
})
