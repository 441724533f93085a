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

/** The limits of a video model. */
export interface VideoLimits extends ContentLimits {
  readonly resolutions: ReadonlyArray<string>
  /** Its lengths in whole seconds; absent if it makes every length. */
  readonly seconds?: ReadonlyArray<number> | undefined
  /** The longest length that it chooses itself, in seconds. */
  readonly longestSeconds: number
  /** True if it chooses the length by default. */
  readonly choosesLength: boolean
}

export interface Resolved {
  readonly prompt: string
  readonly media: ReadonlyArray<VideoMedia>
  readonly settings: VideoSettings
}

/**
 * Settles a request: checks rules across its parts, applies the prompt's flags below the body's fields, fills in
 * defaults, and resolves "you choose" (`seed: -1`, `ratio: adaptive`). A length that the model chooses stays open.
 *
 * @param random 32 random bits for the seed; the same bits settle a request the same way
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
  const requested = request.ratio ?? flags.ratio ?? "adaptive"
  const ratio = requested === "adaptive" ? adaptive(media) : requested
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

/** Every text part may end in flags. A later part's flag wins. */
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

/** `frames` wins over `duration`, and the body over the flags. */
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

/** Five seconds, or the nearest length offered. */
const usualLength = (offered: VideoLimits["seconds"]): number =>
  offered?.toSorted((a, b) => Math.abs(a - 5) - Math.abs(b - 5))[0] ?? 5

/**
 * The ratio of the first input with a size that is known without fetching, videos before images; otherwise landscape.
 */
const adaptive = (media: ReadonlyArray<VideoMedia>): string => {
  for (const { kind, url } of media) {
    const size = kind === "image" ? imageSize(url) : undefined
    if (size !== undefined) return nearestRatio(size)
  }
  return "16:9"
}
