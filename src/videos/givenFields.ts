import { videoFields } from "../upstreams/videos/videoFields.ts"
import type { VideoField } from "../upstreams/videos/videoFields.ts"
import type { CreateVideoTask } from "./CreateVideoTask.ts"
import { isAsset } from "./mediaAddress.ts"
import { readFlags } from "./promptFlags.ts"
import type { Resolved } from "./resolve.ts"

/** The fields that a request gives a value other than the usual one, by its body, its flags or its inputs. */
export const givenFields = (
  request: CreateVideoTask,
  { media, settings }: Pick<Resolved, "media" | "settings">
): ReadonlySet<VideoField> => {
  const flags = request.content.map((part) =>
    part.type === "text"
      ? readFlags(part.text, { resolutions: [settings.resolution], seconds: [Math.floor(settings.frames / 24)] }).flags
      : {}
  )
  const isGiven = (field: keyof CreateVideoTask & VideoField) => (request[field] ?? null) !== null
  const isFlag = (flag: keyof ReturnType<typeof readFlags>["flags"]) => flags.some((one) => one[flag] !== undefined)
  const given: Readonly<Partial<Record<VideoField, boolean>>> = {
    resolution: isGiven("resolution") || isFlag("resolution"),
    ratio: (request.ratio ?? "adaptive") !== "adaptive" || isFlag("ratio"),
    duration: isGiven("duration") || isFlag("duration"),
    frames: settings.byFrames,
    seed: request.seed === undefined || request.seed === null ? isFlag("seed") : request.seed !== -1,
    generate_audio: isGiven("generate_audio"),
    return_last_frame: settings.returnLastFrame,
    watermark: settings.watermark,
    camera_fixed: settings.cameraFixed,
    tools: settings.webSearch,
    draft: settings.draft,
    priority: settings.priority !== 0,
    service_tier: settings.serviceTier !== "default",
    safety_identifier: isGiven("safety_identifier"),
    output_format: isGiven("output_format"),
    omni_reference_task_type: isGiven("omni_reference_task_type"),
    "asset://": media.some(({ url }) => isAsset(url))
  }
  return new Set([...media.map(({ role }) => role), ...videoFields.filter((field) => given[field] === true)])
}
