import { InvalidRequest } from "../../contract/failures/Failure.ts"
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

/** The fields that the bounds of a model decide, not its protocol. */
export const boundedFields = [
  "first_frame",
  "last_frame",
  "reference_image",
  "reference_video",
  "reference_audio",
  "generate_audio"
] as const satisfies ReadonlyArray<VideoField>

/** The fate of a field at an upstream: `carried` as it is, `changed` or `left out` and named, `refused` with a 400. */
export type FieldFate = "carried" | "changed" | "left out" | "refused"

/** The fate of every field that a protocol decides. */
export type FieldFates = Readonly<Record<Exclude<VideoField, (typeof boundedFields)[number]>, FieldFate>>

/** An upstream with the usual fields and none of Ark's own. A protocol states how it differs. */
export const usualFates: FieldFates = {
  prompt: "carried",
  "asset://": "refused",
  resolution: "carried",
  ratio: "carried",
  duration: "carried",
  frames: "refused",
  seed: "carried",
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
export const fitOf = (fates: FieldFates, { given }: VideoRequest): VideoFit => {
  const fateOf: Readonly<Partial<Record<VideoField, FieldFate>>> = fates
  const refused = videoFields.find((field) => fateOf[field] === "refused" && given.has(field))
  if (refused === "asset://") return refusal("content", "asset:// addresses are not offered by this model")
  if (refused === "frames") return refusal(refused, "not supported by this model; give duration, in whole seconds")
  if (refused !== undefined) return refusal(refused, "not supported by this model")
  const isAdapted = (field: VideoField): boolean =>
    given.has(field) && (fateOf[field] === "changed" || fateOf[field] === "left out")
  return { type: "fits", adapted: videoFields.filter(isAdapted) }
}

/** A refusal of a field. */
export const refusal = (param: string, rule: string): VideoFit => ({
  type: "refused",
  refused: new InvalidRequest({ param, message: `${param}: ${rule}` })
})
