import type { JsonObject } from "../../contract/fields.ts"
import { listAt } from "../../contract/json/json.ts"

/** An object with a list of other members; the same object if none changes. */
export const changedList = (value: JsonObject, key: string, change: (member: unknown) => unknown): JsonObject => {
  const before = listAt(value, key)
  const after = before.map(change)
  return after.some((member, index) => member !== before[index]) ? { ...value, [key]: after } : value
}
