import type { RateLimitStoreError } from "@effect/experimental/RateLimiter"
import type { Effect } from "effect"

/** All limits are per minute, aligned to the clock's minutes. */
export const windowMs = 60_000

export interface Taken {
  readonly count: number
  readonly leftMs: number
}

export interface WindowCounts {
  /**
   * Takes tokens from a key in the current minute, unless that would exceed the limit.
   * @returns the count with these tokens; above the limit, nothing was taken
   */
  readonly take: (key: string, tokens: number, limit: number) => Effect.Effect<Taken, RateLimitStoreError>
  /** The same, synchronously; undefined for counts in Redis. */
  readonly takeNow: ((key: string, tokens: number, limit: number) => Taken) | undefined
  /** Corrects the count of the minute of `takenAtMs`; negative gives back. No effect once that minute is over. */
  readonly correct: (key: string, tokens: number, takenAtMs: number) => void
  readonly where: () => CountedWhere
}

/** Counts in this process. */
export interface CountsNow extends WindowCounts {
  readonly take: (key: string, tokens: number, limit: number) => Effect.Effect<Taken>
  readonly takeNow: (key: string, tokens: number, limit: number) => Taken
  /** The key's count in the current minute. */
  readonly taken: (key: string) => number
  /** Keys with a count in the current minute. */
  readonly keys: () => Iterable<string>
}

/** The place of the counts: this process, Redis, or this process during an outage of Redis. */
export type CountedWhere = "process" | "redis" | "process while redis is away"
