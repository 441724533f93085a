import { noUsage } from "../generation/GenerationEvent.ts"
import type { Used } from "../ledger/DurableHolds.ts"
import type { Consumption } from "../ledger/Price.ts"
import type { Resolved } from "./resolve.ts"
import { framesPerSecond, videoTokens } from "./geometry.ts"
import type { VideoResult, VideoSettings } from "../upstreams/VideoUpstream.ts"
import type { VideoTask } from "./VideoTask.ts"

/** The longest total length of a request's input videos. Measuring them costs too much, so this is held. */
export const longestInputSeconds = 15

/** A request's consumption: exact, unless it has input videos. */
export const quoted = ({ media, settings }: Pick<Resolved, "media" | "settings">): Consumption => {
  const refersToVideos = media.some(({ kind }) => kind === "video")
  return {
    ...noUsage,
    outputTokens: videoTokens(settings, refersToVideos ? longestInputSeconds : 0),
    videoFrames: settings.frames,
    searches: settings.webSearch ? 1 : 0
  }
}

/**
 * The frames of a finished video: from the upstream, otherwise from the settings. An open length that was not reported
 * follows from the tokens, up to the longest.
 */
export const framesMade = (settings: VideoSettings, { duration, frames, usage }: VideoResult): number => {
  const reported = frames ?? (duration === undefined ? undefined : duration * framesPerSecond)
  if (reported !== undefined) return reported
  if (settings.isOpenLength !== true || usage === undefined) return settings.frames
  const tokensOfOne = videoTokens({ ...settings, frames: framesPerSecond }) / framesPerSecond
  return Math.min(settings.frames, Math.round(usage.completionTokens / tokensOfOne))
}

/** A finished video's consumption: from the upstream (an explicit 0 stays 0), otherwise from its record. */
export const usedBy = ({ details: { price, settings }, result, upstream }: VideoTask): Used | undefined => {
  if (result === null) return undefined
  const { usage } = result
  const searches = usage?.toolUsage?.["web_search"]
  const frames = framesMade(settings, result)
  return {
    used: {
      ...noUsage,
      outputTokens: usage?.completionTokens ?? videoTokens({ ...settings, frames }),
      videoFrames: frames,
      searches: typeof searches === "number" ? searches : 0
    },
    estimated: usage === undefined,
    upstream: upstream ?? undefined,
    price
  }
}
