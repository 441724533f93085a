import * as RateLimiter from "@effect/experimental/RateLimiter"
import { Config, Context, Effect, Layer, Option } from "effect"
import { redisWindows } from "./redisWindows.ts"
import { windowMs } from "./windowMs.ts"

interface Taken {
  readonly count: number
  readonly leftMs: number
}

export interface WindowCounts {
  /**
   * Takes tokens of a key in the minute that is running, unless that would exceed the limit.
   * @returns what was taken then, or would have been
   */
  readonly take: (key: string, tokens: number, limit: number) => Effect.Effect<Taken, RateLimiter.RateLimitStoreError>
  /** The same where nobody need be asked: counts of this process. */
  readonly takeNow: ((key: string, tokens: number, limit: number) => Taken) | undefined
  /** Corrects what was taken at a time (negative: gives back); too late once that minute is over. */
  readonly correct: (key: string, tokens: number, takenAtMs: number) => void
}

/**
 * Counters that begin afresh each minute. The library's own windows grow with what is taken from them, and so let nearly
 * twice the limit into a minute; these never let in more than it.
 */
export class Windows extends Context.Tag("gateway/limits/Windows")<Windows, WindowCounts>() {
  /** Counts in this process. */
  static readonly memory = Layer.effect(
    Windows,
    Effect.map(Effect.clock, (clock): WindowCounts => {
      let current = -1
      const counts = new Map<string, number>()
      const roll = (nowMs: number) => {
        const window = Math.floor(nowMs / windowMs)
        if (window === current) return
        current = window
        counts.clear()
      }
      const takeNow = (key: string, tokens: number, limit: number) => {
        const nowMs = clock.unsafeCurrentTimeMillis()
        roll(nowMs)
        const count = (counts.get(key) ?? 0) + tokens
        if (count <= limit) counts.set(key, count)
        return { count, leftMs: windowMs - (nowMs % windowMs) }
      }
      return {
        take: (key, tokens, limit) => Effect.sync(() => takeNow(key, tokens, limit)),
        takeNow,
        correct: (key, tokens, takenAtMs) => {
          roll(clock.unsafeCurrentTimeMillis())
          if (Math.floor(takenAtMs / windowMs) === current) counts.set(key, (counts.get(key) ?? 0) + tokens)
        }
      }
    })
  )

  /** With `REDIS_URL`, counts that every gateway process shares; in this process otherwise. */
  static readonly layer = Layer.unwrapEffect(
    Effect.map(Config.option(Config.redacted("REDIS_URL")), (url) =>
      Option.match(url, { onNone: () => Windows.memory, onSome: (url) => Layer.scoped(Windows, redisWindows(url)) })
    )
  )
}

/** The library's rate limiter on these counters. */
export const rateLimiter = RateLimiter.layer.pipe(
  Layer.provide(
    Layer.effect(
      RateLimiter.RateLimiterStore,
      Effect.map(Windows, (windows) =>
        RateLimiter.RateLimiterStore.of({
          fixedWindow: ({ key, limit = Infinity, tokens }) =>
            Effect.map(windows.take(key, tokens, limit), ({ count, leftMs }) => [count, leftMs] as const),
          tokenBucket: () => Effect.dieMessage("limits are fixed windows")
        })
      )
    )
  )
)
