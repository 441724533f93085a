import { Context, Data, Layer, Schema } from "effect"
import type { Effect, Option } from "effect"
import { JsonObject } from "../contract/fields.ts"
import type { InvalidRequest } from "../contract/Failure.ts"
import type { UpstreamTrouble } from "../generation/UpstreamTrouble.ts"
import { unsupplied } from "../contract/testDouble.ts"

/** One input beside the prompt, its role made explicit. `url` is an http(s) address or a data URI. */
export const VideoMedia = Schema.Struct({
  kind: Schema.Literal("image", "video", "audio"),
  role: Schema.Literal("first_frame", "last_frame", "reference_image", "reference_video", "reference_audio"),
  url: Schema.String
})
export type VideoMedia = typeof VideoMedia.Type

/** What was asked for, with every default settled to a real value, and what the model chooses but its length. */
export const VideoSettings = Schema.Struct({
  resolution: Schema.String,
  /** As the record echoes it; never `adaptive`. `3:3` has the geometry of `3:4`. */
  ratio: Schema.String,
  width: Schema.Int,
  height: Schema.Int,
  /** Frames at 24 per second; the most that the model makes where it chooses the length. */
  frames: Schema.Int,
  /** The model chooses the length: it is known once the upstream tells it. */
  isOpenLength: Schema.optionalWith(Schema.Literal(true), { exact: true }),
  /** Whether the length was given as `frames`: the record then carries `frames` in place of `duration`. */
  byFrames: Schema.Boolean,
  seed: Schema.Int,
  generateAudio: Schema.Boolean,
  watermark: Schema.Boolean,
  cameraFixed: Schema.Boolean,
  returnLastFrame: Schema.Boolean,
  draft: Schema.Boolean,
  priority: Schema.Int,
  serviceTier: Schema.String,
  webSearch: Schema.Boolean
})
export type VideoSettings = typeof VideoSettings.Type

/**
 * A video to render, as its upstream is told of it: plain JSON, and up to 64 MiB of it (data URIs), so it is kept apart
 * from its task's row and let go when the task has been submitted or has ended.
 */
export const VideoJob = Schema.Struct({
  taskId: Schema.String,
  /** The model's id at the upstream. */
  upstreamModel: Schema.String,
  /** Where else it can be made, in the order in which they are asked, the first place included; absent is nowhere. */
  routes: Schema.optional(
    Schema.Array(
      Schema.Struct({
        upstream: Schema.String,
        model: Schema.String,
        /** What is charged where it is made there, as the ledger writes it. */
        price: Schema.optionalWith(Schema.String, { exact: true })
      })
    )
  ),
  prompt: Schema.String,
  /** Empty where everybody who may make it reads `body`: the inputs are in it. */
  media: Schema.Array(VideoMedia),
  settings: VideoSettings,
  /** The caller's body as it came, for an upstream that passes it through; else null. */
  body: Schema.NullOr(JsonObject),
  createdAtMs: Schema.Number,
  /** When the task expires: nothing rendered later is of use. */
  deadlineMs: Schema.Number
})
export type VideoJob = typeof VideoJob.Type

/** Why a task failed, as its record shows it. */
export const VideoError = Schema.Struct({ code: Schema.String, message: Schema.String })
export type VideoError = typeof VideoError.Type

/** What an upstream says of a finished video. What it leaves out, the task's settings fill in. */
export const VideoResult = Schema.Struct({
  videoUrl: Schema.String,
  lastFrameUrl: Schema.optional(Schema.String),
  usage: Schema.optional(
    Schema.Struct({
      completionTokens: Schema.Int,
      totalTokens: Schema.Int,
      toolUsage: Schema.optional(JsonObject)
    })
  ),
  seed: Schema.optional(Schema.Int),
  resolution: Schema.optional(Schema.String),
  ratio: Schema.optional(Schema.String),
  /** Whole seconds. */
  duration: Schema.optional(Schema.Int),
  frames: Schema.optional(Schema.Int),
  framesPerSecond: Schema.optional(Schema.Int),
  serviceTier: Schema.optional(Schema.String),
  /** Fields of the upstream's record that the gateway does not know, under their own names. */
  extra: Schema.optional(JsonObject)
})
export type VideoResult = typeof VideoResult.Type

/** Where a submitted video is. `unknown`: a label nobody knows, the task stays as it was. */
export type VideoReport =
  | {
      readonly status: "queued" | "running" | "unknown"
      /** When the upstream expects news, in milliseconds from now; absent where it can't tell. */
      readonly nextPollMs?: number | undefined
    }
  | { readonly status: "succeeded"; readonly result: VideoResult }
  | { readonly status: "failed"; readonly error: VideoError }
  | { readonly status: "expired" | "cancelled" }

/** The upstream said no, for good: the task fails with this code and message. Nothing was made or charged. */
export class VideoRejected extends Data.TaggedError("VideoRejected")<
  VideoError & {
    /** It is about us, or about a model that it lacks: another upstream may take what this one won't. */
    readonly elsewhere?: boolean
    /** Undefined where the task itself may have caused it. */
    readonly trouble?: UpstreamTrouble | undefined
  }
> {}

/** The upstream has no room (429, overload): nothing was made; the task stays queued and is submitted again later. */
export class VideoSaturated extends Data.TaggedError("VideoSaturated")<{
  readonly retryAfterSeconds: number | undefined
  /** Undefined where the task itself may have caused it. */
  readonly trouble?: UpstreamTrouble | undefined
}> {}

/** The submit left and no answer came: a video may have been made. Reconcile or fail, never submit again. */
export class VideoAmbiguous extends Data.TaggedError("VideoAmbiguous")<{
  readonly reason: string
  /** Nobody answered at all. */
  readonly unanswered?: boolean
}> {}

/** The call had no effect, or none that matters, and may be repeated: refused connection, 5xx to a poll, a timeout of one. */
export class VideoTransient extends Data.TaggedError("VideoTransient")<{
  readonly reason: string
  /** Nobody answered at all. */
  readonly unanswered?: boolean
  /** Nobody was reached, so that it says something of the upstream alone. */
  readonly neverSent?: boolean
}> {}

/** Whether an upstream can render what is asked, and what of it is left out if it does. */
export type VideoFit =
  | { readonly type: "refused"; readonly refused: InvalidRequest }
  /** `adapted` has the request's names of what will not be had (`return_last_frame`). */
  | { readonly type: "fits"; readonly adapted: ReadonlyArray<string> }

export type VideoCancelOutcome = "cancelled" | "running" | "ended"

/** A submit whose outcome nobody heard, and what the other tasks of its upstream know. */
export interface UnheardSubmit {
  /** When it was meant, in Unix ms: a video that it made was made after this. */
  readonly meantMs: number
  /** Which of these ids are other tasks', and the other submits of about that time that were not heard of either. */
  readonly rivals: (upstreamIds: ReadonlyArray<string>) => Effect.Effect<VideoRivals, VideoTransient>
}

export interface VideoRivals {
  readonly taken: ReadonlySet<string>
  /** What they asked for; undefined where nobody knows any more. */
  readonly unheard: ReadonlyArray<VideoJob | undefined>
}

/**
 * A place that renders videos. Calls are made by the durable engine: the intent is stored before `submit` and the id
 * after it, so `submit` runs at most once per task unless it failed with `VideoSaturated` or `VideoTransient`.
 */
export interface VideoUpstream {
  readonly name: string
  /** It speaks the callers' own protocol and gets their body whole: `draft_task` parts and `asset://` addresses may go there. */
  readonly isPassthrough: boolean
  /** What it does not like it says when it is asked to make it: a create waits for its word. Undefined is no. */
  readonly refusesAtOnce?: boolean
  /** The lengths it can make, in whole seconds and in order; absent where it takes every length of the family. */
  readonly seconds?: ReadonlyArray<number>
  /** Asked before a task is accepted, so that what can't be made is refused with a 400; absent where all can. */
  readonly fit?: (asked: Pick<VideoJob, "settings" | "media" | "prompt">) => VideoFit
  /** Starts the video; answers with the upstream's id for it. */
  readonly submit: (
    job: VideoJob
  ) => Effect.Effect<string, VideoRejected | VideoSaturated | VideoAmbiguous | VideoTransient>
  /** When news of a video that was just submitted is expected, in ms from now; absent where nobody can tell. */
  readonly expectedMs?: (upstreamId: string) => number | undefined
  /** Asks where it is; may be asked any number of times. `VideoRejected`: the upstream no longer knows it. */
  readonly poll: (upstreamId: string) => Effect.Effect<VideoReport, VideoRejected | VideoTransient>
  /** Asks to stop it. `running`: too late to stop, it goes on. `ended`: it is over or unknown there. */
  readonly cancel: (upstreamId: string) => Effect.Effect<VideoCancelOutcome, VideoTransient>
  /**
   * After an ambiguous submit or a crash in one: the id of the video that this job made, none where it made none.
   * Absent where the upstream offers no way to tell; the engine then fails the task.
   */
  readonly reconcile?: (
    job: VideoJob,
    submit: UnheardSubmit
  ) => Effect.Effect<Option.Option<string>, VideoAmbiguous | VideoTransient>
}

/** The video upstreams by name. */
export class VideoUpstreams extends Context.Tag("gateway/upstreams/VideoUpstreams")<
  VideoUpstreams,
  ReadonlyMap<string, VideoUpstream>
>() {
  /** These and no others. */
  static readonly layer = (...upstreams: ReadonlyArray<VideoUpstream>) =>
    Layer.succeed(VideoUpstreams, new Map(upstreams.map((upstream) => [upstream.name, upstream])))

  /** Upstreams for tests: what one is not given dies when it is asked for. */
  static readonly Test = (...upstreams: ReadonlyArray<Partial<VideoUpstream> & Pick<VideoUpstream, "name">>) =>
    VideoUpstreams.layer(
      ...upstreams.map((given) => ({
        isPassthrough: false,
        submit: unsupplied(`${VideoUpstreams.key}.submit`),
        poll: unsupplied(`${VideoUpstreams.key}.poll`),
        cancel: unsupplied(`${VideoUpstreams.key}.cancel`),
        ...given
      }))
    )
}
