import { Either } from "effect"
import { InvalidRequest } from "../contract/Failure.ts"
import type { VideoMedia, VideoSettings } from "../upstreams/VideoUpstream.ts"
import { readContent } from "./content.ts"
import type { ContentLimits } from "./content.ts"
import type { CreateVideoTask } from "./CreateVideoTask.ts"
import { framesPerSecond, nearestRatio, sizeOf } from "./geometry.ts"
import { imageSize } from "./imageSize.ts"
import { readFlags } from "./promptFlags.ts"
import type { PromptFlags } from "./promptFlags.ts"

/** What a video model takes. */
export interface VideoLimits extends ContentLimits {
  readonly resolutions: ReadonlyArray<string>
  /** The lengths it makes, in whole seconds; absent where it makes every one. */
  readonly seconds?: ReadonlyArray<number> | undefined
  /** What it makes where it chooses the length itself, at most, in seconds. */
  readonly longestSeconds: number
  /** It chooses the length where none is given. */
  readonly choosesLength: boolean
}

export interface Resolved {
  readonly prompt: string
  readonly media: ReadonlyArray<VideoMedia>
  readonly settings: VideoSettings
}

/**
 * Settles a request: rules across its parts, flags of the prompt under the fields of the body, defaults, and real
 * values for "you choose" (`seed: -1`, `ratio: adaptive`). A length that the model chooses stays open.
 *
 * @param random 32 random bits for the seed; the same bits settle the same request the same way
 */
export const resolve = (
  request: CreateVideoTask,
  limits: VideoLimits,
  random: () => number
): Either.Either<Resolved, InvalidRequest> => {
  const content = readContent(request.content, limits)
  if (Either.isLeft(content)) return Either.left(content.left)
  const { texts, media, draft } = content.right
  const { prompt, flags } = readPrompt(texts, limits.resolutions)
  if (prompt === "" && media.length === 0 && !draft) {
    return Either.left(new InvalidRequest({ param: "content", message: "content: expected a prompt beside the flags" }))
  }
  const resolution = request.resolution ?? flags.resolution ?? "720p"
  if (!limits.resolutions.includes(resolution)) {
    const message = `resolution: expected one of ${limits.resolutions.join(", ")}; got ${JSON.stringify(resolution)}`
    return Either.left(new InvalidRequest({ param: "resolution", message }))
  }
  const asked = request.ratio ?? flags.ratio ?? "adaptive"
  const ratio = asked === "adaptive" ? adaptive(media) : asked
  const seed = request.seed ?? flags.seed ?? -1
  const settings: VideoSettings = {
    resolution,
    ratio,
    ...sizeOf(resolution, ratio),
    ...length(request, flags, { ...limits, choosesLength: limits.choosesLength || draft }),
    seed: seed === -1 ? random() : seed,
    generateAudio: request.generate_audio ?? true,
    watermark: request.watermark ?? flags.watermark ?? false,
    cameraFixed: request.camera_fixed ?? flags.cameraFixed ?? false,
    returnLastFrame: request.return_last_frame ?? false,
    draft: request.draft ?? false,
    priority: request.priority ?? 0,
    serviceTier: request.service_tier ?? "default",
    webSearch: (request.tools ?? []).length > 0
  }
  return Either.right({ prompt, media, settings })
}

/** Every text part may end in flags; of a flag that two parts give, the later part's counts. */
const readPrompt = (texts: ReadonlyArray<string>, resolutions: ReadonlyArray<string>) => {
  const read = texts.map((text) => readFlags(text, resolutions))
  const flags: PromptFlags = Object.assign({}, ...read.map((part) => part.flags))
  return {
    prompt: read
      .map((part) => part.prompt)
      .filter((text) => text.trim() !== "")
      .join("\n"),
    flags
  }
}

/** `frames` beats `duration`; the body beats the flags. */
const length = (
  request: Pick<CreateVideoTask, "frames" | "duration">,
  flags: PromptFlags,
  { choosesLength, longestSeconds, seconds: offered }: Pick<VideoLimits, "seconds" | "longestSeconds" | "choosesLength">
): Pick<VideoSettings, "frames" | "byFrames" | "isOpenLength"> => {
  const inBody = request.frames ?? request.duration
  const frames = request.frames ?? (inBody === null || inBody === undefined ? flags.frames : undefined)
  if (frames !== undefined) return { frames, byFrames: true }
  const seconds = request.duration ?? flags.duration ?? (choosesLength ? -1 : usualLength(offered))
  return seconds === -1
    ? { frames: framesPerSecond * longestSeconds, byFrames: false, isOpenLength: true }
    : { frames: framesPerSecond * seconds, byFrames: false }
}

/** Five seconds, or what comes nearest to it. */
const usualLength = (offered: VideoLimits["seconds"]): number =>
  offered?.toSorted((a, b) => Math.abs(a - 5) - Math.abs(b - 5))[0] ?? 5

/** The ratio of the first input whose size can be read without fetching it, videos before images; else landscape. */
const adaptive = (media: ReadonlyArray<VideoMedia>): string => {
  for (const { kind, url } of media) {
    const size = kind === "image" ? imageSize(url) : undefined
    if (size !== undefined) return nearestRatio(size)
  }
  return "16:9"
}
