import type { RateLimitStoreError } from "@effect/experimental/RateLimiter"
import { Effect } from "effect"
import type { Clock } from "effect"
import type { Availability } from "./Availability.ts"
import { memoryWindows } from "./memoryWindows.ts"
import { windowMs } from "./WindowCounts.ts"
import type { Taken, WindowCounts } from "./WindowCounts.ts"

/** What this process has taken of a key so far in a minute (since the epoch, by the clock of those who count together). */
interface Share {
  readonly minute: number
  readonly known: number
}

/** Counts of all processes together, kept elsewhere, which may be away. */
export interface Remote {
  /** As `WindowCounts`; `nowMs` is the time there, in which minutes begin and end. */
  readonly take: (
    key: string,
    tokens: number,
    limit: number,
    share: Share
  ) => Effect.Effect<Taken & { readonly nowMs: number }, RateLimitStoreError>
  /** Corrects what was taken in the share's minute; too late once that is over. */
  readonly correct: (key: string, tokens: number, share: Share) => void
}

/**
 * Counts of all processes together; in this process for as long as they can't be reached. It remembers what it has taken
 * itself, whoever counted it, and tells that to whoever counts from then on.
 */
export const sharedWindows = (
  remote: Remote,
  clock: Pick<Clock.Clock, "unsafeCurrentTimeMillis">,
  availability: Availability
): WindowCounts => {
  /** How far the time there is ahead of this machine's. */
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
