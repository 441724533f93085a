import { RateLimitStoreError } from "@effect/experimental/RateLimiter"
import { RedisClient } from "bun"
import { Clock, Effect, Redacted } from "effect"
import { windowMs } from "./windowMs.ts"
import type { WindowCounts } from "./Windows.ts"

/** A request does not wait longer than this for Redis, in ms. */
const patience = 500

/**
 * Counters in Redis or Valkey, one key a minute. Taken first and looked at after: two processes may both be refused where
 * one would have fitted, but never both be let in.
 */
export const redisWindows = (url: Redacted.Redacted) =>
  Effect.gen(function* () {
    const redis = yield* Effect.acquireRelease(
      Effect.sync(() => new RedisClient(Redacted.value(url), { connectionTimeout: patience })),
      (client) => Effect.sync(() => client.close())
    )
    const keyOf = (key: string, atMs: number) => `gateway:limits:${key}:${Math.floor(atMs / windowMs)}`

    const add = async (key: string, tokens: number) => {
      const [count] = await Promise.all([redis.incrby(key, tokens), redis.expire(key, (2 * windowMs) / 1_000)])
      return count
    }

    const take = async (key: string, tokens: number, limit: number) => {
      const count = await add(key, tokens)
      if (count > limit) await redis.decrby(key, tokens)
      return count
    }

    return {
      take: (key, tokens, limit) =>
        Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
          Effect.tryPromise({
            try: async () => ({
              count: await soon(take(keyOf(key, nowMs), tokens, limit)),
              leftMs: windowMs - (nowMs % windowMs)
            }),
            catch: (cause) => new RateLimitStoreError({ message: "rate limits: Redis does not answer", cause })
          })
        ),
      takeNow: undefined,
      correct: (key, tokens, takenAtMs) => void add(keyOf(key, takenAtMs), tokens).catch(() => {})
    } satisfies WindowCounts
  })

const soon = <A>(promise: Promise<A>): Promise<A> => {
  let timer: ReturnType<typeof setTimeout>
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("timed out")), patience)
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}
