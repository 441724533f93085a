import { Deferred, Effect, Exit, FiberId } from "effect"
import type { CountedWhere } from "./WindowCounts.ts"

/**
 * Tracks outages of Redis. During an outage each process counts on its own and no request waits for Redis. The beginning
 * and the end of an outage are logged once.
 */
export interface Availability {
  readonly isAway: () => boolean
  readonly where: () => CountedWhere
  /** Run when a call or the connection fails. */
  readonly away: (why: string) => Effect.Effect<void>
  /** Run when a new connection works. */
  readonly back: Effect.Effect<void>
  /** Completes when Redis is away. */
  readonly lost: Effect.Effect<void>
  /** Adds a listener for Redis's return: it may have lost all counts. */
  readonly onBack: (listener: () => void) => void
  /** Ignores failures from now on, because the process is ending. */
  readonly end: () => void
}

export const makeAvailability = (): Availability => {
  let where: CountedWhere = "redis"
  let isOver = false
  let lost = Deferred.unsafeMake<void>(FiberId.none)
  const listeners: Array<() => void> = []
  return {
    isAway: () => where !== "redis",
    where: () => where,
    away: (why) =>
      Effect.suspend(() => {
        if (where !== "redis" || isOver) return Effect.void
        where = "process while redis is away"
        Deferred.unsafeDone(lost, Exit.void)
        return Effect.annotateLogs(
          Effect.logWarning(`${why}; each process counts limits on its own until it is back`),
          {
            event: "limits.redis_away"
          }
        )
      }),
    back: Effect.suspend(() => {
      if (where === "redis") return Effect.void
      where = "redis"
      lost = Deferred.unsafeMake<void>(FiberId.none)
      for (const listener of listeners) listener()
      return Effect.annotateLogs(Effect.logInfo("limits are counted in Redis again"), { event: "limits.redis_back" })
    }),
    lost: Effect.suspend(() => Deferred.await(lost)),
    onBack: (listener) => void listeners.push(listener),
    end: () => {
      isOver = true
    }
  }
}
