import { secondsFrom } from "../../../src/upstreams/videos/VideoBounds.ts"
import { afterAll, describe, expect, it } from "@effect/vitest"
import { Effect, Option, Redacted } from "effect"
import { minimaxVideo } from "../../../src/upstreams/protocols/minimaxVideo/minimaxVideo.ts"
import type { VideoMedia } from "../../../src/upstreams/videos/VideoUpstream.ts"
import { fakeMiniMax, minimaxKey } from "../fakes/minimax.ts"
import { job as anyJob, settings as anySettings } from "./job.ts"
import { finished, using as usingOne } from "./world.ts"
import { among, unheard } from "./unheard.ts"

const minimax = fakeMiniMax()
afterAll(() => minimax.stop())

const using = usingOne(minimaxVideo({ name: "minimax", baseUrl: minimax.baseUrl, apiKey: Redacted.make(minimaxKey) }))
const settings = (over: Parameters<typeof anySettings>[0] = {}) =>
  anySettings({ resolution: "768p", frames: 120, ...over })
const job = (over: Parameters<typeof anyJob>[0] = {}) =>
  anyJob({ upstreamModel: "MiniMax-H3", settings: settings(), ...over })
const frame: VideoMedia = { kind: "image", role: "first_frame", url: "https://a.example.com/i.png" }

describe("MiniMax's videos", () => {
  it.live("are asked for in Ark's parts, with MiniMax's own names", () =>
    using((upstream) =>
      Effect.gen(function* () {
        const id = yield* upstream.submit(
          job({ media: [frame], settings: settings({ watermark: true, ratio: "3:3" }) })
        )
        expect(minimax.tasks.at(-1)).toMatchObject({
          id,
          body: {
            model: "MiniMax-H3",
            content: [
              { type: "text", text: "a cat" },
              { type: "image_url", role: "first_frame", image_url: { url: frame.url } }
            ],
            resolution: "768P",
            duration: 5,
            ratio: "3:4",
            aigc_watermark: true
          }
        })
      })
    )
  )

  it.live("go through their states, and end at the gateway's own link, with what was made", () =>
    using((upstream) =>
      Effect.gen(function* () {
        const id = yield* upstream.submit(job())
        expect(yield* upstream.poll(id)).toEqual({ status: "queued" })
        minimax.move(id, "running")
        expect(yield* upstream.poll(id)).toEqual({ status: "running" })
        minimax.move(id, "succeeded")
        expect(yield* finished(upstream, id)).toEqual({
          status: "succeeded",
          result: {
            videoUrl: expect.stringMatching(/^https:\/\/gw\.example\.com\/files\/[0-9a-f]{64}\/video\.mp4$/),
            duration: 5,
            resolution: "768p",
            ratio: "16:9"
          }
        })
      })
    )
  )

  it.live("fail with the upstream's own words; an expired one is expired, an unknown one is gone", () =>
    using((upstream) =>
      Effect.gen(function* () {
        const id = yield* upstream.submit(job())
        const error = { code: "1027", message: "the video contains sensitive content" }
        minimax.move(id, "failed", error)
        expect(yield* upstream.poll(id)).toEqual({ status: "failed", error })
        minimax.move(id, "expired")
        expect(yield* upstream.poll(id)).toEqual({ status: "expired" })
        expect(yield* Effect.flip(upstream.poll("1"))).toMatchObject({
          _tag: "VideoRejected",
          code: "ResourceNotFound"
        })
      })
    )
  )

  it.live("are cancelled while they wait; an ended one keeps its record", () =>
    using((upstream) =>
      Effect.gen(function* () {
        const id = yield* upstream.submit(job())
        expect(yield* upstream.cancel(id)).toBe("cancelled")
        expect(yield* upstream.poll(id)).toEqual({ status: "cancelled" })
        const other = yield* upstream.submit(job())
        minimax.move(other, "running")
        expect(yield* upstream.cancel(other)).toBe("running")
        minimax.move(other, "succeeded")
        expect(yield* upstream.cancel(other)).toBe("ended")
        expect(minimax.tasks.map(({ id }) => id)).toContain(other)
        expect(yield* upstream.cancel("1")).toBe("ended")
      })
    )
  )

  it.live.each([
    ["refuse:400/bad_request_error", "VideoRejected", "bad_request_error"],
    ["refuse:422/unprocessable_entity_error", "VideoRejected", "unprocessable_entity_error"],
    ["refuse:401/authorized_error", "VideoRejected", "InternalServiceError"],
    ["refuse:402/insufficient_balance_error", "VideoRejected", "InternalServiceError"],
    ["refuse:429/rate_limit_error", "VideoSaturated", undefined],
    ["refuse:500/server_error", "VideoAmbiguous", undefined],
    ["drop", "VideoAmbiguous", undefined]
  ] as const)("whose create ends with %s are %s", ([prompt, _tag, code]) =>
    using((upstream) =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(upstream.submit(job({ prompt })))
        expect(error).toMatchObject({ _tag, ...(code !== undefined && { code }) })
        expect(JSON.stringify(error)).not.toContain(minimaxKey)
      })
    )
  )

  it.live("whose create was not answered are found in the list by what they asked for", () =>
    using((upstream) =>
      Effect.gen(function* () {
        const look = (asked: ReturnType<typeof job>, taken: ReadonlyArray<string> = []) =>
          upstream.reconcile!(asked, unheard({ fingerprint: { shown: upstream.shownInList!(asked) }, ...among(taken) }))
        const lost = job({ prompt: "drop a cat", settings: settings({ frames: 264 }) })
        expect(yield* look(lost)).toEqual(Option.none())
        yield* Effect.flip(upstream.submit(lost))
        const { id } = minimax.tasks.at(-1)!
        expect(yield* look(lost)).toEqual(Option.some(id))
        expect(yield* look(lost, [id])).toEqual(Option.none())
      })
    )
  )

  it.live("have H3's lengths and resolutions", () =>
    using((upstream) =>
      Effect.sync(() => {
        expect(upstream.bounds).toMatchObject({ seconds: secondsFrom(5, 15), resolutions: ["768p", "2k"] })
        expect(upstream.fit!({ ...job({ prompt: " ", media: [frame] }), given: new Set() }).type).toBe("refused")
      })
    )
  )
})
