import { Context, Data, Effect, Either } from "effect"
import ipaddr from "ipaddr.js"

/** A range of addresses: its first address and the length of the prefix they share. */
export type Range = readonly [ipaddr.IPv4 | ipaddr.IPv6, number]

/** Ranges the operator opened: what lies in them may be called whatever it is. Empty unless provided. */
export class AllowedAddresses extends Context.Reference<AllowedAddresses>()("gateway/guard/AllowedAddresses", {
  defaultValue: (): ReadonlyArray<Range> => []
}) {}

/** One line for the operator: which entry of the list is wrong. */
export class BadAllowList extends Data.TaggedError("BadAllowList")<{ readonly message: string }> {}

/**
 * Reads the operator's list, whose entries are ranges or single addresses: `127.0.0.0/8`, `10.1.2.3`, `fd00::/8`.
 * @param source what the list came from, for the message
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
 * Whether the gateway calls this address on a caller's word: it is public, or the operator opened it.
 * @param address as a resolver gives it; what isn't an address is not callable
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

/** Whether an address lies in a range. */
export const contains = ([first, bits]: Range, address: ipaddr.IPv4 | ipaddr.IPv6): boolean =>
  first.kind() === address.kind() && address.match(first, bits)

/** Public-looking addresses that answer only from inside a cloud: Azure's host, which hands out machine credentials. */
const metadata = ["168.63.129.16"]

/**
 * IPv6 is a list of what is good: `unicast` is also what ipaddr.js calls everything it has no name for, among that
 * IPv4-compatible addresses (`::127.0.0.1`), so only the global block 2000::/3 counts. ISATAP hides an IPv4 address
 * in the last half of any prefix.
 */
const isPublic = (address: ipaddr.IPv4 | ipaddr.IPv6): boolean => {
  if (address.range() !== "unicast") return false
  if (address instanceof ipaddr.IPv4) return !metadata.includes(address.toString())
  const [first = 0, , , , fifth, sixth] = address.parts
  const isatap = (fifth === 0 || fifth === 0x200) && sixth === 0x5efe
  return first >> 13 === 1 && !isatap
}
