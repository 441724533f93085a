import { Effect } from "effect"
import { UploadedFile } from "../../contract/bodies/UploadedFile.ts"
import { InvalidRequest } from "../../contract/failures/Failure.ts"
import type { JsonObject } from "../../contract/fields.ts"
import { mostOfAll } from "../../guard/CallerFiles.ts"

/**
 * A form's body with its files as JSON has them, `{ image_url }` of a data URL, for dialects without forms; undefined if
 * it has no files.
 */
export const withDataUrls = (body: JsonObject): Effect.Effect<JsonObject, InvalidRequest> | undefined => {
  const files = Object.entries(body).flatMap(([param, value]) =>
    [value].flat().flatMap((one) => (one instanceof UploadedFile ? [{ param, bytes: one.bytes }] : []))
  )
  const [first] = files
  if (first === undefined) return undefined
  if (files.reduce((sum, { bytes }) => sum + bytes, 0) > mostOfAll) {
    const message = `${first.param}: expected at most ${mostOfAll} bytes in all files at this model's upstream`
    return new InvalidRequest({ param: first.param, message })
  }
  return Effect.promise(async () => {
    const read = await Promise.all(
      Object.entries(body).map(async ([name, value]) => {
        if (Array.isArray(value)) return [name, await Promise.all(value.map(linkOf))] as const
        return [name, await linkOf(value)] as const
      })
    )
    return Object.fromEntries(read)
  })
}

/** The bytes decide the type of an image, so that an unknown one is as good as any. */
const linkOf = async (value: unknown): Promise<unknown> => {
  if (!(value instanceof UploadedFile)) return value
  const type = value.mediaType.startsWith("image/") ? value.mediaType : "image/png"
  return { image_url: `data:${type};base64,${(await value.read()).toString("base64")}` }
}
