import type { RateLimitStoreError } from "@effect/experimental/RateLimiter"
import { Effect } from "effect"
import type { Clock } from "effect"
import type { Availability } from "./Availability.ts"
import { memoryWindows } from "./memoryWindows.ts"
import { windowMs } from "./WindowCounts.ts"
import type { Taken, WindowCounts } from "./WindowCounts.ts"

/** This process's share of a key's count in a minute (since the epoch, by Redis's clock). */
interface Share {
  readonly minute: number
  readonly known: number
}

/** Counts of all processes in a store that may be unreachable. */
export interface Remote {
  /** Like `WindowCounts`; `nowMs` is the store's time, which defines the minutes. */
  readonly take: (
    key: string,
    tokens: number,
    limit: number,
    share: Share
  ) => Effect.Effect<Taken & { readonly nowMs: number }, RateLimitStoreError>
  /** Corrects the count of the share's minute; no effect once it is over. */
  readonly correct: (key: string, tokens: number, share: Share) => void
}

/**
 * Counts of all processes, or of this process during an outage. This process always tracks its own share, and reports it
 * when the store comes back.
 */
export const sharedWindows = (
  remote: Remote,
  clock: Pick<Clock.Clock, "unsafeCurrentTimeMillis">,
  availability: Availability
): WindowCounts => {
  /** The store's clock minus this machine's. */
  let aheadMs = 0
  const nowMs = () => clock.unsafeCurrentTimeMillis() + aheadMs
  const own = memoryWindows({ unsafeCurrentTimeMillis: nowMs })
  const shareAt = (key: string, atMs: number): Share => ({ minute: Math.floor(atMs / windowMs), known: own.taken(key) })

  availability.onBack(() => {
    const now = nowMs()
    for (const key of own.keys()) remote.correct(key, 0, shareAt(key, now))
  })

  const takeThere = (key: string, tokens: number, limit: number) =>
    Effect.suspend(() => remote.take(key, tokens, limit, shareAt(key, nowMs()))).pipe(
      Effect.tap((taken) => {
        aheadMs = taken.nowMs - clock.unsafeCurrentTimeMillis()
        if (taken.count <= limit) own.correct(key, tokens, taken.nowMs)
        return Effect.void
      })
    )

  return {
    take: (key, tokens, limit) =>
      Effect.suspend(() =>
        availability.isAway()
          ? own.take(key, tokens, limit)
          : Effect.catchAll(takeThere(key, tokens, limit), ({ message }) =>
              Effect.zipRight(availability.away(message), own.take(key, tokens, limit))
            )
      ),
    takeNow: undefined,
    correct: (key, tokens, takenAtMs) => {
      const atMs = takenAtMs + aheadMs
      const share = shareAt(key, atMs)
      own.correct(key, tokens, atMs)
      if (!availability.isAway()) remote.correct(key, tokens, share)
    },
    where: availability.where
  }
}
