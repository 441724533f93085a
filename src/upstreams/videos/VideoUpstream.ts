import { Context, Data, Layer, Schema } from "effect"
import type { Effect, Option } from "effect"
import { JsonObject } from "../../contract/fields.ts"
import type { InvalidRequest } from "../../contract/failures/Failure.ts"
import type { Rest } from "../../generation/Rest.ts"
import type { UpstreamTrouble } from "../../generation/UpstreamTrouble.ts"
import { missingMember } from "../../contract/testDouble.ts"
import type { AtKey } from "../keys/KeyPool.ts"
import type { SubmitFingerprint } from "./SubmitFingerprint.ts"
import type { SomeVideoBounds } from "./VideoBounds.ts"

/** One input beside the prompt, with an explicit role. `url` is an http(s) address or a data URI. */
export const VideoMedia = Schema.Struct({
  kind: Schema.Literal("image", "video", "audio"),
  role: Schema.Literal("first_frame", "last_frame", "reference_image", "reference_video", "reference_audio"),
  url: Schema.String
})
export type VideoMedia = typeof VideoMedia.Type

/** The settings of a video, every default resolved. Only an open length is left for the model to choose. */
export const VideoSettings = Schema.Struct({
  resolution: Schema.String,
  /** As the record shows it, never `adaptive`. `3:3` has the geometry of `3:4`. */
  ratio: Schema.String,
  width: Schema.Int,
  height: Schema.Int,
  /** Frames at 24 per second. If the model chooses the length, the most that it makes. */
  frames: Schema.Int,
  /** The model chooses the length, which is known once the upstream reports it. */
  isOpenLength: Schema.optionalWith(Schema.Literal(true), { exact: true }),
  /** The most seconds of its input videos together; absent if it has none. */
  inputVideoSeconds: Schema.optionalWith(Schema.Int, { exact: true }),
  /** A price by the second counts the input videos' seconds too. */
  isInputVideoBilled: Schema.optionalWith(Schema.Literal(true), { exact: true }),
  /** True if the caller gave the length as `frames`: the record then shows `frames` instead of `duration`. */
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
 * A video to render, as plain JSON of up to 64 MiB (data URIs). It is therefore stored apart from its task's row, and
 * deleted once the task is submitted or has ended.
 */
export const VideoJob = Schema.Struct({
  taskId: Schema.String,
  /** The model's id at the upstream. */
  upstreamModel: Schema.String,
  /** Every route that can render it, in order, the first one included; absent if there is only one. */
  routes: Schema.optional(
    Schema.Array(
      Schema.Struct({
        upstream: Schema.String,
        model: Schema.String,
        /** The name of the upstream's key, if it has several. */
        key: Schema.optionalWith(Schema.String, { exact: true }),
        /** Its own length, if the first route's model chooses one: the longest, or one that is settled. */
        length: Schema.optionalWith(
          Schema.Struct({
            frames: Schema.Int,
            isOpenLength: Schema.optionalWith(Schema.Literal(true), { exact: true })
          }),
          { exact: true }
        ),
        /** Its own, if it differs from the first route's. */
        sound: Schema.optionalWith(Schema.Boolean, { exact: true }),
        /** The price of this route, in the ledger's encoding. */
        price: Schema.optionalWith(Schema.String, { exact: true }),
        /** The parameters that this route changes or drops. */
        adapted: Schema.optionalWith(Schema.Array(Schema.String), { exact: true })
      })
    )
  ),
  prompt: Schema.String,
  /** Empty if every route reads `body`, which has the inputs already. */
  media: Schema.Array(VideoMedia),
  settings: VideoSettings,
  /** The caller's body for a passthrough upstream, otherwise null. */
  body: Schema.NullOr(JsonObject),
  createdAtMs: Schema.Number,
  /** When the task expires. A video rendered later is of no use. */
  deadlineMs: Schema.Number
})
export type VideoJob = typeof VideoJob.Type

/** The reason that a task failed, as its record shows it. */
export const VideoError = Schema.Struct({ code: Schema.String, message: Schema.String })
export type VideoError = typeof VideoError.Type

/** A finished video as its upstream reports it. The task's settings fill in absent fields. */
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
  /** The seconds of input videos that the upstream bills beside those that it made. */
  inputVideoSeconds: Schema.optional(Schema.Number),
  framesPerSecond: Schema.optional(Schema.Int),
  serviceTier: Schema.optional(Schema.String),
  /** The charge that the provider tells, in nano-dollars. */
  toldNanoUsd: Schema.optional(Schema.Int),
  /** Fields of the upstream's record that the gateway does not know, under their original names. */
  extra: Schema.optional(JsonObject)
})
export type VideoResult = typeof VideoResult.Type

/** The upstream has made the video, and bills it, but the gateway does not have its file yet. */
export interface VideoFetching {
  readonly status: "fetching"
  readonly nextPollMs: number
  readonly made: Omit<VideoResult, "videoUrl">
  /** Why the last try failed, as the caller may read it. */
  readonly reason?: string | undefined
  /** Another try would fail too. */
  readonly isGone?: true
}

/** The state of a submitted video. `unknown` is a label that the gateway does not know: the task stays as it was. */
export type VideoReport =
  | {
      readonly status: "queued" | "running" | "unknown"
      /** When the upstream expects to have news, in ms from now; absent if it cannot say. */
      readonly nextPollMs?: number | undefined
      /** Per cent, if the upstream tells it. */
      readonly progress?: number | undefined
      /** How long after its submit such a video has expired, in ms; absent if it may still run. */
      readonly expiresAfterMs?: number
    }
  | VideoFetching
  | { readonly status: "succeeded"; readonly result: VideoResult }
  | { readonly status: "failed"; readonly error: VideoError }
  | { readonly status: "expired" | "cancelled" }

/** The upstream refused for good. The task fails with this code and message; nothing was made or charged. */
export class VideoRejected extends Data.TaggedError("VideoRejected")<
  VideoError & {
    /** The refusal concerns our account or a missing model: another upstream may accept the job. */
    readonly elsewhere?: boolean
    /** Undefined where the task itself may have caused the refusal. */
    readonly trouble?: UpstreamTrouble | undefined
  }
> {}

/** The upstream has no capacity (429, overload). Nothing was made; the task stays queued and is submitted later. */
export class VideoSaturated extends Data.TaggedError("VideoSaturated")<{
  readonly retryAfterSeconds: number | undefined
  /** Undefined where the task itself may have caused it. */
  readonly trouble?: UpstreamTrouble | undefined
  /** The part of the upstream that rests. */
  readonly rests?: Rest | undefined
}> {}

/** The submit was sent and no answer came, so a video may exist. Reconcile or fail, never submit again. */
export class VideoAmbiguous extends Data.TaggedError("VideoAmbiguous")<{
  /** Of a reconciliation: why it can't tell, as the caller may read it after "the upstream did not confirm it:". */
  readonly reason: string
  /** No answer came at all. */
  readonly unanswered?: boolean
  /** A later reconciliation may know more: the upstream has yet to show all of a video, or another task its own. */
  readonly mayClear?: boolean
}> {}

/** A call without effect that may be repeated: a refused connection, a 5xx or a timeout of a poll. */
export class VideoTransient extends Data.TaggedError("VideoTransient")<{
  readonly reason: string
  /** No answer came at all. */
  readonly unanswered?: boolean
  /** The upstream was not reached, so that the failure cannot be the task's. */
  readonly neverSent?: boolean
  /** The gateway itself could not call, which says nothing about the upstream. */
  readonly keptBack?: boolean | undefined
}> {}

/** A job to check. */
export interface VideoRequest extends Pick<VideoJob, "settings" | "media" | "prompt" | "upstreamModel"> {
  /** The fields that the caller gave a value other than the usual one (`videoFields`). */
  readonly given: ReadonlySet<string>
}

/** The check of a job against an upstream: refused, or accepted with what is dropped. */
export type VideoFit =
  | { readonly type: "refused"; readonly refused: InvalidRequest }
  /** `adapted` names the parameters that are changed or dropped (`return_last_frame`). */
  | { readonly type: "fits"; readonly adapted: ReadonlyArray<string> }

export type VideoCancelOutcome = "cancelled" | "running" | "ended"

/** A submit of unknown outcome, with a look-up of the upstream's other tasks. */
export interface UnheardSubmit {
  /** The task's id. */
  readonly id: string
  /** When the submit was about to be sent, in Unix ms. Its video cannot be older. */
  readonly submitAtMs: number
  readonly fingerprint: SubmitFingerprint
  /** Tells which of these ids belong to other tasks, and finds the other submits of that time without an answer. */
  readonly rivals: (upstreamIds: ReadonlyArray<string>) => Effect.Effect<VideoRivals, VideoTransient>
}

export interface VideoRivals {
  readonly taken: ReadonlySet<string>
  readonly unheard: ReadonlyArray<VideoRival>
  /** There are more than these. */
  readonly isCut: boolean
}

/** Another submit of unknown outcome. */
export interface VideoRival extends Pick<UnheardSubmit, "id" | "submitAtMs"> {
  /** Its task has not ended: it may still find its own video. */
  readonly isOpen: boolean
  /** Undefined if none is stored: it may have made any video of its time. */
  readonly fingerprint: SubmitFingerprint | undefined
}

/**
 * An upstream that renders videos. The durable engine calls it: it stores the intent before `submit` and the id after
 * it, so `submit` runs at most once per task unless it fails with `VideoSaturated` or `VideoTransient`.
 */
export interface VideoUpstream extends AtKey<VideoUpstream> {
  readonly name: string
  /** It speaks the callers' protocol and gets their whole body, with `draft_task` parts and `asset://` addresses. */
  readonly isPassthrough: boolean
  /** True if it validates on submit: a create then waits for its answer. Defaults to false. */
  readonly refusesAtOnce?: boolean
  /** True if it bills the seconds of input videos too. */
  readonly billsInputVideo?: true
  /**
   * The frames that it may make and bill beyond those of the request, which are held too: 24 if it bills the length that
   * it reports, since encoders round up. Defaults to none.
   */
  readonly extraFrames?: number
  /** The bounds of its protocol. Those of the model itself come before. */
  readonly bounds?: SomeVideoBounds
  /** Checks a job before its task is accepted, so that the caller gets a 400; absent if it renders every job. */
  readonly fit?: (request: VideoRequest) => VideoFit
  /** Starts the video. Returns the upstream's id for it. */
  readonly submit: (
    job: VideoJob
  ) => Effect.Effect<string, VideoRejected | VideoSaturated | VideoAmbiguous | VideoTransient>
  /** When a video just submitted is expected to have news, in ms from now; absent if unknown. */
  readonly expectedMs?: (upstreamId: string) => number | undefined
  /** Reads the video's state. May be called any number of times. `VideoRejected`: the upstream no longer knows it. */
  readonly poll: (upstreamId: string) => Effect.Effect<VideoReport, VideoRejected | VideoTransient>
  /** Asks the upstream to stop it. `running`: too late. `ended`: it has ended or the upstream does not know it. */
  readonly cancel: (upstreamId: string) => Effect.Effect<VideoCancelOutcome, VideoTransient>
  /**
   * After an ambiguous submit, or a crash during one: the id of the video that this job made, none if it made none.
   * Absent if the upstream offers no way to find out; the engine then fails the task.
   */
  readonly reconcile?: (
    job: VideoJob,
    submit: UnheardSubmit
  ) => Effect.Effect<Option.Option<string>, VideoAmbiguous | VideoTransient>
  /**
   * The fields of a job that the upstream's list shows (`SubmitFingerprint`), stored with each submit; absent without a list.
   */
  readonly shownInList?: (job: VideoJob) => JsonObject
}

/** The video upstreams by name. */
export class VideoUpstreams extends Context.Tag("gateway/upstreams/videos/VideoUpstreams")<
  VideoUpstreams,
  ReadonlyMap<string, VideoUpstream>
>() {
  /** A map of exactly these upstreams. */
  static readonly layer = (...upstreams: ReadonlyArray<VideoUpstream>) =>
    Layer.succeed(VideoUpstreams, new Map(upstreams.map((upstream) => [upstream.name, upstream])))

  /** Upstreams for tests. A method that was not supplied dies when it is called. */
  static readonly Test = (...upstreams: ReadonlyArray<Partial<VideoUpstream> & Pick<VideoUpstream, "name">>) =>
    VideoUpstreams.layer(
      ...upstreams.map((given) => ({
        isPassthrough: false,
        submit: missingMember(`${VideoUpstreams.key}.submit`),
        poll: missingMember(`${VideoUpstreams.key}.poll`),
        cancel: missingMember(`${VideoUpstreams.key}.cancel`),
        ...given
      }))
    )
}
