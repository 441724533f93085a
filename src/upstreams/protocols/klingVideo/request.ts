import type { JsonObject } from "../../../contract/fields.ts"
import { fitOf, usualFates } from "../../videos/videoFields.ts"
import type { FieldFates } from "../../videos/videoFields.ts"
import type { SomeVideoBounds } from "../../videos/VideoBounds.ts"
import type { VideoFit, VideoJob, VideoRequest } from "../../videos/VideoUpstream.ts"

/** The fate of a task's fields at Kling. A video of frames has their ratio. */
export const fates: FieldFates = { ...usualFates, seed: "left out" }

/** The bounds of Kling 3, for models without rows of their own (`catalogue/videos/klingModels.ts`). */
const seconds = Array.from({ length: 13 }, (_, index) => 3 + index)
const ratios = ["16:9", "9:16", "1:1"] as const
/** The modes by the resolution that they make. */
const modes: Readonly<Record<string, string>> = { "720p": "std", "1080p": "pro", "4k": "4k" }
export const bounds: SomeVideoBounds = {
  seconds,
  references: { images: 0, videos: 0, audios: 0 },
  ratios,
  resolutions: Object.keys(modes)
}

export const fit = (request: VideoRequest): VideoFit => fitOf(fates, request)

/** The endpoints for text alone, for frames and for references. A task is polled where it was created. */
export const endpointOf = ({ media }: Pick<VideoJob, "media">): "text2video" | "image2video" | "multi-image2video" => {
  if (media.length === 0) return "text2video"
  return media.some(({ role }) => role === "reference_image") ? "multi-image2video" : "image2video"
}

/** `external_task_id` is unique at Kling: a second create with it is refused, and the first is found by it. */
export const requestOf = (job: VideoJob): JsonObject => {
  const { media, prompt, settings, taskId, upstreamModel } = job
  const urlOf = (role: string) => media.find((one) => one.role === role)?.url
  const [image, tail] = [urlOf("first_frame"), urlOf("last_frame")]
  const references = media.filter(({ role }) => role === "reference_image")
  return {
    model_name: upstreamModel,
    ...(prompt !== "" && { prompt }),
    ...(image !== undefined && { image: plain(image) }),
    ...(tail !== undefined && { image_tail: plain(tail) }),
    ...(references.length > 0 && { image_list: references.map(({ url }) => ({ image: plain(url) })) }),
    ...(endpointOf(job) !== "image2video" && { aspect_ratio: settings.ratio }),
    duration: String(settings.frames / 24),
    mode: modes[settings.resolution] ?? "std",
    // Off where it is absent, and unknown to the models before 2.6.
    ...(settings.generateAudio && { sound: "on" }),
    ...(settings.watermark && { watermark_info: { enabled: true } }),
    external_task_id: taskId
  }
}

/** Kling takes an address, or base64 without the head of a data URI. */
const plain = (url: string): string =>
  url.slice(0, 5).toLowerCase() === "data:" ? url.slice(url.indexOf(",") + 1) : url
