import { Clock, Effect, Either, Exit, FiberMap, Layer, Option } from "effect"
import type { Scope } from "effect"
import { PublicUrl } from "../../config/PublicUrl.ts"
import { exitOf } from "../../flow/exitOf.ts"
import { VideoRejected, VideoSaturated, VideoTransient, VideoUpstreams } from "../../upstreams/videos/VideoUpstream.ts"
import type { VideoJob, VideoUpstream } from "../../upstreams/videos/VideoUpstream.ts"
import { Clips, lastFrameFile, videoFile } from "./Clips.ts"
import type { Order } from "./Order.ts"
import { readDirective } from "./directive.ts"
import type { VideoDirective } from "./directive.ts"
import { filesPath } from "../../files/Api.ts"
import { Renderer } from "./Renderer.ts"

/** The delay between two polls of a clip that is being rendered, in ms. */
const soonMs = 150

/** The built-in video model: offline, free, and deterministic for a request and seed. */
export const sandboxVideo: Effect.Effect<VideoUpstream, never, Clips | Renderer | PublicUrl | Scope.Scope> = Effect.gen(
  function* () {
    const clips = yield* Clips
    const renderer = yield* Renderer
    const publicUrl = yield* PublicUrl
    const clock = yield* Effect.clock
    const renders = yield* FiberMap.make<string>()
    /** The start of clips whose submit is just being answered, in ms from then. */
    const submitted = new Map<string, number>()
    /** Clips that were reported as running. Lost with the process, which reports them again. */
    const seen = new Set<string>()

    /** Synchronous, so that the engine need not supervise it. */
    const submit = (job: VideoJob): Effect.Effect<string, VideoRejected | VideoSaturated | VideoTransient> => {
      const read = readDirective(job.prompt)
      if (Either.isLeft(read)) return Effect.fail(new VideoRejected({ code: "InvalidParameter", message: read.left }))
      const { directive, prompt } = read.right
      if (directive.error !== undefined) return Effect.fail(refusal(directive.error))
      const nowMs = clock.unsafeCurrentTimeMillis()
      const order = orderOf(job, prompt, directive, nowMs)
      const created = clips.create(job.taskId, order)
      const note = (id: string) => {
        submitted.set(id, order.runsAtMs - nowMs)
        return id
      }
      const exit = exitOf(created)
      return exit !== undefined && Exit.isSuccess(exit)
        ? Effect.succeed(note(exit.value))
        : Effect.mapBoth(created, { onFailure: transient, onSuccess: note })
    }

    /** The poll at that time renders the clip: waiting ones cost nothing. */
    const expectedMs = (id: string) => {
      const ms = submitted.get(id)
      submitted.delete(id)
      return ms
    }

    const render = Effect.fnUntraced(
      function* (id: string) {
        const stored = yield* clips.read(id)
        if (Option.isNone(stored) || isOver(stored.value)) return
        const order = stored.value
        if (order.error !== null) return
        yield* renderer.render(order.scene).pipe(
          Effect.flatMap((clip) => clips.keep(id, order, clip)),
          Effect.catchTag("RenderFailed", ({ reason }) =>
            Effect.zipRight(
              Effect.logError("the sandbox could not render a clip", reason),
              clips.write(id, { ...order, error: broken })
            )
          )
        )
      },
      Effect.catchAllCause((cause) => Effect.logWarning("a clip is rendered again at its next poll", cause))
    )

    const poll = Effect.fnUntraced(
      function* (id: string) {
        const stored = yield* clips.read(id)
        if (Option.isNone(stored)) return yield* gone()
        const order = stored.value
        const nowMs = yield* Clock.currentTimeMillis
        if (order.cancelled) return { status: "cancelled" } as const
        if (nowMs < order.runsAtMs) return { status: "queued", nextPollMs: order.runsAtMs - nowMs } as const
        if (order.renderedAtMs === null) yield* FiberMap.run(renders, id, render(id), { onlyIfMissing: true })
        const isDone = nowMs >= order.endsAtMs && (order.renderedAtMs !== null || order.error !== null)
        if (!isDone || !seen.has(id)) {
          seen.add(id)
          return { status: "running", nextPollMs: Math.max(order.endsAtMs - nowMs, soonMs) } as const
        }
        seen.delete(id)
        if (order.error !== null) return { status: "failed", error: order.error } as const
        return yield* succeeded(id, order)
      },
      Effect.catchTag("OrdersUnavailable", (error) => transient(error))
    )

    const succeeded = (id: string, { scene }: Order) =>
      Effect.map(publicUrl.get, (url) => {
        const link = (name: string) => `${url}${filesPath}/${id}/${name}`
        return {
          status: "succeeded",
          result: {
            videoUrl: link(videoFile),
            ...(scene.lastFrame && { lastFrameUrl: link(lastFrameFile) }),
            frames: scene.frames
          }
        } as const
      })

    const cancel = Effect.fnUntraced(
      function* (id: string) {
        const stored = yield* clips.read(id)
        if (Option.isNone(stored) || isOver(stored.value)) return "ended" as const
        if ((yield* Clock.currentTimeMillis) >= stored.value.runsAtMs) return "running" as const
        yield* FiberMap.remove(renders, id)
        yield* clips.write(id, { ...stored.value, cancelled: true })
        return "cancelled" as const
      },
      Effect.catchTag("OrdersUnavailable", (error) => transient(error))
    )

    const reconcile = (job: VideoJob) =>
      clips.idOf(job.taskId).pipe(Effect.catchTag("OrdersUnavailable", (error) => transient(error)))

    return { name: "sandbox", isPassthrough: false, submit, expectedMs, poll, cancel, reconcile }
  }
)

/** The sandbox alone, for a gateway without other upstreams. */
export const SandboxVideoUpstreams = Layer.scoped(
  VideoUpstreams,
  Effect.map(sandboxVideo, (upstream) => new Map([[upstream.name, upstream]]))
).pipe(Layer.provide(Renderer.Default))

/** The catalogue's entry of the sandbox's own model. */
export const sandboxVideoModel = {
  id: "sandbox-video",
  kind: "video",
  routes: [{ upstream: "sandbox", model: "sandbox-video" }],
  contextTokens: undefined,
  ownedBy: "sandbox"
} as const

const isOver = (order: Order) => order.cancelled || order.renderedAtMs !== null

const orderOf = (
  { deadlineMs, settings }: VideoJob,
  prompt: string,
  directive: VideoDirective,
  nowMs: number
): Order => ({
  scene: {
    width: settings.width,
    height: settings.height,
    frames: settings.frames,
    framesPerSecond: 24,
    seed: settings.seed,
    prompt,
    watermark: settings.watermark,
    lastFrame: settings.returnLastFrame
  },
  runsAtMs: nowMs + directive.queueMs,
  endsAtMs: nowMs + directive.queueMs + directive.renderMs,
  deadlineMs,
  cancelled: false,
  error:
    directive.fail === undefined
      ? null
      : { code: directive.fail, message: "The sandbox failed the task, as the directive asked" },
  renderedAtMs: null
})

/** Ark's codes by status. */
const codes = new Map([
  [400, "InvalidParameter"],
  [401, "AuthenticationError"],
  [403, "AccessDenied"],
  [404, "InvalidEndpointOrModel.NotFound"]
])

/** 429 and 503 leave the task queued; anything else is final. */
const refusal = (status: number): VideoRejected | VideoSaturated =>
  status === 429
    ? new VideoSaturated({ retryAfterSeconds: undefined })
    : new VideoRejected({
        code: codes.get(status) ?? (status < 500 ? "InvalidParameter" : "InternalServiceError"),
        message: `The sandbox refused the task with status ${status}, as the directive asked`
      })

const gone = () => new VideoRejected({ code: "ResourceNotFound", message: "The sandbox no longer has this video" })
const broken = { code: "InternalServiceError", message: "The sandbox could not render the video" }
const transient = (error: { readonly message: string }) =>
  new VideoTransient({ reason: `the sandbox's orders: ${error.message}` })
