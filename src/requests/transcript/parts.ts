import { isJsonObject } from "../../contract/fields.ts"
import type { JsonObject } from "../../contract/fields.ts"
import type { Part } from "./Transcript.ts"

export const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)
export const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])
export const objectOf = (value: unknown): JsonObject => (isJsonObject(value) ? value : {})

const plain = (text: string | undefined, kind: "text" | "reasoning" | "refusal" = "text"): ReadonlyArray<Part> =>
  text === undefined || text === "" ? [] : [{ kind, text }]

/** JSON as indented text; a text of JSON, too. */
export const indent = (value: unknown): string => {
  if (typeof value !== "string") return JSON.stringify(value, null, 2) ?? ""
  try {
    return JSON.stringify(JSON.parse(value), null, 2)
  } catch {
    return value
  }
}

/** A message's content in any family's form: a text, a part, or a list of them. */
export const partsOf = (content: unknown): ReadonlyArray<Part> => {
  if (typeof content === "string") return plain(content)
  if (Array.isArray(content)) return content.flatMap(partsOf)
  return isJsonObject(content) ? partOf(content) : []
}

const partOf = (part: JsonObject): ReadonlyArray<Part> => {
  const type = textOf(part["type"]) ?? ""
  switch (type) {
    case "text":
    case "input_text":
    case "output_text":
    case "summary_text":
      return plain(textOf(part["text"]))
    case "refusal":
      return plain(textOf(part["refusal"]), "refusal")
    case "thinking":
      return [{ kind: "reasoning", text: textOf(part["thinking"]) ?? "" }]
    case "reasoning_text":
      return [{ kind: "reasoning", text: textOf(part["text"]) ?? "" }]
    case "redacted_thinking":
      return [{ kind: "reasoning", text: "" }]
    case "reasoning":
      return [{ kind: "reasoning", text: reasoningOf(part) }]
    case "message":
      return partsOf(part["content"])
  }
  if (/(^|_)tool_use$/.test(type)) return [callOf(part["name"], part["id"], part["input"])]
  if (/(^|_)tool_result$/.test(type)) return [resultOf(part["tool_use_id"], part["content"], part["is_error"] === true)]
  if (type === "function_call") return [callOf(part["name"], part["call_id"], part["arguments"])]
  if (type === "custom_tool_call") return [callOf(part["name"], part["call_id"], part["input"])]
  if (type.endsWith("_call_output")) return [resultOf(part["call_id"], part["output"], false)]
  if (type.endsWith("_call")) return [callOf(type.slice(0, -"_call".length), part["call_id"] ?? part["id"], rest(part))]
  const media = mediaOf(type)
  if (media !== undefined) return [{ kind: media, text: sourceOf(part, type) }]
  return [{ kind: "other", name: type, text: indent(part) }]
}

const mediaOf = (type: string): "image" | "file" | "audio" | "video" | undefined => {
  if (/image/.test(type)) return "image"
  if (/audio/.test(type)) return "audio"
  if (/video/.test(type)) return "video"
  return type === "document" || /file/.test(type) ? "file" : undefined
}

/** The source of a picture or a file: an address, its name, or the type of its data, which is not recorded. */
const sourceOf = (part: JsonObject, type: string): string => {
  const source = objectOf(part["source"] ?? part[type])
  const url = textOf(part[type]) ?? textOf(source["url"]) ?? textOf(part["image_url"]) ?? textOf(part["file_url"])
  const data = url ?? textOf(source["data"]) ?? textOf(part["file_data"])
  const name =
    textOf(part["filename"]) ?? textOf(part["title"]) ?? textOf(source["filename"]) ?? textOf(source["file_id"])
  const mediaType = data?.startsWith("data:") ? data.slice("data:".length).split(/[;,]/)[0] : undefined
  const where = mediaType ?? url ?? textOf(source["media_type"]) ?? textOf(part["file_id"]) ?? textOf(source["format"])
  return [name, where].filter((one) => one !== undefined).join(", ")
}

const reasoningOf = ({ content, summary, text }: JsonObject): string =>
  [...listOf(summary), ...listOf(content)]
    .flatMap((one) => textOf(objectOf(one)["text"]) ?? [])
    .concat(textOf(text) ?? [])
    .join("\n\n")

export const callOf = (name: unknown, id: unknown, given: unknown): Part => ({
  kind: "call",
  name: textOf(name) ?? "",
  id: textOf(id),
  text: indent(given)
})

export const resultOf = (id: unknown, content: unknown, isError: boolean): Part => ({
  kind: "result",
  id: textOf(id),
  isError,
  parts: typeof content === "string" || Array.isArray(content) ? partsOf(content) : plain(indent(content))
})

const rest = ({ call_id: _call, id: _id, status: _status, type: _type, ...others }: JsonObject): JsonObject => others
