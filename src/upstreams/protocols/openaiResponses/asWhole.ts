import type { JsonObject } from "../../../contract/fields.ts"
import { listAt, objectAt, textAt } from "../../../contract/json/json.ts"
import type { Gathering } from "../../passthrough/Dialect.ts"

/** True if a frame ends a response. */
export const isLast = ({ type }: JsonObject): boolean =>
  type === "error" || (typeof type === "string" && /^response\.(?:completed|incomplete|failed|cancelled)$/.test(type))

/** Builds the response that a stream amounts to. */
export const gathers = (): Gathering => {
  const ended: Array<JsonObject> = []
  let last: JsonObject | undefined
  return {
    add: (frame) => {
      if (isLast(frame)) last = frame
      else if (textAt(frame, "type") === "response.output_item.done") ended.push(frame)
    },
    whole: () => {
      if (last === undefined) return undefined
      const response = objectAt(last, "response")
      return response === undefined ? { error: objectAt(last, "error") ?? last } : withItems(response, ended)
    }
  }
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
