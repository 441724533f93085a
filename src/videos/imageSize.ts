import { readDataUri } from "./addresses.ts"
import type { Size } from "./geometry.ts"

/** Pixel size of a base64 image, read from its first bytes; undefined for an address or a format that doesn't say it there. */
export const imageSize = (url: string): Size | undefined => {
  const data = readDataUri("image", url)
  if (data === undefined) return undefined
  // A JPEG's size may stand behind a long Exif block.
  const bytes = Buffer.from(data.base64.slice(0, 400_000), "base64")
  const found = png(bytes) ?? gif(bytes) ?? bmp(bytes) ?? webp(bytes) ?? jpeg(bytes)
  return found !== undefined && found.width > 0 && found.height > 0 ? found : undefined
}

type Read = (bytes: Buffer) => Size | undefined

const png: Read = (b) =>
  b.length >= 24 && b.readUInt32BE(0) === 0x89504e47
    ? { width: b.readUInt32BE(16), height: b.readUInt32BE(20) }
    : undefined

const gif: Read = (b) =>
  b.length >= 10 && b.toString("latin1", 0, 3) === "GIF"
    ? { width: b.readUInt16LE(6), height: b.readUInt16LE(8) }
    : undefined

const bmp: Read = (b) =>
  b.length >= 26 && b.toString("latin1", 0, 2) === "BM"
    ? { width: b.readInt32LE(18), height: Math.abs(b.readInt32LE(22)) }
    : undefined

const webp: Read = (b) => {
  if (b.length < 30 || b.toString("latin1", 0, 4) !== "RIFF" || b.toString("latin1", 8, 12) !== "WEBP") return undefined
  switch (b.toString("latin1", 12, 16)) {
    case "VP8 ":
      return { width: b.readUInt16LE(26) & 0x3fff, height: b.readUInt16LE(28) & 0x3fff }
    case "VP8L": {
      const bits = b.readUInt32LE(21)
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
    }
    case "VP8X":
      return { width: b.readUIntLE(24, 3) + 1, height: b.readUIntLE(27, 3) + 1 }
    default:
      return undefined
  }
}

/** Walks the segments to the frame header (SOF0–SOF15 without the three that are tables). */
const jpeg: Read = (b) => {
  if (b.length < 4 || b.readUInt16BE(0) !== 0xffd8) return undefined
  let at = 2
  while (at + 9 <= b.length && b[at] === 0xff) {
    const marker = b[at + 1] ?? 0
    if (marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc) {
      return { width: b.readUInt16BE(at + 7), height: b.readUInt16BE(at + 5) }
    }
    at += 2 + b.readUInt16BE(at + 2)
  }
  return undefined
}
