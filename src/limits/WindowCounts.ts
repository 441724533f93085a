import type { RateLimitStoreError } from "@effect/experimental/RateLimiter"
import type { Effect } from "effect"

/** Every limit is one of a minute, and minutes begin where the clock's do. */
export const windowMs = 60_000

export interface Taken {
  readonly count: number
  readonly leftMs: number
}

export interface WindowCounts {
  /**
   * Takes tokens of a key in the minute that is running, unless that would exceed the limit.
   * @returns what was taken then, or would have been
   */
  readonly take: (key: string, tokens: number, limit: number) => Effect.Effect<Taken, RateLimitStoreError>
  /** The same where nobody need be asked: counts of this process. */
  readonly takeNow: ((key: string, tokens: number, limit: number) => Taken) | undefined
  /** Corrects what was taken at a time (negative: gives back); too late once that minute is over. */
  readonly correct: (key: string, tokens: number, takenAtMs: number) => void
  readonly where: () => CountedWhere
}

/** Counts that nobody need be asked for. */
export interface CountsNow extends WindowCounts {
  readonly take: (key: string, tokens: number, limit: number) => Effect.Effect<Taken>
  readonly takeNow: (key: string, tokens: number, limit: number) => Taken
  /** What has been taken of a key in the minute that is running. */
  readonly taken: (key: string) => number
  /** Those of which something was taken in it. */
  readonly keys: () => Iterable<string>
}

/** Who counts: this process alone, Redis for all of them, or this process for as long as Redis does not answer. */
export type CountedWhere = "process" | "redis" | "process while redis is away"
