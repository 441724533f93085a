import type { FileSource, Part } from "../generation/Conversation.ts"
import { atUrl, inlineFile } from "../generation/fileSource.ts"
import { Unknown } from "../contract/Unknown.ts"
import type { ContentPart, InputFile, InputImage } from "./ContentPart.ts"

/** Reports a mistake in a field. The caller sees the first one. */
export type Complain = (param: string, rule: string) => void

/** The content of a message or a tool output as parts. */
export const partsOf = (
  content: string | ReadonlyArray<ContentPart>,
  path: string,
  complain: Complain
): ReadonlyArray<Part> =>
  typeof content === "string"
    ? [{ type: "text", text: content }]
    : content.flatMap((part, index) => (part instanceof Unknown ? [] : [partOf(part, `${path}[${index}]`, complain)]))

const partOf = (part: Exclude<ContentPart, Unknown>, path: string, complain: Complain): Part => {
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

/** A part with two files is ambiguous. */
const checkOne = (part: object, fields: ReadonlyArray<string>, path: string, complain: Complain): void => {
  const [one, other] = fields.filter((field) => Boolean(Reflect.get(part, field)))
  if (other !== undefined) complain(`${path}.${other}`, `can't be sent together with ${one}`)
}

/** The source of a picture at an address or in a file. */
export const imageSource = (
  part: Pick<InputImage, "image_url" | "file_id">,
  path: string,
  complain: Complain
): FileSource => {
  checkOne(part, ["image_url", "file_id"], path, complain)
  if (part.image_url) {
    const source = atUrl(part.image_url)
    if (source === undefined || (source.type === "base64" && !source.mediaType.startsWith("image/"))) {
      complain(
        `${path}.image_url`,
        `expected an http(s) URL or a base64 data URL of an image; got ${show(part.image_url)}`
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
  checkOne(part, ["file_data", "file_url", "file_id"], path, complain)
  if (part.file_data) {
    const source = inlineFile(part.file_data, part.filename ?? "")
    if (source === undefined) {
      complain(`${path}.file_data`, `expected a base64 data URL or base64; got ${show(part.file_data)}`)
    }
    return source ?? nothing
  }
  if (part.file_url) {
    const source = atUrl(part.file_url)
    if (source === undefined) {
      complain(`${path}.file_url`, `expected an http(s) URL or a base64 data URL; got ${show(part.file_url)}`)
    }
    return source ?? nothing
  }
  if (!part.file_id)
    complain(`${path}.file_data`, "is required with type input_file, unless file_url or file_id is given")
  return { type: "file", id: part.file_id ?? "" }
}

/** Replaces an invalid part. */
const nothing: FileSource = { type: "file", id: "" }

const show = (text: string) => JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text)
