import type { FileSource } from "./Conversation.ts"

/** The source in an http(s) address or a base64 data URL; undefined for other text. */
export const atUrl = (url: string): FileSource | undefined => {
  if (/^https?:\/\//i.test(url)) return { type: "url", url }
  return url.startsWith("data:") ? dataUrl(url) : undefined
}

/**
 * Client libraries send a data URL. Other callers send plain base64, whose type follows from the name or the first
 * bytes.
 */
export const inlineFile = (data: string, filename: string): FileSource | undefined => {
  if (!data.startsWith("data:")) {
    return isBase64(data) ? { type: "base64", mediaType: guess(filename, data), data } : undefined
  }
  const source = dataUrl(data)
  if (source === undefined || (source.mediaType !== "" && source.mediaType !== unknownType)) return source
  return { ...source, mediaType: guess(filename, source.data) }
}

const dataUrl = (url: string): { readonly type: "base64"; mediaType: string; data: string } | undefined => {
  const comma = url.indexOf(",")
  if (comma === -1 || comma > 200) return undefined
  const [mediaType = "", ...parameters] = url.slice("data:".length, comma).split(";")
  const data = url.slice(comma + 1)
  if (!parameters.includes("base64") || !isBase64(data)) return undefined
  const named = registeredType(mediaType.trim().toLowerCase())
  return { type: "base64", mediaType: named.startsWith("image/") ? (typeOf(data) ?? named) : named, data }
}

/** `image/jpg` is written often, but several providers only know the registered name. */
export const registeredType = (mediaType: string): string => (mediaType === "image/jpg" ? "image/jpeg" : mediaType)

const isBase64 = (text: string) => text !== "" && !/[^A-Za-z0-9+/=_\s-]/.test(text)

const unknownType = "application/octet-stream"

const byExtension: Readonly<Record<string, string>> = {
  pdf: "application/pdf",
  txt: "text/plain",
  md: "text/markdown",
  markdown: "text/markdown",
  csv: "text/csv",
  json: "application/json",
  html: "text/html",
  xml: "application/xml",
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp"
}

/** The type that the first bytes show: providers refuse an image of another type than the named one. */
const typeOf = (data: string): string | undefined => byBeginning.find(([beginning]) => data.startsWith(beginning))?.[1]

/** The first bytes of a file, in base64. */
const byBeginning: ReadonlyArray<readonly [string, string]> = [
  ["JVBERi", "application/pdf"],
  ["iVBORw0KGgo", "image/png"],
  ["/9j/", "image/jpeg"],
  ["R0lGOD", "image/gif"],
  ["UklGR", "image/webp"]
]

const guess = (filename: string, data: string): string => {
  const extension = filename.slice(filename.lastIndexOf(".") + 1).toLowerCase()
  if (Object.hasOwn(byExtension, extension)) return byExtension[extension] ?? unknownType
  return typeOf(data) ?? unknownType
}
