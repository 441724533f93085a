import { InvalidRequest } from "../../../contract/Failure.ts"
import type { VideoFit, VideoMedia, VideoSettings } from "../../VideoUpstream.ts"

/** Sora's lengths in seconds, ascending, and its sizes by resolution and ratio. */
export const seconds = [4, 8, 12] as const
const sizes = [
  { resolution: "720p", ratio: "16:9", size: "1280x720" },
  { resolution: "720p", ratio: "9:16", size: "720x1280" }
] as const

/** The size in the API's spelling; undefined if there is none. */
export const sizeOf = ({ ratio, resolution }: Pick<VideoSettings, "ratio" | "resolution">): string | undefined =>
  sizes.find((one) => one.resolution === resolution && one.ratio === ratio)?.size

/** Checks a request. Returns the parameters that are dropped, or the refusal. */
export const fit = (asked: {
  readonly settings: VideoSettings
  readonly media: ReadonlyArray<VideoMedia>
  readonly prompt: string
}): VideoFit => {
  const refused = refusalOf(asked)
  return refused === undefined ? { type: "fits", adapted: leftOut(asked.settings) } : { type: "refused", refused }
}

const refusalOf = ({ media, prompt, settings }: Parameters<typeof fit>[0]): InvalidRequest | undefined => {
  if (prompt.trim() === "") return refuse("content", "expected a prompt: this model makes no video without one")
  if (settings.byFrames) return refuse("frames", `not supported by this model; give duration, one of ${lengths}`)
  const length = settings.frames / 24
  if (settings.isOpenLength !== true && !seconds.some((one) => one === length)) {
    return refuse("duration", `expected one of ${lengths} for this model; got ${length}`)
  }
  if (sizeOf(settings) === undefined) {
    const offered = sizes.map((one) => `${one.resolution} ${one.ratio} (${one.size})`).join(", ")
    const param = sizes.some((one) => one.resolution === settings.resolution) ? "ratio" : "resolution"
    return refuse(param, `expected one of ${offered} for this model; got ${settings.resolution} ${settings.ratio}`)
  }
  const other = media.find(({ role }) => role !== "first_frame")
  return other === undefined
    ? undefined
    : refuse("content", `this model takes a prompt and one first_frame image; got a ${other.role}`)
}

const lengths = seconds.join(", ")

const refuse = (param: string, message: string) => new InvalidRequest({ param, message: `${param}: ${message}` })

/** Sora's videos always have sound. They have no last frame, no watermark of ours and no search. */
const leftOut = (settings: VideoSettings): ReadonlyArray<string> => [
  ...(settings.generateAudio ? [] : ["generate_audio"]),
  ...(settings.returnLastFrame ? ["return_last_frame"] : []),
  ...(settings.watermark ? ["watermark"] : []),
  ...(settings.webSearch ? ["tools"] : [])
]
