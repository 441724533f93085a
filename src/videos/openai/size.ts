import { Effect } from "effect"
import { Catalogue } from "../../catalogue/Catalogue.ts"
import { boundedBy } from "../../upstreams/videos/VideoBounds.ts"
import type { VideoBounds } from "../../upstreams/videos/VideoBounds.ts"
import { videoBoundsOf } from "../../catalogue/videoBounds.ts"
import { VideoUpstreams } from "../../upstreams/videos/VideoUpstream.ts"
import { sizeIn } from "../bounds.ts"
import { nearestRatio } from "../geometry.ts"

/** Those that other models make, which a refusal names. */
const usual = ["480p", "720p", "1080p", "4k"]
/** A resolution is near if it has at most twice the pixels, or half of them. */
const farthest = Math.log(2)

/** The bounds that decide the sizes of a model. */
export type SizeBounds = Pick<VideoBounds, "ratios" | "resolutions" | "sizes">

/**
 * The resolution and ratio of a model nearest to a size like `1280x720`, and whether they are exactly that. A resolution
 * that the model lacks, if none of its own is near.
 */
export const readSize = (size: string, bounds: SizeBounds) => {
  const [width = 1, height = 1] = size.split("x").map(Number)
  const ratio = nearestRatio({ width, height }, bounds.ratios)
  const stretch = (resolution: string) => {
    const made = sizeIn(bounds, resolution, ratio)
    return Math.abs(Math.log((made.width * made.height) / (width * height)))
  }
  const nearest = (all: ReadonlyArray<string>) => all.toSorted((one, other) => stretch(one) - stretch(other))[0]
  const own = nearest(bounds.resolutions)
  const resolution = own !== undefined && stretch(own) <= farthest ? own : (nearest(usual) ?? "720p")
  const made = sizeIn(bounds, resolution, ratio)
  return { resolution, ratio, isExact: made.width === width && made.height === height }
}

/** The bounds of a model that sizes are read by; the usual ones if there is no such model. */
export const makeSizeBounds = Effect.gen(function* () {
  const catalogue = yield* Catalogue
  const upstreams = yield* VideoUpstreams
  return (id: string): SizeBounds => {
    const model = catalogue.get(id)
    return model?.kind === "video" ? videoBoundsOf(model, upstreams) : boundedBy()
  }
})
