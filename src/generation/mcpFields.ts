import { shorten } from "../contract/text/shorten.ts"

const longestAddress = 2_048
const longestToken = 8_192
/** The most names of a filter, and the longest one. */
const filterBounds = { names: 1_024, name: 128 }
const headerBounds = { count: 16, bytes: 8_192 }

/** The rule that an address of an MCP server breaks; undefined if it breaks none. Whether it may be called is checked when it is. */
export const wrongServerAddress = (url: unknown): string | undefined => {
  const address = typeof url === "string" && url.length <= longestAddress ? URL.parse(url) : null
  if (address === null || !/^https?:$/.test(address.protocol)) {
    return `expected an http or https address of at most ${longestAddress} characters`
  }
  if (address.username !== "" || address.password !== "") return "expected an address without a name and password"
  return address.hash === "" ? undefined : "expected an address without a fragment"
}

/** The rule that a token for a server breaks; undefined if it breaks none. */
export const wrongToken = (token: unknown): string | undefined =>
  typeof token === "string" && token.length <= longestToken && /^[\x21-\x7e]+$/.test(token)
    ? undefined
    : `expected a token of 1 to ${longestToken} visible characters`

/** The names of tools in a filter, or the rule that they break. */
export const toolNames = (names: unknown): ReadonlySet<unknown> | string => {
  const isName = (name: unknown) => typeof name === "string" && name !== "" && name.length <= filterBounds.name
  return Array.isArray(names) && names.length <= filterBounds.names && names.every(isName)
    ? new Set<unknown>(names)
    : `expected at most ${filterBounds.names} names of tools`
}

/** Headers that the gateway or the transport sets. */
const reserved =
  /^(?:host|cookie|connection|content-.*|transfer-encoding|te|trailer|upgrade|keep-alive|proxy-.*|expect|accept|accept-encoding|mcp-.*|last-event-id)$/

/** The rule that the headers for a server break, with the header's name; undefined if they break none. */
export const wrongHeaders = (
  headers: Readonly<Record<string, unknown>>,
  hasToken: boolean
): { readonly name: string; readonly rule: string } | undefined => {
  const entries = Object.entries(headers)
  if (entries.length > headerBounds.count) return { name: "", rule: `expected at most ${headerBounds.count} headers` }
  let bytes = 0
  const seen = new Set<string>()
  for (const [name, value] of entries) {
    const lower = name.toLowerCase()
    if (!/^[!#$%&'*+.^_`|~0-9a-z-]{1,128}$/.test(lower)) {
      return { name: "", rule: `expected names of headers; got "${shorten(name)}"` }
    }
    if (typeof value !== "string" || !/^[\x20-\x7e]*$/.test(value)) {
      return { name, rule: "expected a text of printable ASCII characters" }
    }
    if (reserved.test(lower)) return { name, rule: "is a header that the gateway sets itself" }
    if (seen.has(lower)) return { name, rule: "is given twice" }
    if (lower === "authorization" && hasToken) return { name, rule: "expected none beside authorization" }
    seen.add(lower)
    bytes += name.length + value.length
  }
  return bytes > headerBounds.bytes
    ? { name: "", rule: `expected at most ${headerBounds.bytes} bytes of headers` }
    : undefined
}
