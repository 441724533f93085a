import { InvalidRequest } from "../../../contract/Failure.ts"
import type { SomeVideoBounds } from "../../VideoBounds.ts"
import type { VideoFit, VideoMedia, VideoSettings } from "../../VideoUpstream.ts"

/** Sora's bounds. */
export const bounds: SomeVideoBounds = {
  seconds: [4, 8, 12],
  references: { images: 0, videos: 0, audios: 0 },
  frameImages: 1,
  ratios: ["16:9", "9:16"],
  resolutions: ["720p"]
}

/** The size in the API's spelling. */
export const sizeOf = ({ height, width }: Pick<VideoSettings, "height" | "width">): string => `${width}x${height}`

/** The length as the API has it, in text. */
export const secondsOf = ({ frames }: Pick<VideoSettings, "frames">): string => String(frames / 24)

/** Checks a request. Returns the parameters that are dropped, or the refusal. */
export const fit = ({
  prompt,
  settings
}: {
  readonly settings: VideoSettings
  readonly media: ReadonlyArray<VideoMedia>
  readonly prompt: string
}): VideoFit => {
  if (prompt.trim() === "") return refuse("content", "expected a prompt: this model makes no video without one")
  if (settings.byFrames) return refuse("frames", "not supported by this model; give duration")
  return { type: "fits", adapted: leftOut(settings) }
}

const refuse = (param: string, message: string): VideoFit => ({
  type: "refused",
  refused: new InvalidRequest({ param, message: `${param}: ${message}` })
})

/** Sora's videos always have sound. They have no last frame, no watermark of ours and no search. */
const leftOut = (settings: VideoSettings): ReadonlyArray<string> => [
  ...(settings.generateAudio ? [] : ["generate_audio"]),
  ...(settings.returnLastFrame ? ["return_last_frame"] : []),
  ...(settings.watermark ? ["watermark"] : []),
  ...(settings.webSearch ? ["tools"] : [])
]
