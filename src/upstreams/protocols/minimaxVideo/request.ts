import type { SomeVideoBounds } from "../../videos/VideoBounds.ts"
import type { JsonObject } from "../../../contract/fields.ts"
import { fitOf, refusal, usualFates } from "../../videos/videoFields.ts"
import type { FieldFates } from "../../videos/videoFields.ts"
import type { VideoFit, VideoJob, VideoRequest, VideoSettings } from "../../videos/VideoUpstream.ts"
import { contentOf } from "../arkVideo/request.ts"

/** The fate of a task's fields at MiniMax. */
export const fates: FieldFates = { ...usualFates, seed: "left out" }

/** H3's lengths in seconds, and its resolutions. */
const seconds = Array.from({ length: 11 }, (_, index) => 5 + index)
const resolutions = ["768p", "2k"] as const
export const bounds: SomeVideoBounds = { seconds, resolutions, sound: "always" }

export const fit = (request: VideoRequest): VideoFit => {
  return request.prompt.trim() === ""
    ? refusal("content", "expected a prompt: this model makes no video without one")
    : fitOf(fates, request)
}

export const resolutionOf = ({ resolution }: Pick<VideoSettings, "resolution">): string => resolution.toUpperCase()
export const lengthOf = (settings: VideoSettings): number => settings.frames / 24
export const ratioOf = ({ ratio }: Pick<VideoSettings, "ratio">): string => (ratio === "3:3" ? "3:4" : ratio)

/** Ark's parts with Ark's roles. Frames have a ratio of their own, so that one beside them is ignored. */
export const requestOf = ({ media, prompt, settings, upstreamModel }: VideoJob): JsonObject => ({
  model: upstreamModel,
  content: contentOf({ media, prompt }),
  resolution: resolutionOf(settings),
  duration: lengthOf(settings),
  ratio: ratioOf(settings),
  ...(settings.watermark && { aigc_watermark: true })
})
