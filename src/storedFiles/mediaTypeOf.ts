import { readImage } from "../contract/bodies/readImage.ts"

/** Bytes at the beginning that tell a file's type. */
export const beginningBytes = 4_096

const images = { PNG: "image/png", JPEG: "image/jpeg", GIF: "image/gif", WebP: "image/webp" } as const

/** Beginnings of formats, in Latin-1. */
const beginnings: ReadonlyArray<readonly [RegExp, string]> = [
  [/^%PDF-/, "application/pdf"],
  [/^RIFF[^]{4}WAVE/, "audio/wav"],
  [/^(?:ID3|\xff[\xfb\xf3\xf2])/, "audio/mpeg"],
  [/^OggS/, "audio/ogg"],
  [/^fLaC/, "audio/flac"],
  [/^[^]{4}ftyp/, "video/mp4"],
  [/^[^]E\xdf\xa3/, "video/webm"]
]

const office = "application/vnd.openxmlformats-officedocument"

/** Types of archives by the extension, which their bytes do not tell. */
const archives: Readonly<Record<string, string>> = {
  docx: `${office}.wordprocessingml.document`,
  pptx: `${office}.presentationml.presentation`,
  xlsx: `${office}.spreadsheetml.sheet`
}

/** Types of texts by the extension. No browser runs one of them. */
const texts: Readonly<Record<string, string>> = {
  csv: "text/csv",
  json: "application/json",
  jsonl: "application/jsonl",
  md: "text/markdown",
  markdown: "text/markdown"
}

/** A file's type by its first bytes; of texts and archives by its name too. */
export const mediaTypeOf = (bytes: Uint8Array, name: string): string => {
  const image = readImage(bytes)
  if (image !== undefined) return images[image.type]
  const latin = Buffer.from(bytes.subarray(0, 16)).toString("latin1")
  const known = beginnings.find(([beginning]) => beginning.test(latin))?.[1]
  if (known !== undefined) return known
  const extension = /\.(\w{1,8})$/.exec(name)?.[1]?.toLowerCase() ?? ""
  if (latin.startsWith("PK\x03\x04")) return byName(archives, extension) ?? "application/zip"
  return isText(bytes) ? (byName(texts, extension) ?? "text/plain") : "application/octet-stream"
}

const byName = (types: Readonly<Record<string, string>>, extension: string): string | undefined =>
  Object.hasOwn(types, extension) ? types[extension] : undefined

/** UTF-8 without control characters, but for spaces, line and page breaks, and escapes. Its last character may be cut off. */
const isText = (bytes: Uint8Array): boolean => {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true })
  } catch {
    return false
  }
  return bytes.every((byte) => byte >= 0x20 || (byte >= 0x09 && byte <= 0x0d) || byte === 0x1b)
}

/** True for types whose bytes are text. */
export const isTextType = (mediaType: string): boolean =>
  mediaType === "text/plain" || Object.values(texts).includes(mediaType)
