import { isObject, parseJson, textAt } from "../json/json.ts"

/** The most characters to read. */
const mostRead = 1_024

/**
 * An end user as people read it. Claude Code's `metadata.user_id` is JSON with the session in it: its account is the end
 * user, or without one its device.
 */
export const endUserOf = (given: string): string => {
  if (!given.startsWith("{") || given.length > mostRead) return given
  const told = parseJson(given)
  if (!isObject(told)) return given
  return textAt(told, "account_uuid") || textAt(told, "device_id") || given
}
