import { InvalidRequest } from "../contract/Failure.ts"
import type { VideoFit, VideoRequest } from "./VideoUpstream.ts"

/**
 * The parts of a video request that an upstream may lack, by the names of the task's own fields and roles. `asset://`
 * stands for inputs at addresses that only Ark reads.
 */
export const videoFields = [
  "prompt",
  "first_frame",
  "last_frame",
  "reference_image",
  "reference_video",
  "reference_audio",
  "asset://",
  "resolution",
  "ratio",
  "duration",
  "frames",
  "seed",
  "generate_audio",
  "return_last_frame",
  "watermark",
  "camera_fixed",
  "tools",
  "draft",
  "priority",
  "service_tier",
  "safety_identifier",
  "output_format",
  "omni_reference_task_type"
] as const
export type VideoField = (typeof videoFields)[number]

/**
 * The fate of a field at an upstream: `carried` as it is, `changed` or `left out` and named in the record, `refused` with
 * a 400. `always` and `never` are for sound: the upstream has no switch.
 */
export type FieldFate = "carried" | "changed" | "left out" | "refused" | "always" | "never"

/** The fate of every field. */
export type FieldFates = Readonly<Record<VideoField, FieldFate>>

/** An upstream with the usual fields and none of Ark's own. A protocol states how it differs. */
export const usualFates: FieldFates = {
  prompt: "carried",
  first_frame: "carried",
  last_frame: "carried",
  reference_image: "carried",
  reference_video: "carried",
  reference_audio: "carried",
  "asset://": "refused",
  resolution: "carried",
  ratio: "carried",
  duration: "carried",
  frames: "refused",
  seed: "carried",
  generate_audio: "carried",
  return_last_frame: "left out",
  watermark: "carried",
  camera_fixed: "left out",
  tools: "left out",
  draft: "left out",
  priority: "left out",
  service_tier: "left out",
  safety_identifier: "left out",
  output_format: "left out",
  omni_reference_task_type: "left out"
}

/** Checks a request against the fates of its fields. */
export const fitOf = (fates: FieldFates, request: VideoRequest): VideoFit => {
  const { given, media, settings } = request
  const lacking = media.find(({ role }) => fates[role] === "refused")
  if (lacking !== undefined) return refusal("content", `this model takes no ${lacking.role}`)
  const refused = videoFields.find((field) => fates[field] === "refused" && given.has(field))
  if (refused === "asset://") return refusal("content", "asset:// addresses are not offered by this model")
  if (refused === "frames") return refusal(refused, "not supported by this model; give duration, in whole seconds")
  if (refused !== undefined) return refusal(refused, "not supported by this model")
  const isAdapted = (field: VideoField): boolean => {
    const fate = fates[field]
    if (fate === "always") return !settings.generateAudio
    if (fate === "never") return settings.generateAudio && given.has(field)
    return given.has(field) && (fate === "changed" || fate === "left out")
  }
  return { type: "fits", adapted: videoFields.filter(isAdapted) }
}

/** A refusal of a field. */
export const refusal = (param: string, rule: string): VideoFit => ({
  type: "refused",
  refused: new InvalidRequest({ param, message: `${param}: ${rule}` })
})
