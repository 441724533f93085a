import { Effect } from "effect"
import type { Clock } from "effect"
import { RateLimited } from "../contract/failures/Failure.ts"

const windowMs = 60_000
/** Addresses counted per minute; further ones share a count. */
const capacity = 10_000
/** The delay grows by this for each count beyond the free ones. */
const stepMs = 100
const longestMs = 4_000
/** Sockets and memory for requests that wait. */
const mostOfAll = 2_048

interface Bounds {
  /** Counts per minute without a delay. */
  readonly free: number
  /** Requests of one address that wait at a time; more are refused. */
  readonly mostWaiting: number
}

/** Slows down what one address, or one person, does often. */
export interface Throttle {
  /** Counts one. */
  readonly note: (from: string) => void
  /** Waits as long as the counts of this minute say. Fails only if too many wait already. */
  readonly turn: (from: string) => Effect.Effect<void, RateLimited>
  /** Counts one and waits. */
  readonly each: (from: string) => Effect.Effect<void, RateLimited>
  /**
   * Runs `look`, which checks a secret, and counts it if that is wrong. The delay comes before the check and is the same for
   * right and wrong secrets, so neither the answer nor an early hang-up tells which one it was.
   */
  readonly checked: <A, E, R>(
    from: string,
    look: Effect.Effect<A, E, R>,
    isWrong: (failure: E) => boolean
  ) => Effect.Effect<A, E | RateLimited, R>
}

/** Makes throttles that share the room for waiting requests. @param room requests that wait at a time, of all addresses */
export const makeThrottles = (clock: Clock.Clock, room = mostOfAll) => {
  let waitingOfAll = 0

  return ({ free, mostWaiting }: Bounds): Throttle => {
    const counts = new Map<string, number>()
    const waiting = new Map<string, number>()
    let window = -1

    /** The counts of this minute, and the place of an address in them. */
    const placeOf = (from: string): string => {
      const now = Math.floor(clock.unsafeCurrentTimeMillis() / windowMs)
      if (now !== window) {
        window = now
        counts.clear()
      }
      return counts.size < capacity || counts.has(from) ? from : "others"
    }

    const note = (from: string): void => {
      const place = placeOf(from)
      counts.set(place, (counts.get(place) ?? 0) + 1)
    }

    const delayMs = (from: string): number =>
      Math.min(longestMs, Math.max(0, (counts.get(placeOf(from)) ?? 0) - free) * stepMs)

    const enter = (from: string): boolean => {
      const here = waiting.get(from) ?? 0
      if (here >= mostWaiting || waitingOfAll >= room) return false
      waiting.set(from, here + 1)
      waitingOfAll++
      return true
    }

    const leave = (from: string): void => {
      const left = (waiting.get(from) ?? 1) - 1
      if (left === 0) waiting.delete(from)
      else waiting.set(from, left)
      waitingOfAll--
    }

    const turn = (from: string): Effect.Effect<void, RateLimited> =>
      Effect.suspend(() => {
        const ms = delayMs(from)
        if (ms === 0) return Effect.void
        return enter(from)
          ? Effect.ensuring(
              Effect.sleep(ms),
              Effect.sync(() => leave(from))
            )
          : full
      })

    return {
      note,
      turn,
      each: (from) =>
        Effect.zipRight(
          Effect.sync(() => note(from)),
          turn(from)
        ),
      checked: (from, look, isWrong) =>
        Effect.zipRight(
          turn(from),
          Effect.tapError(look, (failure) => (isWrong(failure) ? Effect.sync(() => note(from)) : Effect.void))
        )
    }
  }
}

const full = Effect.fail(
  new RateLimited({
    message: "Too many tries wait already: try again in a few seconds",
    retryAfterSeconds: longestMs / 1_000
  })
)
