import type { JsonObject } from "../../../contract/fields.ts"
import { isObject, objectAt, textAt } from "../../../contract/json/json.ts"
import { changedList } from "../../files/changedList.ts"
import type { PutFile } from "../../files/inlineFiles.ts"

/** A caller's body with files in the place of their addresses; what has none stays the same object. */
export const inlined = (body: JsonObject, put: PutFile): JsonObject => changedList(body, "messages", inMessage(put))

const inMessage = (put: PutFile) => (message: unknown) =>
  isObject(message) ? changedList(message, "content", inBlock(put)) : message

/** A file, or a result or document with files in it. */
const inBlock =
  (put: PutFile) =>
  (block: unknown): unknown => {
    if (!isObject(block)) return block
    const source = objectAt(block, "source")
    if (source === undefined) return changedList(block, "content", inBlock(put))
    const inside =
      source["type"] === "url" ? fetched(source, kindOf(block), put) : changedList(source, "content", inBlock(put))
    return inside === source ? block : { ...block, source: inside }
  }

const kindOf = ({ type }: JsonObject) => (type === "image" || type === "document" ? type : undefined)

const fetched = (source: JsonObject, kind: ReturnType<typeof kindOf>, put: PutFile): JsonObject => {
  const url = textAt(source, "url")
  const file = url === undefined ? undefined : put(url, kind)
  return file === undefined ? source : { type: "base64", media_type: file.mediaType, data: file.data }
}
