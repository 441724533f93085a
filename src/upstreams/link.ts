import { textAt } from "../contract/json/json.ts"

/** In UTF-16 units; signed addresses have one or two thousand. */
const mostLink = 8_192

/** True for an address that a caller may open; other schemes (`file:`, `javascript:`) are not shown. */
export const isLink = (text: string): boolean =>
  text.length <= mostLink && /^https?:$/.test(URL.parse(text)?.protocol ?? "")

/** The address at a key of an upstream's answer; undefined if it is no link. */
export const linkAt = (value: unknown, key: string): string | undefined => {
  const text = textAt(value, key)
  return text !== undefined && isLink(text) ? text : undefined
}
