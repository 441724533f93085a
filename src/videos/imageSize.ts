import { readImage } from "../contract/bodies/readImage.ts"
import { readDataUri } from "./addresses.ts"
import type { Size } from "./geometry.ts"

/** Enough of an image for its size, even after a long Exif block. */
const firstCharacters = 400_000

/** The pixel size of a base64 image; undefined for a URL or an unknown format. */
export const imageSize = (url: string): Size | undefined => {
  const data = readDataUri("image", url.slice(0, firstCharacters))
  if (data === undefined) return undefined
  const size = readImage(Buffer.from(data.base64, "base64"))
  return size !== undefined && size.width > 0 && size.height > 0 ? size : undefined
}
