import { nearestRatio, sizeOf } from "../geometry.ts"

const resolutions = ["480p", "720p", "1080p", "4k"]

/** The resolution and ratio nearest to a size like `1280x720`, and whether they are exactly that. */
export const readSize = (size: string) => {
  const [width = 1, height = 1] = size.split("x").map(Number)
  const ratio = nearestRatio({ width, height })
  const stretch = (resolution: string) => {
    const made = sizeOf(resolution, ratio)
    return Math.abs(Math.log((made.width * made.height) / (width * height)))
  }
  const resolution = resolutions.reduce((best, one) => (stretch(one) < stretch(best) ? one : best))
  const made = sizeOf(resolution, ratio)
  return { resolution, ratio, isExact: made.width === width && made.height === height }
}
