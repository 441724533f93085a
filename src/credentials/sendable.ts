import { headerRule, isHeaderValue } from "../contract/text/headerValue.ts"

/** A key or token that a header can carry. Throws an error that names the setting, without its value. */
export const sendable = (value: string, setting: string): string => {
  if (isHeaderValue(value)) return value
  throw new Error(`${setting}: ${headerRule}`)
}
