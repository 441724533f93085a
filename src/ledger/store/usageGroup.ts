import type { AccountId } from "../../contract/callers/Caller.ts"
import type { Sums, usedMeasures } from "../../sums/Sums.ts"
import type { Dimension } from "../usageBy.ts"

/** The usage of groups of requests, with costs in nano-dollars. */
export type UsageSums = Readonly<Pick<Sums, (typeof usedMeasures)[number]>>

/** The share of a key, a model, a day or of two of them. */
export interface UsageGroup extends UsageSums {
  /** A key's id, an account, a model, an upstream or a UTC day. */
  readonly group: string
  readonly second: string | null
  /** The key's name, if one is a key's. */
  readonly name: string | null
}

export interface UsageQuery {
  /** Absent: all accounts. */
  readonly account?: AccountId | undefined
  /** Only these keys, by id. */
  readonly keys?: ReadonlyArray<string> | undefined
  readonly key?: string | undefined
  readonly model?: string | undefined
  readonly sinceMs: number
  readonly untilMs: number
}

export interface UsagePage {
  readonly offset: number
  readonly limit: number
}

/** One dimension or two. */
export interface Grouping {
  readonly first: Dimension
  readonly second: Dimension | undefined
}
