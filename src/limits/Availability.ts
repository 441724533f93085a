import { Effect } from "effect"
import type { Clock } from "effect"
import type { CountedWhere } from "./WindowCounts.ts"

/** How soon a Redis that did not answer is asked again, by one request, in ms. */
const askAgainMs = 1_000

/**
 * Whether what is kept elsewhere can be asked. While it is away each process counts by itself, which the log says once,
 * and once more when it is over; one request a second finds out, so that a Redis that hangs holds up no other.
 */
export interface Availability {
  /** Whether it may be asked now; where it is away, one a second may. */
  readonly mayAsk: () => boolean
  readonly isAway: () => boolean
  readonly where: () => CountedWhere
  /** To be run where it did not answer. */
  readonly away: (why: string) => Effect.Effect<void>
  /** To be run where it did. */
  readonly back: Effect.Effect<void>
  /** Calls what is to be done once it is back, or connected anew: it may have forgotten everything. */
  readonly onBack: (listener: () => void) => void
  /** To be run when it is. */
  readonly connected: Effect.Effect<void>
  /** Nobody asks any more: what does not answer now is not away. */
  readonly end: () => void
}

export const makeAvailability = (clock: Clock.Clock): Availability => {
  let where: CountedWhere = "redis"
  let askAgainAt = 0
  let isOver = false
  const listeners: Array<() => void> = []
  const tellAll = () => {
    for (const listener of listeners) listener()
  }
  const back = Effect.suspend(() => {
    if (where === "redis") return Effect.void
    where = "redis"
    tellAll()
    return Effect.annotateLogs(Effect.logInfo("limits are counted in Redis again"), { event: "limits.redis_back" })
  })
  return {
    mayAsk: () => {
      if (where === "redis") return true
      const now = clock.unsafeCurrentTimeMillis()
      if (now < askAgainAt) return false
      askAgainAt = now + askAgainMs
      return true
    },
    isAway: () => where !== "redis",
    where: () => where,
    away: (why) =>
      Effect.suspend(() => {
        askAgainAt = clock.unsafeCurrentTimeMillis() + askAgainMs
        if (where !== "redis" || isOver) return Effect.void
        where = "process while redis is away"
        return Effect.annotateLogs(Effect.logWarning(`${why}; each process counts limits by itself meanwhile`), {
          event: "limits.redis_away"
        })
      }),
    back,
    connected: Effect.suspend(() => {
      if (where !== "redis") return back
      tellAll()
      return Effect.void
    }),
    onBack: (listener) => void listeners.push(listener),
    end: () => {
      isOver = true
    }
  }
}
