import { noUsage } from "../generation/GenerationEvent.ts"
import type { Usage } from "../generation/GenerationEvent.ts"
import type { Used } from "../ledger/DurableHolds.ts"
import { priceFromText } from "../ledger/Price.ts"
import type { Resolved } from "./resolve.ts"
import { framesPerSecond, videoTokens } from "./geometry.ts"
import type { VideoResult, VideoSettings } from "../upstreams/videos/VideoUpstream.ts"
import type { VideoTask } from "./VideoTask.ts"

/**
 * A request's consumption: exact, unless the model chooses the length or there are input videos. Measuring those costs
 * too much, so the most that the model takes is held.
 *
 * @param extraFrames those that the upstream may add (`VideoUpstream`); one that does may round up input videos too
 */
export const quotedConsumption = ({ settings }: Pick<Resolved, "settings">, extraFrames = 0): Usage => {
  const { inputVideoSeconds = 0, isInputVideoBilled } = settings
  const frames = settings.frames + extraFrames
  const input = isInputVideoBilled === true ? framesOf(inputVideoSeconds + (extraFrames > 0 ? 1 : 0)) : 0
  return {
    ...noUsage,
    outputTokens: videoTokens({ ...settings, frames }, inputVideoSeconds),
    videoFrames: frames + input,
    searches: settings.webSearch ? 1 : 0
  }
}

const framesOf = (seconds = 0): number => Math.round(seconds * framesPerSecond)

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

/** The consumption of an ended task; undefined if its upstream made nothing. */
export const usedBy = (task: VideoTask): Used | undefined => {
  const { details, result, state } = task
  if (state === "succeeded") return result === null ? undefined : usedFor(task, result)
  return details.made && { ...usedFor(task, details.made.result), isUndelivered: true }
}

/** A finished video's consumption: from the upstream (an explicit 0 stays 0), otherwise from its record. */
const usedFor = ({ details: { price, settings }, upstream }: VideoTask, result: VideoResult): Used => {
  const { usage } = result
  const searches = usage?.toolUsage?.["web_search"]
  const frames = framesMade(settings, result)
  return {
    used: {
      ...noUsage,
      outputTokens: usage?.completionTokens ?? videoTokens({ ...settings, frames }, result.inputVideoSeconds),
      videoFrames: frames + framesOf(result.inputVideoSeconds),
      searches: typeof searches === "number" ? searches : 0,
      ...(result.toldNanoUsd !== undefined && { toldNanoUsd: result.toldNanoUsd })
    },
    estimated: usage === undefined,
    upstream: upstream ?? undefined,
    price: price === undefined ? undefined : priceFromText(price)
  }
}
