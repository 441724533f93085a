import { InvalidRequest } from "../../contract/failures/Failure.ts"
import type { JsonObject } from "../../contract/fields.ts"
import { textAt } from "../../contract/json/json.ts"
import type { FileSource } from "../../generation/Conversation.ts"
import { atUrl } from "../../generation/fileSource.ts"

/** A picture of an edit, at an address or in base64. */
interface EditPicture {
  readonly url: string
  readonly source: FileSource
}

/** The pictures of an edit whose files are data URLs already, or its refusal: of a mask too, which other dialects lack. */
export const editPictures = (request: JsonObject): ReadonlyArray<EditPicture> | InvalidRequest => {
  if (request["mask"] !== undefined && request["mask"] !== null) {
    return new InvalidRequest({ param: "mask", message: "mask: this model's upstream edits without masks" })
  }
  const pictures: Array<EditPicture> = []
  for (const param of ["image", "images"]) {
    for (const one of [request[param] ?? []].flat()) {
      const url = typeof one === "string" ? one : (textAt(one, "image_url") ?? "")
      const source = atUrl(url)
      if (source === undefined) {
        const message = `${param}: expected files, http(s) addresses, or data:image/<subtype>;base64,<data>`
        return new InvalidRequest({ param, message })
      }
      pictures.push({ url, source })
    }
  }
  return pictures
}
