import { fitOf, refusal, usualFates } from "../../videos/videoFields.ts"
import type { FieldFates } from "../../videos/videoFields.ts"
import type { SomeVideoBounds } from "../../videos/VideoBounds.ts"
import type { VideoFit, VideoRequest, VideoSettings } from "../../videos/VideoUpstream.ts"

/** Sora's bounds. */
export const bounds: SomeVideoBounds = {
  seconds: [4, 8, 12],
  references: { images: 0, videos: 0, audios: 0 },
  frameImages: 1,
  ratios: ["16:9", "9:16"],
  resolutions: ["720p"],
  sound: "always"
}

/** The size in the API's spelling. */
export const sizeOf = ({ height, width }: Pick<VideoSettings, "height" | "width">): string => `${width}x${height}`

/** The length as the API has it, in text. */
export const secondsOf = ({ frames }: Pick<VideoSettings, "frames">): string => String(frames / 24)

/** The fate of a task's fields at Sora. */
export const fates: FieldFates = {
  ...usualFates,
  seed: "left out",
  watermark: "left out"
}

export const fit = (request: VideoRequest): VideoFit =>
  request.prompt.trim() === ""
    ? refusal("content", "expected a prompt: this model makes no video without one")
    : fitOf(fates, request)
