import { Effect, Option } from "effect"
import type { VideoReport, VideoUpstream } from "../../src/upstreams/videos/VideoUpstream.ts"
import {
  VideoAmbiguous,
  VideoRejected,
  VideoSaturated,
  VideoTransient
} from "../../src/upstreams/videos/VideoUpstream.ts"

/** What the world says of videos, whichever it was asked. */
interface Said {
  readonly id: string
  readonly ids: ReadonlyArray<string>
  readonly status: "queued" | "running" | "succeeded" | "cancelled"
  readonly outcome: "cancelled" | "running" | "ended"
}

/** The world's videos. Only `seeing` can tell after a crash whether a task was submitted. */
export const counting = (name: string, world: string): VideoUpstream => {
  const call = (path: string, init: RequestInit = {}) =>
    Effect.tryPromise({
      try: async (signal) => {
        const reply = await fetch(`${world}${path}`, { ...init, signal })
        return { status: reply.status, said: (await reply.json()) as Said }
      },
      catch: () => new VideoTransient({ reason: "no answer" })
    })
  const reconcile: NonNullable<VideoUpstream["reconcile"]> = (job) =>
    Effect.map(call(`videos?task=${job.taskId}`), ({ said }) => Option.fromNullable(said.ids[0]))
  return {
    name,
    isPassthrough: false,
    submit: (job) =>
      call("videos", { method: "POST", body: JSON.stringify({ task: job.taskId }) }).pipe(
        Effect.mapError(() => new VideoAmbiguous({ reason: "no answer" })),
        Effect.filterOrFail(
          ({ status }) => status !== 429,
          () => new VideoSaturated({ retryAfterSeconds: undefined })
        ),
        Effect.map(({ said }) => said.id)
      ),
    poll: (id) =>
      Effect.gen(function* () {
        const { said, status } = yield* call(`videos/${id}`)
        if (status === 404) return yield* new VideoRejected({ code: "Gone", message: "unknown upstream" })
        if (status !== 200) return yield* new VideoTransient({ reason: String(status) })
        const report: VideoReport =
          said.status === "succeeded"
            ? { status: "succeeded", result: { videoUrl: `http://video/${id}` } }
            : said.status === "cancelled"
              ? { status: "cancelled" }
              : { status: said.status, nextPollMs: process.env["HINTS"] === "no" ? undefined : 60 }
        return report
      }),
    cancel: (id) => Effect.map(call(`videos/${id}`, { method: "DELETE" }), ({ said }) => said.outcome),
    ...(name === "seeing" ? { reconcile } : {})
  }
}
