import { Either } from "effect"
import { InvalidRequest } from "../contract/failures/Failure.ts"
import type { VideoMedia } from "../upstreams/videos/VideoUpstream.ts"
import { inputsOf } from "../upstreams/videos/VideoBounds.ts"
import { outOfBounds } from "./bounds.ts"
import type { VideoLimits } from "./bounds.ts"
import { checkAddress } from "./mediaAddress.ts"
import type { ContentPart, MediaRole } from "./CreateVideoTask.ts"

export interface Content {
  readonly texts: ReadonlyArray<string>
  readonly media: ReadonlyArray<VideoMedia>
  readonly draft: boolean
}

type Kind = VideoMedia["kind"]
interface Media extends VideoMedia {
  readonly at: number
  /** True if the caller gave the role. */
  readonly said: boolean
}

const rolesOf: Readonly<Record<Kind, ReadonlyArray<MediaRole>>> = {
  image: ["first_frame", "last_frame", "reference_image"],
  video: ["reference_video"],
  audio: ["reference_audio"]
}
const defaultRole = { image: "first_frame", video: "reference_video", audio: "reference_audio" } as const

const invalid = (param: string, rule: string) =>
  Either.left(new InvalidRequest({ param, message: `${param}: ${rule}` }))

/**
 * The inputs of a request with their roles, if they form one of the four scenarios: text, first frame, both frames,
 * references.
 */
export const readContent = (
  parts: ReadonlyArray<ContentPart>,
  limits: VideoLimits
): Either.Either<Content, InvalidRequest> => {
  const texts: Array<string> = []
  const media: Array<Media> = []
  let draft = false
  for (const [at, part] of parts.entries()) {
    if (part.type === "text") {
      texts.push(part.text)
      continue
    }
    if (part.type === "draft_task") {
      if (!limits.isPassthrough) {
        return invalid(
          `content[${at}].type`,
          "this model takes no draft_task; expected one of text, image_url, video_url, audio_url"
        )
      }
      draft = true
      continue
    }
    const read = readMedia(inputOf(part), at, limits)
    if (Either.isLeft(read)) return Either.left(read.left)
    media.push(read.right)
  }
  const scenario = checkScenario(media, limits, draft)
  if (Either.isLeft(scenario)) return Either.left(scenario.left)
  if (media.length === 0 && !draft && texts.every((text) => text.trim() === "")) {
    return invalid("content", "expected a text part with a prompt, or an image or video part")
  }
  return Either.right({ texts, media: media.map(({ kind, role, url }) => ({ kind, role, url })), draft })
}

interface Input {
  readonly kind: Kind
  readonly url: string
  readonly role: MediaRole | null | undefined
}

const inputOf = (part: Exclude<ContentPart, { readonly type: "text" | "draft_task" }>): Input => {
  const { role } = part
  switch (part.type) {
    case "image_url":
      return { kind: "image", url: part.image_url.url, role }
    case "video_url":
      return { kind: "video", url: part.video_url.url, role }
    case "audio_url":
      return { kind: "audio", url: part.audio_url.url, role }
  }
}

const readMedia = (
  { kind, role, url }: Input,
  at: number,
  limits: VideoLimits
): Either.Either<Media, InvalidRequest> => {
  const field = `content[${at}].${kind}_url`
  if (role !== null && role !== undefined && !rolesOf[kind].includes(role)) {
    const allowed = rolesOf[kind].join(", ")
    const rule = rolesOf[kind].length > 1 ? `one of ${allowed}` : allowed
    return invalid(`content[${at}].role`, `expected ${rule} for a part of type ${kind}_url; got "${role}"`)
  }
  const wrong = checkAddress(kind, url, limits.isPassthrough)
  if (wrong !== undefined) return invalid(`${field}.url`, wrong)
  return Either.right({ kind, url, role: role ?? defaultRole[kind], at, said: role !== null && role !== undefined })
}

const checkScenario = (
  media: ReadonlyArray<Media>,
  limits: VideoLimits,
  draft: boolean
): Either.Either<void, InvalidRequest> => {
  const { needs } = limits
  if (media.length === 0 && needs !== "text" && !draft) return outOfBounds(limits, "content", needed[needs])
  const checked = checkInputs(media, limits)
  if (Either.isLeft(checked) || draft) return checked
  return needs === "last_frame" && inputsOf(media) === "first_frame"
    ? outOfBounds(limits, "content", needed[needs])
    : checked
}

/** The inputs that a model makes no video without, in words. */
const needed = {
  first_frame: "an image with role first_frame",
  last_frame: "images with roles first_frame and last_frame",
  references: "an image or a video with role reference_image or reference_video"
} as const

const checkInputs = (media: ReadonlyArray<Media>, limits: VideoLimits): Either.Either<void, InvalidRequest> => {
  const frames = media.filter(({ role }) => role === "first_frame" || role === "last_frame")
  if (frames.length === 0) return checkReferences(media, limits)
  if (frames.length < media.length) {
    return invalid("content", "first/last frame content cannot be mixed with reference media content")
  }
  return checkFrames(frames, limits)
}

const checkFrames = (frames: ReadonlyArray<Media>, limits: VideoLimits): Either.Either<void, InvalidRequest> => {
  const withoutRole = frames.find(({ said }) => !said)
  if (frames.length > 1 && withoutRole !== undefined) {
    return invalid(
      `content[${withoutRole.at}].role`,
      "required with more than one image: expected one of first_frame, last_frame, reference_image"
    )
  }
  for (const role of ["first_frame", "last_frame"] as const) {
    const second = frames.filter((frame) => frame.role === role)[1]
    if (second !== undefined) return invalid(`content[${second.at}].role`, `expected at most one ${role}`)
  }
  const [only] = frames
  if (frames.length === 1 && only?.role === "last_frame") {
    return invalid(`content[${only.at}].role`, "a last_frame needs a first_frame beside it")
  }
  const tooMany = frames[limits.frameImages]
  if (tooMany !== undefined) {
    return outOfBounds(
      limits,
      `content[${tooMany.at}]`,
      ["no frame images", "a first_frame alone"][limits.frameImages] ?? ""
    )
  }
  return Either.void
}

const checkReferences = (media: ReadonlyArray<Media>, limits: VideoLimits): Either.Either<void, InvalidRequest> => {
  const { audios, images, videos } = limits.references
  const most = { image: images, video: videos, audio: audios }
  for (const kind of ["image", "video", "audio"] as const) {
    const tooMany = media.filter((part) => part.kind === kind)[most[kind]]
    if (tooMany !== undefined) {
      const bound = most[kind] === 0 ? "no" : `at most ${most[kind]}`
      return outOfBounds(limits, `content[${tooMany.at}]`, `${bound} parts with role reference_${kind}`)
    }
  }
  const [first] = media
  if (!limits.audioAlone && first !== undefined && media.every(({ kind }) => kind === "audio")) {
    return outOfBounds(limits, `content[${first.at}]`, "at least one image or video part beside the audio")
  }
  return Either.void
}
