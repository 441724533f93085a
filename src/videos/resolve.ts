import { Either } from "effect"
import { InvalidRequest } from "../contract/failures/Failure.ts"
import { inputsOf, longestSeconds, narrowedTo } from "../upstreams/videos/VideoBounds.ts"
import type { VideoBounds } from "../upstreams/videos/VideoBounds.ts"
import type { VideoMedia, VideoSettings } from "../upstreams/videos/VideoUpstream.ts"
import { lengthsInWords, outOfBounds, sizeIn, usualResolution } from "./bounds.ts"
import type { VideoLimits } from "./bounds.ts"
import { readContent } from "./content.ts"
import type { CreateVideoTask } from "./CreateVideoTask.ts"
import { framesPerSecond, nearestRatio } from "./geometry.ts"
import { imageSize } from "./imageSize.ts"
import { readFlags } from "./promptFlags.ts"
import type { PromptFlags } from "./promptFlags.ts"

export interface Resolved {
  readonly prompt: string
  readonly media: ReadonlyArray<VideoMedia>
  readonly settings: VideoSettings
}

/**
 * Settles a request: checks it against the model's bounds, applies the prompt's flags below the body's fields, fills in
 * defaults, and resolves "you choose" (`seed: -1`, `ratio: adaptive`). Only a length that the model itself chooses stays
 * open.
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
  const { prompt, flags } = readPrompt(texts, limits)
  if (prompt === "" && media.length === 0 && !draft) {
    return Either.left(new InvalidRequest({ param: "content", message: "content: expected a prompt beside the flags" }))
  }
  const inputs = inputsOf(media)
  const { resolutions } = narrowedTo(limits, inputs)
  const resolution = request.resolution ?? flags.resolution ?? usualResolution({ resolutions })
  if (!resolutions.includes(resolution)) {
    const beside = limits.resolutions.includes(resolution) ? ` with ${inputsInWords[inputs]}` : ""
    return outOfBounds(limits, "resolution", `one of ${resolutions.join(", ")}${beside}`, JSON.stringify(resolution))
  }
  const own = narrowedTo(limits, inputs, resolution)
  const requested = request.ratio ?? flags.ratio ?? "adaptive"
  const ratio = requested === "adaptive" ? adaptive(media, own) : requested
  if (!own.ratios.includes(ratio === "3:3" ? "3:4" : ratio)) {
    return outOfBounds(limits, "ratio", `one of adaptive, ${own.ratios.join(", ")}`, ratio)
  }
  const givenSeed = request.seed ?? flags.seed ?? -1
  const seed = givenSeed === -1 ? random() : givenSeed
  const length = lengthOf(request, flags, draft ? { ...own, defaultSeconds: -1, choosesSeconds: true } : own, seed)
  if (Either.isLeft(length)) return Either.left(length.left)
  const settings: VideoSettings = {
    resolution,
    ratio,
    ...sizeIn(limits, resolution, ratio),
    ...length.right,
    ...(media.some(({ kind }) => kind === "video") && { inputVideoSeconds: limits.inputVideoSeconds }),
    seed,
    generateAudio: own.sound === "asked" ? (request.generate_audio ?? true) : own.sound === "always",
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

const inputsInWords = {
  text: "a prompt alone",
  first_frame: "a first_frame",
  last_frame: "a last_frame",
  references: "references"
} as const

/** Every text part may end in flags. A later part's flag wins. */
const readPrompt = (texts: ReadonlyArray<string>, bounds: VideoBounds) => {
  const read = texts.map((text) => readFlags(text, bounds))
  const flags: PromptFlags = Object.assign({}, ...read.map((part) => part.flags))
  return {
    prompt: read
      .map((part) => part.prompt)
      .filter((text) => text.trim() !== "")
      .join("\n"),
    flags
  }
}

/** `frames` wins over `duration`, and the body over the flags. The seed picks a length that the model can't choose. */
const lengthOf = (
  request: Pick<CreateVideoTask, "frames" | "duration">,
  flags: PromptFlags,
  limits: VideoLimits,
  seed: number
): Either.Either<Pick<VideoSettings, "frames" | "byFrames" | "isOpenLength">, InvalidRequest> => {
  const { choosesSeconds, defaultSeconds, seconds } = limits
  const most = framesPerSecond * longestSeconds(limits)
  const inBody = request.frames ?? request.duration
  const frames = request.frames ?? (inBody === null || inBody === undefined ? flags.frames : undefined)
  if (frames !== undefined) {
    return frames > most
      ? outOfBounds(limits, "frames", `at most ${most}`, frames)
      : Either.right({ frames, byFrames: true })
  }
  const wanted = request.duration ?? flags.duration ?? defaultSeconds
  if (wanted === -1 && choosesSeconds) return Either.right({ frames: most, byFrames: false, isOpenLength: true })
  const chosen = wanted === -1 ? (seconds[seed % seconds.length] ?? defaultSeconds) : wanted
  return seconds.includes(chosen)
    ? Either.right({ frames: framesPerSecond * chosen, byFrames: false })
    : outOfBounds(limits, "duration", `${lengthsInWords(seconds)} seconds, or -1,`, chosen)
}

/**
 * The ratio nearest to the first input with a size that is known without fetching, videos before images; otherwise
 * landscape.
 */
const adaptive = (media: ReadonlyArray<VideoMedia>, { ratios }: VideoBounds): string => {
  for (const { kind, url } of media) {
    const size = kind === "image" ? imageSize(url) : undefined
    if (size !== undefined) return nearestRatio(size, ratios)
  }
  return ratios.includes("16:9") ? "16:9" : (ratios[0] ?? "16:9")
}
