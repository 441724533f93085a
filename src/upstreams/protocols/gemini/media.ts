import type { JsonObject } from "../../../contract/fields.ts"
import { objectAt, textAt } from "../../../contract/json/json.ts"
import type { DocumentPart, FileSource, ImagePart } from "../../../generation/Conversation.ts"
import { registeredType } from "../../../generation/fileSource.ts"
import { leftOutFile } from "../../../generation/leftOutFile.ts"
import { markedDocument, plainText } from "../documents.ts"
import type { Notes } from "../notes.ts"

/** The media types that models read, beside images and text. */
export const takesDocument = (mediaType: string): boolean =>
  mediaType === "application/pdf" || /^(audio|video)\//.test(mediaType)

export const imagePart = ({ detail, source }: ImagePart, notes: Notes): ReadonlyArray<JsonObject> => {
  if (detail !== "auto") notes.adapt("detail")
  if (source.type === "base64" && !takesImage.test(source.mediaType)) {
    notes.refuse("image", `the model's upstream can't read ${source.mediaType}; send PNG, JPEG, WebP, HEIC or HEIF`)
    return []
  }
  return filePart("image", source, "image/jpeg", notes)
}

const takesImage = /^image\/(?:png|jpeg|webp|heic|heif)$/

/** A document with its name in front. */
export const documentPart = (part: DocumentPart, notes: Notes): ReadonlyArray<JsonObject> => {
  const { name, source } = part
  const text = plainText(source)
  if (text !== undefined) return [{ text: markedDocument(part, text) }]
  if (source.type === "base64" && !takesDocument(source.mediaType)) {
    notes.refuse("document", `the model's upstream can't read ${source.mediaType}; send a PDF, audio, video or text`)
    return []
  }
  return [
    ...(name === undefined ? [] : [{ text: `${name}:` }]),
    ...filePart("document", source, "application/pdf", notes)
  ]
}

const filePart = (param: string, source: FileSource, usualType: string, notes: Notes): ReadonlyArray<JsonObject> => {
  switch (source.type) {
    case "base64":
      return [{ inlineData: { mimeType: source.mediaType, data: source.data } }]
    case "url":
      return [{ fileData: { mimeType: typeOf(source.url) ?? usualType, fileUri: source.url } }]
    case "text":
      return [{ text: source.text }]
    case "file":
      notes.refuse(param, "the model's upstream takes an address or bytes, not a file id")
      return []
  }
}

/** A file of an answer. */
interface MadeFile {
  readonly isImage: boolean
  readonly mediaType: string
  /** In base64. */
  readonly data: string
  /** The file in words, for answers that can't have it. */
  readonly words: string
}

/** The file in a part of an answer; undefined if it has none. */
export const fileIn = (part: JsonObject): MadeFile | undefined => {
  const file = objectAt(part, "inlineData")
  const data = textAt(file, "data") ?? ""
  if (data === "") return undefined
  const mediaType = registeredType(textAt(file, "mimeType") ?? "image/png")
  return { isImage: /^image\/[\w.+-]+$/.test(mediaType), mediaType, data, words: leftOutFile(mediaType, data) }
}

/** The media type by a URL's extension. The upstream wants one, and fetches the file itself. */
const typeOf = (url: string): string | undefined => {
  const path = URL.parse(url)?.pathname ?? ""
  return types.get(path.slice(path.lastIndexOf(".") + 1).toLowerCase())
}

const types: ReadonlyMap<string, string> = new Map([
  ["png", "image/png"],
  ["jpg", "image/jpeg"],
  ["jpeg", "image/jpeg"],
  ["webp", "image/webp"],
  ["gif", "image/gif"],
  ["heic", "image/heic"],
  ["heif", "image/heif"],
  ["pdf", "application/pdf"],
  ["txt", "text/plain"],
  ["csv", "text/csv"],
  ["html", "text/html"],
  ["md", "text/markdown"],
  ["mp3", "audio/mp3"],
  ["wav", "audio/wav"],
  ["aac", "audio/aac"],
  ["flac", "audio/flac"],
  ["ogg", "audio/ogg"],
  ["m4a", "audio/m4a"],
  ["mp4", "video/mp4"],
  ["mov", "video/mov"],
  ["webm", "video/webm"],
  ["mpeg", "video/mpeg"],
  ["mpg", "video/mpg"],
  ["3gp", "video/3gpp"]
])
