/** So many bytes tell what a file is. */
export const tellingBytes = 12

/** The boxes that an MP4 or QuickTime file may begin with. */
const boxes = new Set(["ftyp", "moov", "mdat", "free", "skip", "wide", "pnot"])

/**
 * What a file is by how it begins: a video (MP4 or QuickTime, WebM or Matroska, AVI) or an image (PNG, JPEG, WebP). A page
 * that tells of an error is neither.
 */
export const kindOf = (bytes: Uint8Array): "video" | "image" | undefined => {
  const text = Buffer.from(bytes.subarray(0, tellingBytes)).toString("latin1")
  const isRiff = text.startsWith("RIFF")
  if (boxes.has(text.slice(4, 8)) || text.startsWith("\x1a\x45\xdf\xa3")) return "video"
  if (isRiff && text.slice(8, 12) === "AVI ") return "video"
  if (text.startsWith("\x89PNG\r\n\x1a\n") || text.startsWith("\xff\xd8\xff")) return "image"
  return isRiff && text.slice(8, 12) === "WEBP" ? "image" : undefined
}
