import { afterAll, describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import type { JsonObject } from "../../../src/contract/fields.ts"
import { arkVideo } from "../../../src/upstreams/protocols/arkVideo/arkVideo.ts"
import type { VideoUpstreamOptions } from "../../../src/upstreams/videos/videoApi.ts"
import { arkKey, fakeArk, refusal } from "../fakes/ark.ts"
import { job, settings } from "./job.ts"

const ark = fakeArk()
afterAll(() => ark.stop())

const at = (over: Partial<VideoUpstreamOptions> = {}) =>
  arkVideo({ name: "ark", baseUrl: `${ark.baseUrl}/`, apiKey: Redacted.make(arkKey), ...over })
const upstream = at()
/** No answer at all. */
const isSilent = { _tag: "VideoTransient", unanswered: true }

const asking = (text: string, over: JsonObject = {}) =>
  job({ body: { model: "house", content: [{ type: "text", text }], ...over } })
const submitted = (text = "a cat", over: JsonObject = {}) => upstream.submit(asking(text, over))

describe("submit", () => {
  it.effect("sends the caller's body as it came, but for the model, the callback and the spelling 3:3", () =>
    Effect.gen(function* () {
      const content = [
        { type: "text", text: "a cat --ratio 16:9" },
        { type: "draft_task", draft_task: { id: "cgt-1" } },
        { type: "image_url", role: "reference_image", image_url: { url: "asset://7" } }
      ]
      const id = yield* submitted("", {
        content,
        callback_url: "https://caller.example.com/hook",
        omni_reference_task_type: "new",
        seed: null,
        ratio: "3:3"
      })
      expect(id).toBe(ark.tasks.at(-1)?.id)
      expect(ark.calls.at(-1)).toMatchObject({ method: "POST", headers: { authorization: `Bearer ${arkKey}` } })
      expect(ark.calls.at(-1)?.body).toEqual({
        model: "seedance",
        content,
        omni_reference_task_type: "new",
        seed: null,
        ratio: "3:4"
      })
    })
  )

  it.effect("spells out a job that has no body", () =>
    Effect.gen(function* () {
      yield* upstream.submit(
        job({
          media: [{ kind: "image", role: "first_frame", url: "https://a.example.com/i.png" }],
          settings: settings({ frames: 57, byFrames: true, webSearch: true })
        })
      )
      expect(ark.calls.at(-1)?.body).toMatchObject({
        model: "seedance",
        content: [
          { type: "text", text: "a cat" },
          { type: "image_url", role: "first_frame", image_url: { url: "https://a.example.com/i.png" } }
        ],
        frames: 57,
        seed: 11,
        tools: [{ type: "web_search" }]
      })
    })
  )

  it.effect.each(["InvalidParameter.Duration", "InputTextSensitiveContentDetected", "MissingParameter"])(
    "a refusal of the caller's input keeps its code: %s",
    (code) =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(submitted(`refuse:400/${code}`))
        expect(error).toMatchObject({ _tag: "VideoRejected", code })
        expect(error).toHaveProperty("message", expect.stringContaining("the parameter duration"))
        expect(JSON.stringify(error)).not.toContain(arkKey)
      })
  )

  it.effect.each([
    "401/AuthenticationError",
    "403/AccountOverdueError",
    "403/OperationDenied.ServiceNotOpen",
    "404/ModelNotOpen",
    "404/InvalidEndpointOrModel.NotFound"
  ])("what is wrong with our own account stays ours: %s", (answer) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(submitted(`refuse:${answer}`))
      expect(error).toMatchObject({ _tag: "VideoRejected", code: "InternalServiceError" })
      expect(JSON.stringify(error)).not.toMatch(/parameter|Authentication|Account|NotOpen|NotFound/)
    })
  )

  it.effect("a key that is refused is not the caller's matter", () =>
    Effect.gen(function* () {
      const wrong = at({ apiKey: Redacted.make("wrong") })
      expect(yield* Effect.flip(wrong.submit(asking("a cat")))).toMatchObject({ code: "InternalServiceError" })
    })
  )

  it.effect.each([
    ["429/RateLimitExceeded.EndpointRPMExceeded", 7],
    ["429/QuotaExceeded", 7],
    ["503/ServerOverloaded", undefined],
    ["400/InflightBatchsizeExceeded", undefined],
    ["500/ServerOverloaded", undefined]
  ] as const)("no room is told as such: %s", ([answer, retryAfterSeconds]) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(submitted(`refuse:${answer}`))
      expect(error).toMatchObject({ _tag: "VideoSaturated", retryAfterSeconds })
    })
  )

  it.effect.each(["refuse:500/InternalServiceError", "refuse:502/x", "drop", "reset", "nameless"])(
    "an outcome that is not known is ambiguous: %s",
    (prompt) =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(submitted(prompt))
        expect([error._tag, "unanswered" in error]).toEqual(["VideoAmbiguous", prompt === "drop" || prompt === "reset"])
      })
  )

  it.live("silence after sending is ambiguous", () =>
    Effect.gen(function* () {
      const hasty = at({ deadlines: { connectMs: 1_000, firstByteMs: 1_000, idleMs: 1_000 } })
      const before = ark.tasks.length
      expect(yield* Effect.flip(hasty.submit(asking("mute")))).toMatchObject({
        _tag: "VideoAmbiguous",
        unanswered: true
      })
      expect(ark.tasks.length).toBe(before + 1)
    })
  )

  it.effect("a refused connection had no effect", () =>
    Effect.gen(function* () {
      const nowhere = at({ baseUrl: "http://127.0.0.1:1/api/v3" })
      expect(yield* Effect.flip(nowhere.submit(asking("a cat")))).toMatchObject(isSilent)
    })
  )
})

describe("poll", () => {
  it.effect.each([
    ["queued", "queued"],
    ["pending", "queued"],
    ["running", "running"],
    ["processing", "running"],
    ["expired", "expired"],
    ["cancelled", "cancelled"],
    ["brooding", "unknown"]
  ] as const)("%s", ([label, status]) =>
    Effect.gen(function* () {
      const id = yield* submitted()
      ark.move(id, label)
      expect(yield* upstream.poll(id)).toEqual({ status })
    })
  )

  it.effect("a finished video, with all that its record says", () =>
    Effect.gen(function* () {
      const id = yield* submitted("a cat", { return_last_frame: true })
      ark.move(id, "succeeded")
      expect(yield* upstream.poll(id)).toEqual({
        status: "succeeded",
        result: {
          videoUrl: `https://media.example.com/${id}.mp4`,
          lastFrameUrl: `https://media.example.com/${id}.png`,
          usage: { completionTokens: 108_900, totalTokens: 108_900, toolUsage: { web_search: 1 } },
          seed: 78_674,
          resolution: "720p",
          ratio: "16:9",
          duration: 5,
          framesPerSecond: 24,
          serviceTier: "default",
          extra: {
            revised_prompt: "A cat, in detail",
            execution_expires_after: 172_800,
            generate_audio: true,
            draft: false,
            priority: 0
          }
        }
      })
    })
  )

  it.effect("a failure keeps its code and its words", () =>
    Effect.gen(function* () {
      const id = yield* submitted()
      const error = {
        code: "OutputVideoSensitiveContentDetected.PolicyViolation",
        message: "copyright. Request id: 02"
      }
      ark.move(id, "failed", error)
      expect(yield* upstream.poll(id)).toEqual({ status: "failed", error })
    })
  )

  it.effect("an unknown id is the upstream's word that it has no such video", () =>
    Effect.gen(function* () {
      expect(yield* Effect.flip(upstream.poll("cgt-none"))).toMatchObject({
        _tag: "VideoRejected",
        code: "ResourceNotFound"
      })
    })
  )

  it.effect("whatever else goes wrong passes", () =>
    Effect.gen(function* () {
      const id = yield* submitted()
      for (const answer of [
        () => refusal(500, "InternalServiceError"),
        () => refusal(401, "AuthenticationError"),
        () => new Response("<html>not here</html>", { status: 404 }),
        () => new Response("<html>all is well</html>")
      ]) {
        ark.next(answer)
        const error = yield* Effect.flip(upstream.poll(id))
        expect([error._tag, "unanswered" in error]).toEqual(["VideoTransient", false])
      }
      ark.next(() => refusal(429, "RateLimitExceeded"))
      expect(yield* upstream.poll(id)).toEqual({ status: "unknown", nextPollMs: 7_000 })
      expect(yield* Effect.flip(at({ baseUrl: "http://127.0.0.1:1" }).poll(id))).toMatchObject(isSilent)
    })
  )
})

describe("cancel", () => {
  it.effect("stops what waits, leaves what runs, and removes nothing that has ended", () =>
    Effect.gen(function* () {
      const id = yield* submitted()
      ark.move(id, "running")
      expect(yield* upstream.cancel(id)).toBe("running")
      ark.move(id, "succeeded")
      expect(yield* upstream.cancel(id)).toBe("ended")
      expect((yield* upstream.poll(id)).status).toBe("succeeded")
      const other = yield* submitted()
      expect(yield* upstream.cancel(other)).toBe("cancelled")
      expect(yield* upstream.cancel(other)).toBe("cancelled")
      expect(yield* upstream.cancel("cgt-none")).toBe("ended")
    })
  )

  it.effect("an upstream that starts it in between keeps it", () =>
    Effect.gen(function* () {
      const id = yield* submitted()
      ark.next(() => {
        ark.move(id, "running")
        return Response.json({ id, status: "queued" })
      })
      expect(yield* upstream.cancel(id)).toBe("running")
    })
  )

  it.effect("a video that ended in between is deleted, and its id is not given again", () =>
    Effect.gen(function* () {
      const id = yield* submitted()
      const later = yield* submitted()
      ark.next(() => {
        ark.move(id, "succeeded")
        return Response.json({ id, status: "queued" })
      })
      expect(yield* upstream.cancel(id)).toBe("cancelled")
      expect(ark.removed.map((task) => task.id)).toEqual([id])
      expect([id, later]).not.toContain(yield* submitted())
    })
  )

  it.effect("an upstream that can't answer is asked again", () =>
    Effect.gen(function* () {
      const id = yield* submitted()
      ark.next(() => refusal(500, "InternalServiceError"))
      expect((yield* Effect.flip(upstream.cancel(id)))._tag).toBe("VideoTransient")
    })
  )
})
