import { isCount } from "../contract/json/json.ts"
import type { VideoResult, VideoSettings } from "../upstreams/videos/VideoUpstream.ts"
import { framesPerSecond, linesOf, videoTokens } from "./geometry.ts"

/** Frames over the requested length: upstreams count a first frame, and groups of frames. */
const slack = framesPerSecond
/** The most searches of one video. */
const mostSearches = 100
/** 8k has 4,320. */
const mostLines = 10_000
/** The longest JSON of the fields that the gateway does not know. */
const mostExtra = 65_536

/** A result that is safe to charge and show, and the values that were removed. */
interface Sound {
  readonly result: VideoResult
  readonly isDoubted: boolean
}

/**
 * Removes values from a result that are invalid or impossible for the requested video, because they are charged and
 * shown. The settings replace them.
 */
export const soundResult = (settings: VideoSettings, reported: VideoResult): Sound => {
  const { duration, extra, frames, framesPerSecond: rate, inputVideoSeconds, seed, usage, ...words } = reported
  const { ratio, resolution, serviceTier, ...rest } = words
  const isLength = [frames, duration === undefined ? undefined : duration * framesPerSecond].every(
    (count) => count === undefined || (isCount(count) && count <= mostFrames(settings))
  )
  const isInput = inputVideoSeconds === undefined || isInputLength(settings, inputVideoSeconds)
  const isSound = isLength && isInput && (usage === undefined || isUsage(settings, usage))
  return {
    result: {
      ...rest,
      ...(resolution !== undefined && isWord(resolution) && linesOf(resolution) <= mostLines && { resolution }),
      ...(ratio !== undefined && isWord(ratio) && { ratio }),
      ...(serviceTier !== undefined && isWord(serviceTier) && { serviceTier }),
      ...(extra !== undefined && JSON.stringify(extra).length <= mostExtra && { extra }),
      ...(isSound && usage !== undefined && { usage }),
      ...(isLength && duration !== undefined && { duration }),
      ...(isLength && frames !== undefined && { frames }),
      ...(inputVideoSeconds !== undefined && {
        inputVideoSeconds: isInput ? inputVideoSeconds : (settings.inputVideoSeconds ?? 0)
      }),
      ...(rate !== undefined && isCount(rate) && { framesPerSecond: rate }),
      ...(seed !== undefined && Number.isSafeInteger(seed) && { seed })
    },
    isDoubted: !isSound
  }
}

const isWord = (text: string): boolean => /^[\w:.-]{1,64}$/.test(text)

/** If the model chooses the length, the settings hold the longest. */
const mostFrames = ({ frames }: VideoSettings): number => frames + slack

/** Upstreams round up each input video: a second more at most. */
const isInputLength = ({ inputVideoSeconds = -1 }: VideoSettings, reported: number): boolean =>
  Number.isFinite(reported) && reported >= 0 && reported <= inputVideoSeconds + 1

const mostTokens = (settings: VideoSettings): number =>
  videoTokens({ ...settings, frames: mostFrames(settings) }, settings.inputVideoSeconds)

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
