import { isCount } from "../contract/json.ts"
import type { VideoResult, VideoSettings } from "../upstreams/VideoUpstream.ts"
import { longestInputSeconds } from "./consumption.ts"
import { framesPerSecond, videoTokens } from "./geometry.ts"

/** How many times what the gateway counts itself is believed. */
const factor = 4
/** Frames beyond the longest length that a model makes: upstreams count a first frame, and groups of them. */
const slack = framesPerSecond
/** Searches for one video. */
const mostSearches = 100

/** An upstream's result as it may be charged and shown, and whether some of it could not be. */
interface Sound {
  readonly result: VideoResult
  readonly isDoubted: boolean
}

/**
 * Takes numbers out of a result that can't be, or can't be of the video that was asked for: they are what is charged, and
 * what the task's record says. What is taken out is counted by the settings.
 */
export const soundResult = (settings: VideoSettings, told: VideoResult): Sound => {
  const { duration, frames, framesPerSecond: rate, seed, usage, ...rest } = told
  const isLength = [frames, duration === undefined ? undefined : duration * framesPerSecond].every(
    (count) => count === undefined || (isCount(count) && count <= mostFrames(settings))
  )
  const isSound = isLength && (usage === undefined || isUsage(settings, usage))
  return {
    result: {
      ...rest,
      ...(isSound && usage !== undefined && { usage }),
      ...(isLength && duration !== undefined && { duration }),
      ...(isLength && frames !== undefined && { frames }),
      ...(rate !== undefined && isCount(rate) && { framesPerSecond: rate }),
      ...(seed !== undefined && Number.isSafeInteger(seed) && { seed })
    },
    isDoubted: !isSound
  }
}

/** Where the model chooses the length, the settings have the longest already. */
const mostFrames = ({ frames, isOpenLength }: VideoSettings): number =>
  isOpenLength === true ? frames + slack : factor * frames

const mostTokens = (settings: VideoSettings): number =>
  settings.isOpenLength === true
    ? videoTokens({ ...settings, frames: mostFrames(settings) }, longestInputSeconds)
    : factor * videoTokens(settings, longestInputSeconds)

const isUsage = (settings: VideoSettings, { completionTokens, toolUsage, totalTokens }: Usage): boolean => {
  const searches = toolUsage?.["web_search"] ?? 0
  return (
    isCount(completionTokens) &&
    isCount(totalTokens) &&
    completionTokens <= mostTokens(settings) &&
    typeof searches === "number" &&
    isCount(searches) &&
    searches <= (settings.webSearch ? mostSearches : 0)
  )
}

type Usage = NonNullable<VideoResult["usage"]>
