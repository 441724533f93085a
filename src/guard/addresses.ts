import { Context, Data, Effect, Either } from "effect"
import ipaddr from "ipaddr.js"

/** A CIDR range: its first address and prefix length. */
export type Range = readonly [ipaddr.IPv4 | ipaddr.IPv6, number]

/** Non-public ranges that the operator allows. Empty by default. */
export class AllowedAddresses extends Context.Reference<AllowedAddresses>()("gateway/guard/AllowedAddresses", {
  defaultValue: (): ReadonlyArray<Range> => []
}) {}

/** The proxy for a call to a caller's URL; undefined for a direct call, which is the default. */
export class CallerProxy extends Context.Reference<CallerProxy>()("gateway/guard/CallerProxy", {
  defaultValue:
    () =>
    (_url: string): string | undefined =>
      undefined
}) {}

/** An invalid entry of the allow list; the message is one line for the operator. */
export class BadAllowList extends Data.TaggedError("BadAllowList")<{ readonly message: string }> {}

/**
 * Parses the allow list of ranges and single addresses: `127.0.0.0/8`, `10.1.2.3`, `fd00::/8`.
 * @param source the setting's name, for the error message
 */
export const parseAllowed = (
  entries: ReadonlyArray<string>,
  source: string
): Effect.Effect<ReadonlyArray<Range>, BadAllowList> =>
  Effect.forEach(
    entries.map((entry) => entry.trim()).filter((entry) => entry !== ""),
    (entry) => {
      const range = rangeOf(entry)
      return range === undefined
        ? Effect.fail(
            new BadAllowList({ message: `${source}: expected addresses like 127.0.0.0/8 or fd00::1; got "${entry}"` })
          )
        : Effect.succeed(range)
    }
  )

const rangeOf = (entry: string): Range | undefined => {
  const address = ipaddr.IPv4.isValidFourPartDecimal(entry) || ipaddr.IPv6.isValid(entry)
  const range = ipaddr.IPv4.isValidCIDRFourPartDecimal(entry) || ipaddr.IPv6.isValidCIDR(entry)
  if (address) {
    const parsed = ipaddr.parse(entry)
    return [parsed, parsed.kind() === "ipv4" ? 32 : 128]
  }
  return range ? ipaddr.parseCIDR(entry) : undefined
}

/**
 * True if callers may make the gateway call this address: it is public or allowed.
 * @param address from a resolver; false for anything that is not an address
 */
export const isCallable = (address: string, allowed: ReadonlyArray<Range>): boolean =>
  Either.match(
    Either.try(() => ipaddr.parse(address)),
    {
      onLeft: () => false,
      onRight: (parsed) => {
        if (parsed instanceof ipaddr.IPv6 && parsed.zoneId !== undefined) return false
        return allowed.some((range) => contains(range, parsed)) || isPublic(parsed)
      }
    }
  )

export const contains = ([first, bits]: Range, address: ipaddr.IPv4 | ipaddr.IPv6): boolean =>
  first.kind() === address.kind() && address.match(first, bits)

/** Public-looking metadata services: Azure's, which hands out machine credentials. */
const metadata = ["168.63.129.16"]

/**
 * For IPv6 only the global block 2000::/3 counts, because ipaddr.js classifies everything unknown as `unicast`, including
 * IPv4-compatible addresses (`::127.0.0.1`). ISATAP addresses embed an IPv4 address in their last half.
 */
const isPublic = (address: ipaddr.IPv4 | ipaddr.IPv6): boolean => {
  if (address.range() !== "unicast") return false
  if (address instanceof ipaddr.IPv4) return !metadata.includes(address.toString())
  const [first = 0, , , , fifth, sixth] = address.parts
  const isatap = (fifth === 0 || fifth === 0x200) && sixth === 0x5efe
  return first >> 13 === 1 && !isatap
}
