import type { FileSource, Part } from "../generation/Conversation.ts"
import type { Complain } from "./Complaint.ts"
import type { ContentPart, InputFile, InputImage } from "./ContentPart.ts"

/** A message's or a tool output's content as parts. */
export const partsOf = (
  content: string | ReadonlyArray<ContentPart>,
  path: string,
  complain: Complain
): ReadonlyArray<Part> =>
  typeof content === "string"
    ? [{ type: "text", text: content }]
    : content.map((part, index) => partOf(part, `${path}[${index}]`, complain))

const partOf = (part: ContentPart, path: string, complain: Complain): Part => {
  switch (part.type) {
    case "input_text":
    case "output_text":
      return { type: "text", text: part.text }
    case "refusal":
      return { type: "refusal", text: part.refusal }
    case "input_image":
      return { type: "image", source: imageSource(part, path, complain), detail: part.detail ?? "auto" }
    case "input_file":
      return file(part, path, complain)
  }
}

const imageSource = (part: InputImage, path: string, complain: Complain): FileSource => {
  if (part.image_url) {
    const source = atUrl(part.image_url)
    if (source === undefined || (source.type === "base64" && !source.mediaType.startsWith("image/"))) {
      complain(
        `${path}.image_url`,
        `expected an http(s) URL or a base64 data URL of an image; got ${shown(part.image_url)}`
      )
    }
    return source ?? nothing
  }
  if (!part.file_id) complain(`${path}.image_url`, "is required with type input_image, unless file_id is given")
  return { type: "file", id: part.file_id ?? "" }
}

const file = (part: InputFile, path: string, complain: Complain): Part => {
  const source = fileSource(part, path, complain)
  return source.type === "base64" && source.mediaType.startsWith("image/")
    ? { type: "image", source, detail: "auto" }
    : { type: "document", source, name: part.filename ?? undefined }
}

const fileSource = (part: InputFile, path: string, complain: Complain): FileSource => {
  if (part.file_data) {
    const source = inline(part.file_data, part.filename ?? "")
    if (source === undefined) {
      complain(`${path}.file_data`, `expected a base64 data URL or base64; got ${shown(part.file_data)}`)
    }
    return source ?? nothing
  }
  if (part.file_url) {
    const source = atUrl(part.file_url)
    if (source === undefined) {
      complain(`${path}.file_url`, `expected an http(s) URL or a base64 data URL; got ${shown(part.file_url)}`)
    }
    return source ?? nothing
  }
  if (!part.file_id)
    complain(`${path}.file_data`, "is required with type input_file, unless file_url or file_id is given")
  return { type: "file", id: part.file_id ?? "" }
}

/** Stands in for what was complained about. */
const nothing: FileSource = { type: "file", id: "" }

const atUrl = (url: string): FileSource | undefined => {
  if (/^https?:\/\//i.test(url)) return { type: "url", url }
  return url.startsWith("data:") ? dataUrl(url) : undefined
}

/** Client libraries send a data URL; other callers the bare base64, whose kind only the name or its first bytes tell. */
const inline = (data: string, filename: string): FileSource | undefined => {
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
  return parameters.includes("base64") && isBase64(data)
    ? { type: "base64", mediaType: mediaType.trim().toLowerCase(), data }
    : undefined
}

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

/** What the first bytes of a file look like in base64. */
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
  return byBeginning.find(([beginning]) => data.startsWith(beginning))?.[1] ?? unknownType
}

const shown = (text: string) => JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text)
