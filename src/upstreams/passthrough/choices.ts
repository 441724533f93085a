import type { JsonObject } from "../../contract/fields.ts"
import { isObject, listAt, objectAt } from "../../contract/json/json.ts"

/** True if a choice of a chunk has neither content nor a finish reason. Text completions have their content in `text`. */
export const isSilent = (choice: unknown): boolean =>
  isObject(choice) &&
  Object.keys(objectAt(choice, "delta") ?? {}).length === 0 &&
  isAbsent(choice["text"]) &&
  isAbsent(choice["finish_reason"])

/** True if a chunk has no content yet, only the role. */
export const begins = (frame: JsonObject): boolean => {
  const choice = listAt(frame, "choices")[0]
  return isObject(choice) && isAbsent(choice["finish_reason"]) && isEmptyChoice(choice)
}

/** True if a choice has no content: at most a role and a finish reason. */
export const isEmptyChoice = (choice: unknown): boolean => {
  const { role: _, ...said } = objectAt(choice, "delta") ?? objectAt(choice, "message") ?? {}
  return Object.values(said).every(isAbsent) && (!isObject(choice) || isAbsent(choice["text"]))
}

/**
 * A chunk without its content, which passes through anyway. Chunks that are not parsed have some of it, so a call's
 * arguments would look cut.
 */
export const unsaid = (frame: JsonObject): JsonObject => ({
  ...frame,
  choices: listAt(frame, "choices").map((choice) =>
    isObject(choice) ? { ...choice, delta: undefined, message: undefined } : choice
  )
})

const isAbsent = (value: unknown): boolean =>
  value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0)
