import { Either } from "effect"
import type { BadSettings, Located } from "../config/document.ts"
import type { GatewayFile } from "../config/GatewayFile.ts"
import { spanOfSeconds } from "../config/sections/Video.ts"
import type { VideoBounds as Written } from "../config/sections/Video.ts"
import { mergedBounds, secondsFrom } from "../upstreams/videos/VideoBounds.ts"
import type { SomeVideoBounds } from "../upstreams/videos/VideoBounds.ts"

interface Entry {
  readonly id: string
  readonly isVideo: boolean
  /** `video` of the model. */
  readonly video: Written | undefined
  /** `video` of the route. */
  readonly ofRoute: Written | undefined
  /** The route's index. */
  readonly index: number
}

/** The bounds that a model's entry gives to one of its routes; undefined if it gives none. */
export const configuredVideo = (
  file: Located<GatewayFile>,
  { id, index, isVideo, ofRoute, video }: Entry
): Either.Either<SomeVideoBounds | undefined, BadSettings> => {
  const places = [
    { written: video, path: ["models", id, "video"], name: `models.${id}.video` },
    { written: ofRoute, path: ["models", id, "routes", index, "video"], name: `models.${id}.routes[${index}].video` }
  ]
  let all: SomeVideoBounds | undefined
  for (const { name, path, written } of places) {
    if (written === undefined) continue
    if (!isVideo) return Either.left(file.complain(path, `${name}: is for video models alone`))
    all = mergedBounds(all, boundsOf(written))
    const { defaultSeconds = -1, seconds = [defaultSeconds] } = all
    if (defaultSeconds !== -1 && !seconds.includes(defaultSeconds)) {
      const rule = `default_seconds: expected one of its seconds; got ${defaultSeconds}`
      return Either.left(file.complain([...path, "default_seconds"], `${name}.${rule}`))
    }
  }
  return Either.right(all)
}

const boundsOf = ({ references, ...written }: Written): SomeVideoBounds => ({
  ...(written.seconds !== undefined && { seconds: secondsOf(written.seconds) }),
  ...(written.default_seconds !== undefined && { defaultSeconds: written.default_seconds }),
  ...(written.chooses_seconds !== undefined && { choosesSeconds: written.chooses_seconds }),
  ...(references !== undefined && {
    references: {
      ...(references.images !== undefined && { images: references.images }),
      ...(references.videos !== undefined && { videos: references.videos }),
      ...(references.audios !== undefined && { audios: references.audios })
    }
  }),
  ...(written.audio_alone !== undefined && { audioAlone: written.audio_alone }),
  ...(written.frame_images !== undefined && { frameImages: written.frame_images }),
  ...(written.ratios !== undefined && { ratios: written.ratios }),
  ...(written.resolutions !== undefined && { resolutions: written.resolutions })
})

const secondsOf = (written: NonNullable<Written["seconds"]>): ReadonlyArray<number> => {
  if (typeof written !== "string") return [...new Set(written)].toSorted((one, other) => one - other)
  const [least, most] = spanOfSeconds(written) ?? [1, 1]
  return secondsFrom(least, most)
}
