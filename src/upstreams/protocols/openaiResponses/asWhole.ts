import type { JsonObject } from "../../../contract/fields.ts"
import { listAt, objectAt, textAt } from "../../../contract/json.ts"

/** True if a frame ends a response. */
export const isLast = ({ type }: JsonObject): boolean =>
  type === "error" || (typeof type === "string" && /^response\.(?:completed|incomplete|failed|cancelled)$/.test(type))

/** The response that a stream amounts to; undefined if it broke off. */
export const asWhole = (frames: ReadonlyArray<JsonObject>): JsonObject | undefined => {
  const last = frames.findLast(isLast)
  if (last === undefined) return undefined
  const response = objectAt(last, "response")
  if (response === undefined) return { error: objectAt(last, "error") ?? last }
  return withItems(
    response,
    frames.filter((frame) => textAt(frame, "type") === "response.output_item.done")
  )
}

/**
 * A response with its items, which some servers only report by events of their own.
 *
 * @param ended those events
 */
export const withItems = (response: JsonObject, ended: ReadonlyArray<unknown>): JsonObject =>
  listAt(response, "output").length > 0
    ? response
    : { ...response, output: ended.flatMap((frame) => objectAt(frame, "item") ?? []) }
