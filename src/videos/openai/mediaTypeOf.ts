import type { UploadedFile } from "../../contract/bodies/UploadedFile.ts"
import { kindOf, tellingBytes } from "../../files/kindOf.ts"

/**
 * The media type of an uploaded file: the declared one, or by its first bytes, because many clients declare none. Empty
 * if it is unknown.
 */
export const mediaTypeOf = async (file: UploadedFile): Promise<string> => {
  if (/^(?:image|video|audio)\//.test(file.mediaType)) return file.mediaType
  const first = await file.open()()
  return first === undefined ? "" : byContent(first)
}

const byContent = (bytes: Uint8Array): string => {
  const text = Buffer.from(bytes.subarray(0, tellingBytes)).toString("latin1")
  if (text.startsWith("ID3") || (/^\u00ff[\u00e0-\u00ff]/.test(text) && !text.startsWith("\u00ff\u00d8"))) {
    return "audio/mpeg"
  }
  if (text.startsWith("RIFF") && text.slice(8, 12) === "WAVE") return "audio/wav"
  const image = images.find(([beginning]) => text.startsWith(beginning))
  if (image !== undefined) return image[1]
  if (text.startsWith("RIFF") && text.slice(8, 12) === "WEBP") return "image/webp"
  if (text.slice(4, 8) === "ftyp" && /^(?:heic|heix|heif|mif1|msf1)/.test(text.slice(8, 12))) return "image/heic"
  return kindOf(bytes) === "video" ? "video/mp4" : ""
}

const images = [
  ["\u0089PNG", "image/png"],
  ["\u00ff\u00d8\u00ff", "image/jpeg"],
  ["GIF8", "image/gif"],
  ["BM", "image/bmp"],
  ["II*\0", "image/tiff"],
  ["MM\0*", "image/tiff"]
] as const
