import { isObject } from "../contract/json/json.ts"
import type { JsonObject } from "../contract/fields.ts"
import { isTextType } from "./mediaTypeOf.ts"

/** The bytes of a file, to put into a request. */
export interface InlineFile {
  readonly name: string
  readonly mediaType: string
  readonly base64: string
  /** Undefined if its type is no text's. */
  readonly text: string | undefined
}

/** The part of a request that names a file. */
type Kind = "image" | "document" | "file"

interface FilePart {
  readonly id: string
  readonly kind: Kind
  /** The part with the file's bytes in place of its id, as its dialect has them. */
  readonly with: (file: InlineFile) => JsonObject
}

const dataUrl = ({ base64, mediaType }: InlineFile) => `data:${mediaType};base64,${base64}`

/** The places of images without a type: those to edit, and the mask of an image tool. */
const untyped: ReadonlySet<string> = new Set(["image", "images", "mask", "tools.input_image_mask"])

/**
 * The part's file by its id; undefined if it is no such part.
 *
 * @param at the names that lead to it, joined by dots
 */
const filePart = (part: JsonObject, at: string): FilePart | undefined => {
  switch (part["type"]) {
    case "input_image":
    case "computer_screenshot":
      return named(part, "image", (rest, file) => ({ ...rest, image_url: dataUrl(file) }))
    case "input_file":
      return named(part, "file", (rest, file) => ({ filename: file.name, ...rest, file_data: dataUrl(file) }))
    case "file": {
      const { file: inner } = part
      if (!isObject(inner)) return undefined
      return named(inner, "file", (rest, file) => ({
        ...part,
        file: { filename: file.name, ...rest, file_data: dataUrl(file) }
      }))
    }
    case "image":
    case "document": {
      const { source } = part
      if (!isObject(source) || source["type"] !== "file") return undefined
      const kind = part["type"]
      return named(source, kind, (_, file) =>
        file.text === undefined
          ? { ...part, source: { type: "base64", media_type: file.mediaType, data: file.base64 } }
          : { title: file.name, ...part, source: { type: "text", media_type: "text/plain", data: file.text } }
      )
    }
    case undefined:
      return untyped.has(at) ? named(part, "image", (_, file) => ({ image_url: dataUrl(file) })) : undefined
    default:
      return undefined
  }
}

const named = (
  holder: JsonObject,
  kind: Kind,
  make: (rest: JsonObject, file: InlineFile) => JsonObject
): FilePart | undefined => {
  const { file_id: id, ...rest } = holder
  return typeof id === "string" ? { id, kind, with: (file) => make(rest, file) } : undefined
}

export type NamedFile = Pick<FilePart, "id" | "kind">

/** The parts of a request that name files, each as often as it stands there. */
export const filesNamed = (body: unknown): ReadonlyArray<NamedFile> => {
  const found: Array<NamedFile> = []
  mapParts(body, (part) => {
    found.push(part)
    return undefined
  })
  return found
}

/** A request with the bytes of files in place of their ids. What names none of them is the same object as before. */
export const withFiles = <A>(body: A, files: ReadonlyMap<string, InlineFile>): A => {
  const changed = mapParts(body, (part) => {
    const file = files.get(part.id)
    return file && part.with(file)
  })
  return isAlike(changed, body) ? changed : body
}

/** The object as it was sent, by each with files' bytes in its place. */
const sent = new WeakMap<object, unknown>()

/** An item of a request as it was sent, with the ids of files. */
export const asSent = <A>(item: A): A => {
  const before = typeof item === "object" && item !== null ? sent.get(item) : undefined
  return isAlike(before, item) ? before : item
}

/** Each dialect's Schema has both forms of a part, so that a changed request is one too. */
const isAlike = <A>(changed: unknown, body: A): changed is A => typeof changed === typeof body

/** True if a part of this kind may have a file of this type. */
export const mayBe = (kind: Kind, mediaType: string): boolean => {
  if (kind === "image") return mediaType.startsWith("image/")
  return kind === "file" || mediaType === "application/pdf" || isTextType(mediaType)
}

/** Recursion is safe: bodies have at most 64 levels. */
const mapParts = (value: unknown, change: (part: FilePart) => JsonObject | undefined, at = ""): unknown => {
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) {
    const after = value.map((member: unknown) => mapParts(member, change, at))
    return after.some((member, index) => member !== value[index]) ? after : value
  }
  const prototype: unknown = Object.getPrototypeOf(value)
  if (!isObject(value) || (prototype !== Object.prototype && prototype !== null)) return value
  const part = filePart(value, at)
  if (part !== undefined) return change(part) ?? value
  let copy: Record<string, unknown> | undefined
  for (const name in value) {
    const before = value[name]
    const after = mapParts(before, change, inside(at, name))
    if (after !== before) (copy ??= { ...value })[name] = after
  }
  if (copy === undefined) return value
  sent.set(copy, value)
  return copy
}

/** Deeper places have no name of their own. */
const inside = (at: string, name: string): string => (at === "" ? name : at.includes(".") ? "." : `${at}.${name}`)
