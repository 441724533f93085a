import ipaddr from "ipaddr.js"
import { contains } from "./addresses.ts"
import type { Range } from "./addresses.ts"

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** The most entries of `X-Forwarded-For` to read. */
const mostHops = 32

/**
 * The client's IPv4 address, or the /64 of its IPv6 address, since clients usually own a whole /64. `X-Forwarded-For` is
 * trusted only from a trusted proxy, and only its last address that is not a trusted proxy: clients can forge the rest.
 *
 * @param remote the connection's peer
 * @param forwarded `X-Forwarded-For`
 */
export const clientAddress = (
  remote: string | undefined,
  forwarded: string | null,
  trusted: ReadonlyArray<Range>
): string => {
  let address = parse(remote)
  if (address === undefined) return "unknown"
  const hops = forwarded === null ? [] : forwarded.split(",").slice(-mostHops)
  while (hops.length > 0 && isTrusted(address, trusted)) {
    const hop = parse(withoutPort(hops.pop()?.trim() ?? ""))
    if (hop === undefined) break
    address = hop
  }
  return address instanceof ipaddr.IPv6 ? `${network(address)}/64` : address.toString()
}

const parse = (text: string | undefined): Address | undefined => {
  if (text === undefined || !(ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text))) return undefined
  return ipaddr.process(text)
}

/** Some proxies write `203.0.113.9:4711` and `[2001:db8::1]:4711`. */
const withoutPort = (text: string): string => {
  if (text.startsWith("[")) return text.slice(1, Math.max(1, text.indexOf("]")))
  const colon = text.indexOf(":")
  return colon !== -1 && colon === text.lastIndexOf(":") ? text.slice(0, colon) : text
}

const isTrusted = (address: Address, trusted: ReadonlyArray<Range>) => trusted.some((range) => contains(range, address))

const network = ({ parts }: ipaddr.IPv6): string =>
  `${parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(":")}::`
