import { isObject, listAt, objectAt, textAt } from "../contract/json/json.ts"
import type { JsonObject } from "../contract/fields.ts"
import type { ImagePart, TextPart } from "../generation/Conversation.ts"
import { bytesLine, imageLine } from "../generation/imageLine.ts"

/** The most text of a result that a model gets, in UTF-16 units. */
const mostText = 100_000
const cut = `\n[The result is cut: it has more than ${mostText} characters.]`
/** The most pictures of a result. */
const mostImages = 16

const noOutput = "(no output)"

/** A tool's result for the model: texts, with the pictures between them. */
export const resultParts = (result: JsonObject): ReadonlyArray<TextPart | ImagePart> => {
  const parts: Array<TextPart | ImagePart> = []
  let lines: Array<string> = []
  let room = mostText
  let images = 0
  const flush = () => {
    if (lines.length > 0) parts.push({ type: "text", text: lines.join("\n") })
    lines = []
  }
  const write = (line: string) => {
    if (room < 0) return
    const fits = line.length <= room
    lines.push(fits ? line : line.slice(0, room) + cut)
    room = fits ? room - line.length - 1 : -1
  }
  for (const block of listAt(result, "content")) {
    const image = images < mostImages ? imageIn(block) : undefined
    if (image === undefined) {
      const line = lineOf(block)
      if (line !== undefined) write(line)
    } else {
      images++
      flush()
      parts.push(image)
    }
  }
  flush()
  if (parts.length > 0) return parts
  const { structuredContent } = result
  write(structuredContent === undefined || structuredContent === null ? noOutput : JSON.stringify(structuredContent))
  flush()
  return parts
}

/** The texts of a result, joined by line ends, with a line for each picture. */
export const outputText = (parts: ReadonlyArray<TextPart | ImagePart>): string =>
  parts.map((part) => (part.type === "text" ? part.text : imageLine(part))).join("\n")

const imageIn = (block: unknown): ImagePart | undefined => {
  if (!isObject(block) || block["type"] !== "image") return undefined
  const [mediaType = "", data = ""] = [textAt(block, "mimeType"), textAt(block, "data")]
  if (!/^image\/(?:png|jpeg|gif|webp)$/.test(mediaType) || !isBase64(data)) return undefined
  return { type: "image", source: { type: "base64", mediaType, data }, detail: "auto" }
}

const isBase64 = (data: string): boolean =>
  data !== "" && data.length % 4 === 0 && /^[A-Za-z0-9+/]*$/.test(data.replace(/={1,2}$/, ""))

/** A block as text; undefined for an unknown kind. Links are never fetched. */
const lineOf = (block: unknown): string | undefined => {
  switch (textAt(block, "type")) {
    case "text":
      return textAt(block, "text")
    case "image":
    case "audio":
      return bytesLine(textAt(block, "type") ?? "", textAt(block, "mimeType"), textAt(block, "data"))
    case "resource": {
      const resource = objectAt(block, "resource")
      return textAt(resource, "text") ?? bytesLine("file", textAt(resource, "mimeType"), textAt(resource, "blob"))
    }
    case "resource_link":
      return `${textAt(block, "name") ?? "link"}: ${textAt(block, "uri") ?? ""}`
    default:
      return undefined
  }
}
