import { noUsage } from "../generation/GenerationEvent.ts"
import type { Used } from "../ledger/DurableHolds.ts"
import type { Consumption } from "../ledger/Price.ts"
import type { Resolved } from "./resolve.ts"
import { framesPerSecond, videoTokens } from "./geometry.ts"
import type { VideoResult, VideoSettings } from "../upstreams/VideoUpstream.ts"
import type { VideoTask } from "./VideoTask.ts"

/** How long the videos that a request refers to may be together. What they are costs to find out, so this is held. */
export const longestInputSeconds = 15

/** What a request will use up: exactly, unless it refers to videos. */
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
 * Frames of a video that was made: its upstream's word, else what was asked for. Of an open length that nobody told, what
 * its tokens come to, and at most the longest.
 */
export const framesMade = (settings: VideoSettings, { duration, frames, usage }: VideoResult): number => {
  const told = frames ?? (duration === undefined ? undefined : duration * framesPerSecond)
  if (told !== undefined) return told
  if (settings.isOpenLength !== true || usage === undefined) return settings.frames
  const tokensOfOne = videoTokens({ ...settings, frames: framesPerSecond }) / framesPerSecond
  return Math.min(settings.frames, Math.round(usage.completionTokens / tokensOfOne))
}

/** What a video that was made used up: its upstream's word (an explicit 0 stays 0), else what its record shows. */
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
