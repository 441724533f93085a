/** Bytes needed to detect a file's kind. */
export const tellingBytes = 12

/** Boxes that may start an MP4 or QuickTime file. */
const boxes = new Set(["ftyp", "moov", "mdat", "free", "skip", "wide", "pnot"])

/**
 * Detects a file's kind by its first bytes: a video (MP4 or QuickTime, WebM or Matroska, AVI) or an image (PNG, JPEG,
 * WebP). Undefined for anything else, such as an error page.
 */
export const kindOf = (bytes: Uint8Array): "video" | "image" | undefined => {
  const text = Buffer.from(bytes.subarray(0, tellingBytes)).toString("latin1")
  const isRiff = text.startsWith("RIFF")
  if (boxes.has(text.slice(4, 8)) || text.startsWith("\x1a\x45\xdf\xa3")) return "video"
  if (isRiff && text.slice(8, 12) === "AVI ") return "video"
  if (text.startsWith("\x89PNG\r\n\x1a\n") || text.startsWith("\xff\xd8\xff")) return "image"
  return isRiff && text.slice(8, 12) === "WEBP" ? "image" : undefined
}
