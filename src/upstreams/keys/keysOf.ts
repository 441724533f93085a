import { Redacted } from "effect"
import type { UpstreamEntry } from "../../config/providers/surfaces.ts"

/** A key of `keys`, with its share of the conversations. */
interface WeightedKey {
  readonly key: Redacted.Redacted
  readonly weight: number
}

/** The `keys` of an entry, in order; empty if it has none. */
export const keysOf = ({ keys }: UpstreamEntry): ReadonlyArray<WeightedKey> =>
  (keys ?? []).map((one) =>
    Redacted.isRedacted(one) ? { key: one, weight: 1 } : { key: one.key, weight: one.weight ?? 1 }
  )

/** The key of `api_key`, otherwise the first of `keys`. */
export const firstKey = (entry: UpstreamEntry): Redacted.Redacted | undefined => entry.api_key ?? keysOf(entry)[0]?.key
