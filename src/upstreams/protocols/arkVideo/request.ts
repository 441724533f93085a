import type { JsonObject } from "../../../contract/fields.ts"
import { isObject, listAt } from "../../../contract/json/json.ts"
import { usualFates } from "../../videos/videoFields.ts"
import type { FieldFates } from "../../videos/videoFields.ts"
import type { VideoJob, VideoMedia, VideoSettings } from "../../videos/VideoUpstream.ts"

/** The fate of a task's fields at Ark. */
export const fates: FieldFates = {
  ...usualFates,
  "asset://": "carried",
  frames: "carried",
  return_last_frame: "carried",
  camera_fixed: "carried",
  tools: "carried",
  draft: "carried",
  priority: "carried",
  service_tier: "carried",
  safety_identifier: "carried",
  output_format: "carried",
  omni_reference_task_type: "carried"
}

/**
 * The caller's body with the upstream's model name and without the callback, which the gateway delivers. Length and
 * resolution are always set: the defaults differ by model, and the hold was computed for ours. `3:3` exists only in the
 * gateway's API.
 */
export const requestOf = (job: VideoJob): JsonObject => {
  const { callback_url: _, ...body } = job.body ?? spelled(job)
  return {
    ...body,
    ...(isOfDraft(body) ? {} : leftOut(body, job.settings)),
    model: job.upstreamModel,
    ...(body["ratio"] === "3:3" && { ratio: "3:4" })
  }
}

/** True for a video made from a draft, whose length it has. */
const isOfDraft = (body: JsonObject): boolean =>
  listAt(body, "content").some((part) => isObject(part) && part["type"] === "draft_task")

const leftOut = (body: JsonObject, settings: VideoSettings): JsonObject => {
  const { duration = null, frames = null, resolution = null } = body
  const isLength = frames !== null || (duration !== null && duration !== -1)
  return {
    ...(resolution === null && { resolution: settings.resolution }),
    ...(!isLength && settings.isOpenLength !== true && lengthOf(settings))
  }
}

const lengthOf = ({ byFrames, frames }: VideoSettings): JsonObject =>
  byFrames ? { frames } : { duration: Math.floor(frames / 24) }

/** The body of a job without its caller's body. */
const spelled = ({ media, prompt, settings }: VideoJob): JsonObject => ({
  content: contentOf({ media, prompt }),
  ratio: settings.ratio,
  resolution: settings.resolution,
  ...(settings.isOpenLength === true ? { duration: -1 } : lengthOf(settings)),
  seed: settings.seed,
  generate_audio: settings.generateAudio,
  watermark: settings.watermark,
  return_last_frame: settings.returnLastFrame,
  service_tier: settings.serviceTier,
  ...(settings.cameraFixed && { camera_fixed: true }),
  ...(settings.draft && { draft: true }),
  ...(settings.priority !== 0 && { priority: settings.priority }),
  ...(settings.webSearch && { tools: [{ type: "web_search" }] })
})

/** Prompt and inputs as the parts of a request's content. */
export const contentOf = ({ media, prompt }: Pick<VideoJob, "media" | "prompt">): ReadonlyArray<JsonObject> => [
  ...(prompt === "" ? [] : [{ type: "text", text: prompt }]),
  ...media.map(part)
]

const part = ({ kind, role, url }: VideoMedia) => ({ type: `${kind}_url`, role, [`${kind}_url`]: { url } })
