import type { JsonObject } from "../../../contract/fields.ts"
import type { DocumentPart, ImagePart } from "../../../generation/Conversation.ts"
import { plainText } from "../documents.ts"
import type { Notes } from "../notes.ts"
import type { ConverseTraits } from "./models.ts"

const imageFormats: ReadonlyMap<string, string> = new Map([
  ["image/png", "png"],
  ["image/jpeg", "jpeg"],
  ["image/jpg", "jpeg"],
  ["image/gif", "gif"],
  ["image/webp", "webp"]
])

/** The formats of documents whose bytes are not text. */
const documentFormats: ReadonlyMap<string, string> = new Map([
  ["application/pdf", "pdf"],
  ["application/msword", "doc"],
  ["application/vnd.openxmlformats-officedocument.wordprocessingml.document", "docx"],
  ["application/vnd.ms-excel", "xls"],
  ["application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx"]
])

const textFormats: ReadonlyMap<string, string> = new Map([
  ["text/csv", "csv"],
  ["text/html", "html"],
  ["text/markdown", "md"]
])

export const takesDocument = (mediaType: string): boolean => documentFormats.has(mediaType)

/** An image's block. The dialect takes bytes, and addresses of S3 alone. */
export const imageBlock = (
  { detail, source }: ImagePart,
  { images }: Pick<ConverseTraits, "images">,
  notes: Notes
): ReadonlyArray<JsonObject> => {
  if (images === "none") {
    notes.refuse("image", "the model takes none at its upstream")
    return []
  }
  if (detail !== "auto") notes.adapt("detail")
  const format = source.type === "base64" ? imageFormats.get(source.mediaType) : undefined
  if (source.type !== "base64" || format === undefined) {
    notes.refuse("image", "the model's upstream takes PNG, JPEG, GIF and WebP as base64, and no addresses")
    return []
  }
  return [{ image: { format, source: { bytes: source.data } } }]
}

/** The names that documents of one request have. The dialect wants each to differ. */
export class DocumentNames {
  readonly #taken = new Map<string, number>()

  /** A name of letters, digits, single spaces, hyphens and brackets, which are all that the dialect takes. */
  of(name: string | undefined): string {
    const clean = (name ?? "")
      .replaceAll(/[^A-Za-z0-9()[\]-]+/g, " ")
      .trim()
      .slice(0, longestName)
    const base = clean === "" ? "document" : clean
    const count = (this.#taken.get(base) ?? 0) + 1
    this.#taken.set(base, count)
    return count === 1 ? base : this.of(`${base} (${count})`)
  }
}

const longestName = 100

/** A document's block; none for an empty text. */
export const documentBlock = (part: DocumentPart, names: DocumentNames, notes: Notes): ReadonlyArray<JsonObject> => {
  const { name, source } = part
  const text = plainText(source)
  if (text === "") return []
  if (text !== undefined) {
    const mediaType = source.type === "base64" || source.type === "text" ? source.mediaType : ""
    const format = textFormats.get(mediaType) ?? "txt"
    return [{ document: { format, name: names.of(name), source: { bytes: Buffer.from(text).toString("base64") } } }]
  }
  const format = source.type === "base64" ? documentFormats.get(source.mediaType) : undefined
  if (source.type !== "base64" || format === undefined) {
    notes.refuse("document", "the model's upstream takes PDF, Word, Excel and text as base64, and no addresses")
    return []
  }
  return [{ document: { format, name: names.of(name), source: { bytes: source.data } } }]
}
