import { afterAll, describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { arkVideo } from "../../../src/upstreams/protocols/arkVideo/arkVideo.ts"
import { dashscopeVideo } from "../../../src/upstreams/protocols/dashscopeVideo/dashscopeVideo.ts"
import { klingVideo } from "../../../src/upstreams/protocols/klingVideo/klingVideo.ts"
import { minimaxVideo } from "../../../src/upstreams/protocols/minimaxVideo/minimaxVideo.ts"
import { veo } from "../../../src/upstreams/protocols/veo/veo.ts"
import type { VideoServices, VideoUpstreamOptions } from "../../../src/upstreams/videos/videoApi.ts"
import type { VideoUpstream } from "../../../src/upstreams/videos/VideoUpstream.ts"
import { job } from "./job.ts"
import { using } from "./world.ts"

const key = "planted-secret-0123456789"

/** What the upstream says next. */
let answer: unknown = {}
const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => Response.json(answer) })
afterAll(() => server.stop(true))

interface Case {
  readonly make: (options: VideoUpstreamOptions) => Effect.Effect<VideoUpstream, never, VideoServices>
  readonly created: (id: string) => unknown
  readonly failed: (message: string) => unknown
  /** Absent if the gateway fetches the file itself. */
  readonly ended?: (url: string, lastFrame: string) => unknown
}

const cases: Readonly<Record<string, Case>> = {
  "ark-video": {
    make: (options) => Effect.succeed(arkVideo(options)),
    created: (id) => ({ id }),
    failed: (message) => ({ status: "failed", error: { code: message, message } }),
    ended: (url, frame) => ({ status: "succeeded", content: { video_url: url, last_frame_url: frame } })
  },
  "minimax-video": {
    make: minimaxVideo,
    created: (id) => ({ task_id: id }),
    failed: (message) => ({ task: { status: "failed", error: { code: message, message } } })
  },
  "dashscope-video": {
    make: (options) => Effect.succeed(dashscopeVideo(options)),
    created: (id) => ({ output: { task_id: id } }),
    failed: (message) => ({ output: { task_status: "FAILED", code: message, message } }),
    ended: (url) => ({ output: { task_status: "SUCCEEDED", video_url: url } })
  },
  "kling-video": {
    make: (options) => Effect.succeed(klingVideo(options)),
    created: (id) => ({ code: 0, data: { task_id: id } }),
    failed: (message) => ({ code: 0, data: { task_status: "failed", task_status_msg: message } }),
    ended: (url) => ({ code: 0, data: { task_status: "succeed", task_result: { videos: [{ url }] } } })
  },
  veo: {
    make: veo,
    created: (name) => ({ name }),
    failed: (message) => ({ done: true, error: { code: 3, message, status: message } })
  }
}

describe.each(Object.entries(cases))("a hostile upstream of %s", (_, { created, ended, failed, make }) => {
  const upstream = using(make({ name: "up", baseUrl: `${server.url}api`, apiKey: Redacted.make(key) }))

  it.live("shows no key by the words of a failed video, and no endless ones", () =>
    upstream((video) =>
      Effect.gen(function* () {
        answer = failed(`${key} at ${server.url.host} is wrong. ${"A".repeat(100_000)}`)
        const report = JSON.stringify(yield* video.poll("text2video/1"))
        expect(report).not.toContain(key)
        expect(report).not.toContain(server.url.host)
        expect(report).toContain("is wrong. AAA")
        expect(report.length).toBeLessThan(3_000)
      })
    )
  )

  it.live.each(["", "..", "a/../b", "a\r\nx: 1", "a\0", "a\ud800", "a".repeat(100_000)])(
    "is not asked about a video with the id %j",
    (id) =>
      upstream((video) =>
        Effect.gen(function* () {
          answer = created(id)
          expect(yield* Effect.flip(video.submit(job()))).toMatchObject({ _tag: "VideoAmbiguous" })
        })
      )
  )

  it.live.runIf(ended !== undefined)("shows no link that a caller may not open", () =>
    upstream((video) =>
      Effect.gen(function* () {
        for (const url of [
          "",
          "javascript:alert(1)",
          "file:///etc/passwd",
          `https://a.example.com/${"a".repeat(9_000)}`
        ]) {
          answer = ended?.(url, url)
          expect(yield* video.poll("text2video/1")).toMatchObject({ status: "failed" })
        }
        const videoUrl = "https://a.example.com/a.mp4"
        answer = ended?.(videoUrl, "file:///etc/passwd")
        expect(yield* video.poll("text2video/1")).toEqual({ status: "succeeded", result: { videoUrl } })
      })
    )
  )
})
