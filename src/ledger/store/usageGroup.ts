import { Schema } from "effect"
import type { AccountId } from "../../contract/Caller.ts"
import { rows } from "../../sql/decode.ts"
import type { Dimension } from "../usageBy.ts"

/** Rows of older gateways may be out of range; they are shown all the same (`UsageRecord` bounds them). */
export const count = Schema.Number

export const used = {
  inputTokens: count,
  cacheReadTokens: count,
  cacheWriteTokens: count,
  outputTokens: count,
  reasoningTokens: count,
  searches: count,
  videoFrames: count,
  costNanoUsd: count,
  upstreamCostNanoUsd: count,
  aboveHoldNanoUsd: count
} as const

export const sumRows = rows("usage_days", { requests: Schema.Int, ...used })

/** The usage of groups of requests, with costs in nano-dollars. */
export type UsageSums = ReturnType<typeof sumRows.one>

/** `group` is a key's id, an account, a model, an upstream or a UTC day; `name` is that of the key, if one is a key's. */
export const groupRows = rows("usage_days", {
  group: Schema.String,
  second: Schema.NullOr(Schema.String),
  name: Schema.NullOr(Schema.String),
  requests: Schema.Int,
  ...used
})

/** The share of a key, a model, a day or of two of them. */
export type UsageGroup = ReturnType<typeof groupRows.one>

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
