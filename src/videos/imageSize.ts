import { readImage } from "../contract/readImage.ts"
import { readDataUri } from "./addresses.ts"
import type { Size } from "./geometry.ts"

/** Enough of an image for its size, also behind a long Exif block. */
const firstCharacters = 400_000

/** Pixel size of a base64 image; undefined for an address or a format that isn't understood. */
export const imageSize = (url: string): Size | undefined => {
  const data = readDataUri("image", url.slice(0, firstCharacters))
  if (data === undefined) return undefined
  const found = readImage(Buffer.from(data.base64, "base64"))
  return found !== undefined && found.width > 0 && found.height > 0 ? found : undefined
}
