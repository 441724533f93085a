import { isJsonObject } from "../contract/fields.ts"
import type { ImagePart } from "../generation/Conversation.ts"
import { inlineFile } from "../generation/fileSource.ts"

/** The image in an `image_generation_call`; undefined for any other item, and for one without its result. */
export const madeImage = (item: unknown): ImagePart | undefined => {
  if (!isJsonObject(item) || item["type"] !== "image_generation_call") return undefined
  const { output_format: format, result } = item
  if (typeof result !== "string") return undefined
  const source = inlineFile(result, `image.${typeof format === "string" ? format : "png"}`)
  return source === undefined ? undefined : { type: "image", source, detail: "auto" }
}
