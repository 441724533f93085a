import type { JsonObject } from "../../../contract/fields.ts"
import { isObject, objectAt, textAt } from "../../../contract/json/json.ts"
import { changedList } from "../../files/changedList.ts"
import type { PutFile } from "../../files/inlineFiles.ts"
import { dataUri } from "../documents.ts"

/** A caller's body with images in the place of their addresses; what has none stays the same object. */
export const inlined = (body: JsonObject, put: PutFile): JsonObject =>
  changedList(body, "messages", (message) =>
    isObject(message) ? changedList(message, "content", inPart(put)) : message
  )

const inPart =
  (put: PutFile) =>
  (part: unknown): unknown => {
    const image = objectAt(part, "image_url")
    const url = textAt(image, "url")
    if (!isObject(part) || url === undefined || !/^https?:/i.test(url)) return part
    const file = put(url, "image")
    return file === undefined ? part : { ...part, image_url: { ...image, url: dataUri(file.mediaType, file.data) } }
  }
