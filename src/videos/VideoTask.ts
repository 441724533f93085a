import { Option, Schema } from "effect"
import { TaskState } from "../tasks/Task.ts"
import type { Task } from "../tasks/Task.ts"
import { VideoResult, VideoSettings } from "../upstreams/videos/VideoUpstream.ts"

/** The states that a task shows: the engine's six, in the same spelling. */
export const VideoStatus = TaskState

/** The family's part of a request, for showing the task. */
export const VideoDetails = Schema.Struct({
  settings: VideoSettings,
  executionExpiresAfterSeconds: Schema.Int,
  safetyIdentifier: Schema.NullOr(Schema.String),
  /** The draft that it was made from. */
  draftTaskId: Schema.optionalWith(Schema.String, { exact: true }),
  /** The name of the upstream's key that makes it, if the upstream has several. */
  upstreamKey: Schema.optionalWith(Schema.String, { exact: true }),
  /** The price at its route (`Price.text`), if there are several. */
  price: Schema.optionalWith(Schema.String, { exact: true }),
  /** The parameters that its route changes or drops. */
  adapted: Schema.optionalWith(Schema.Array(Schema.String), { exact: true }),
  /** Per cent, as the upstream last told it. */
  progress: Schema.optionalWith(Schema.Int, { exact: true }),
  /** A video that the upstream made and bills, whose file the gateway does not have: since when (Unix ms), and its result. */
  made: Schema.optionalWith(Schema.Struct({ atMs: Schema.Int, result: VideoResult }), { exact: true }),
  /** The API that made the task, which its callbacks speak; absent for Ark's. */
  api: Schema.optionalWith(Schema.Literal("openai"), { exact: true })
})
export type VideoDetails = typeof VideoDetails.Type

/** A video task as its family knows it. */
export interface VideoTask extends Omit<Task, "details" | "result"> {
  readonly details: VideoDetails
  /** Set exactly when succeeded. */
  readonly result: VideoResult | null
}

const decodeDetails = Schema.decodeUnknownOption(VideoDetails)
const decodeResult = Schema.decodeUnknownOption(Schema.NullOr(VideoResult))

/**
 * Decodes the engine's task. If the family's part of its row is damaged, the defaults replace the settings, and a lost
 * result becomes a failure.
 */
export const videoTask = (task: Task): VideoTask => {
  const result = Option.getOrNull(decodeResult(task.result ?? null))
  const isLost = task.state === "succeeded" && result === null
  return {
    ...task,
    ...(isLost && { state: "failed", error: unreadable }),
    details: Option.getOrElse(decodeDetails(task.details), () => defaultDetails(task)),
    result
  }
}

const unreadable = { code: "InternalServiceError", message: "The stored task can't be read." }

const defaultDetails = ({ createdAtMs, expiresAtMs, tier }: Task): VideoDetails => ({
  settings: {
    resolution: "720p",
    ratio: "16:9",
    width: 1280,
    height: 720,
    frames: 120,
    byFrames: false,
    seed: 0,
    generateAudio: true,
    watermark: false,
    cameraFixed: false,
    returnLastFrame: false,
    draft: false,
    priority: 0,
    serviceTier: tier ?? "default",
    webSearch: false
  },
  executionExpiresAfterSeconds: expiresAtMs === null ? 172_800 : Math.floor((expiresAtMs - createdAtMs) / 1_000),
  safetyIdentifier: null
})
