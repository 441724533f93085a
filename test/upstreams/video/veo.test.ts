import { afterAll, describe, expect, it } from "@effect/vitest"
import { GenerateVideosOperation, GoogleGenAI } from "@google/genai"
import { Effect, Redacted } from "effect"
import { veo } from "../../../src/upstreams/protocols/veo/veo.ts"
import type { VideoMedia } from "../../../src/upstreams/videos/VideoUpstream.ts"
import { fakeVeo, veoKey } from "../fakes/veo.ts"
import { job as anyJob, settings } from "./job.ts"
import { finished, using as usingOne } from "./world.ts"

const google = fakeVeo()
const pixels = Buffer.from("\x89PNG pixels", "latin1")
const pictures = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response(pixels) })
afterAll(() => Promise.all([google.stop(), pictures.stop(true)]))

const at = (baseUrl: string) => usingOne(veo({ name: "veo", baseUrl, apiKey: Redacted.make(veoKey) }))
const places = [
  ["Google's API", at(google.baseUrl)],
  ["Vertex", at(google.vertexUrl)]
] as const
const job = (over: Parameters<typeof anyJob>[0] = {}) => anyJob({ upstreamModel: "veo-3.1-generate-preview", ...over })
const image = (role: "first_frame" | "last_frame", url: string): VideoMedia => ({ kind: "image", role, url })
const first = image("first_frame", `data:image/png;base64,${pixels.toString("base64")}`)
const inBytes = { bytesBase64Encoded: pixels.toString("base64"), mimeType: "image/png" }

it.live("Veo at Vertex is asked as Google's own library asks", () =>
  places[1][1]((upstream) =>
    Effect.gen(function* () {
      const library = new GoogleGenAI({ vertexai: true, apiKey: veoKey, httpOptions: { baseUrl: google.origin } })
      const picture = { imageBytes: inBytes.bytesBase64Encoded, mimeType: "image/png" }
      yield* Effect.promise(() =>
        library.models.generateVideos({
          model: "veo-3.1-generate-preview",
          source: { prompt: "a cat", image: picture },
          config: {
            numberOfVideos: 1,
            durationSeconds: 4,
            aspectRatio: "16:9",
            resolution: "720p",
            seed: 11,
            generateAudio: true,
            lastFrame: picture
          }
        })
      )
      const byLibrary = google.operations.at(-1)
      yield* upstream.submit(job({ media: [first, image("last_frame", first.url)] }))
      expect(google.operations.at(-1)?.body).toEqual(byLibrary?.body)
    })
  )
)

it.live("an operation at Google's API is read as Google's own library reads it", () =>
  places[0][1]((upstream) =>
    Effect.gen(function* () {
      const name = yield* upstream.submit(job())
      google.end(name)
      const library = new GoogleGenAI({ apiKey: veoKey, httpOptions: { baseUrl: google.origin } })
      const operation = Object.assign(new GenerateVideosOperation(), { name })
      const read = yield* Effect.promise(() => library.operations.getVideosOperation({ operation }))
      expect(read.response?.generatedVideos?.[0]?.video?.uri).toContain("/files/")
      expect((yield* finished(upstream, name)).status).toBe("succeeded")
    })
  )
)

describe.each(places)("Veo at %s", (place, using) => {
  it.live("gets inputs as bytes, from an address too", () =>
    using((upstream) =>
      Effect.gen(function* () {
        yield* upstream.submit(job({ media: [image("first_frame", `http://127.0.0.1:${pictures.port}/a.png`)] }))
        expect(google.operations.at(-1)?.body).toMatchObject({ instances: [{ prompt: "a cat", image: inBytes }] })
        const reference: VideoMedia = { kind: "image", role: "reference_image", url: first.url }
        yield* upstream.submit(job({ media: [reference], settings: settings({ frames: 192 }) }))
        expect(google.operations.at(-1)?.body).toMatchObject({
          instances: [{ referenceImages: [{ image: inBytes, referenceType: "asset" }] }]
        })
        const gone = yield* Effect.flip(upstream.submit(job({ media: [image("first_frame", "http://127.0.0.1:1/a")] })))
        expect(gone).toMatchObject({ _tag: "VideoRejected", code: "InvalidParameter" })
      })
    )
  )

  it.live("ends at the gateway's own link", () =>
    using((upstream) =>
      Effect.gen(function* () {
        const name = yield* upstream.submit(job())
        expect(yield* upstream.poll(name)).toEqual({ status: "running" })
        expect(yield* upstream.cancel(name)).toBe("running")
        google.end(name)
        expect(yield* upstream.cancel(name)).toBe("ended")
        const before = google.filesSent()
        expect(yield* finished(upstream, name)).toEqual({
          status: "succeeded",
          result: { videoUrl: expect.stringMatching(/^https:\/\/gw\.example\.com\/files\/[0-9a-f]{64}\/video\.mp4$/) }
        })
        // Once, however often it is asked; at Vertex the first answer is left as soon as it is known to have the file inside.
        yield* upstream.poll(name)
        expect(google.filesSent() - before).toBe(place === "Vertex" ? 2 : 1)
      })
    )
  )

  it.live("says that a video was filtered, and fails with Google's words", () =>
    using((upstream) =>
      Effect.gen(function* () {
        const name = yield* upstream.submit(job())
        google.end(name, { filtered: "The video shows a person." })
        expect(yield* upstream.poll(name)).toEqual({
          status: "failed",
          error: { code: "OutputVideoSensitiveContentDetected", message: "The video shows a person." }
        })
        const other = yield* upstream.submit(job())
        google.end(other, { error: { code: 3, message: "unsupported" } })
        expect(yield* upstream.poll(other)).toEqual({
          status: "failed",
          error: { code: "InvalidParameter", message: "unsupported" }
        })
        const unknown = other.replace(/op\d+$/, "op99999")
        expect(yield* Effect.flip(upstream.poll(unknown))).toMatchObject({ code: "ResourceNotFound" })
      })
    )
  )

  it.live.each([
    ["refuse:400/INVALID_ARGUMENT", { _tag: "VideoRejected", code: "INVALID_ARGUMENT" }],
    ["refuse:403/PERMISSION_DENIED", { _tag: "VideoRejected", code: "InternalServiceError" }],
    ["refuse:429/RESOURCE_EXHAUSTED", { _tag: "VideoSaturated", retryAfterSeconds: 34 }],
    ["refuse:500/INTERNAL", { _tag: "VideoAmbiguous" }],
    ["drop", { _tag: "VideoAmbiguous" }]
  ] as const)("answers a create with %s", ([prompt, expected]) =>
    using((upstream) =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(upstream.submit(job({ prompt })))
        expect(error).toMatchObject(expected)
        expect(JSON.stringify(error)).not.toContain(veoKey)
      })
    )
  )
})
