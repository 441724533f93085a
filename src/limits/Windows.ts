import * as RateLimiter from "@effect/experimental/RateLimiter"
import { Context, Effect, Layer, Option } from "effect"
import { memoryWindows } from "./memoryWindows.ts"
import { redisWindows } from "./redisWindows.ts"
import { SharedRedis } from "./SharedRedis.ts"
import { sharedWindows } from "./sharedWindows.ts"
import type { WindowCounts } from "./WindowCounts.ts"

/**
 * Counters that reset each minute. The library's own windows extend with use, which lets nearly twice the limit into a
 * minute.
 */
export class Windows extends Context.Tag("gateway/limits/Windows")<Windows, WindowCounts>() {
  /** Counts in Redis for all processes if one is configured, otherwise in this process. */
  static readonly layer = Layer.effect(
    Windows,
    Effect.map(Effect.all([Effect.clock, SharedRedis]), ([clock, redis]) => {
      if (Option.isNone(redis)) return memoryWindows(clock)
      return sharedWindows(redisWindows(redis.value), clock, redis.value.availability)
    })
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
