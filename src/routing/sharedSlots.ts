import { Effect, Schedule } from "effect"
import type { Line, Slot } from "../flow/Slots.ts"

/** What all processes together leave of an upstream's room. */
export interface SharedCapacity {
  /** Takes room for one more call of this process; false where there is none. */
  readonly take: Effect.Effect<boolean>
  readonly leave: () => void
}

/** How often room that another process may have left is asked for, by the first in line alone. */
const askEvery = Schedule.jittered(Schedule.spaced("25 millis"))

/** A line of this process, whose first then waits for room among all processes. Between them nobody is first. */
export const sharedSlots = (own: Line, room: SharedCapacity): Line => {
  const first = Effect.unsafeMakeSemaphore(1)
  return {
    take: (account) => {
      const slot = own.take(account)
      let has = false
      let isOver = false
      const taken = Effect.uninterruptible(
        Effect.map(room.take, (isTaken) => {
          has = isTaken
          // It was left while it was asked for.
          if (isTaken && isOver) room.leave()
          return isTaken
        })
      )
      const entered = first.withPermits(1)(Effect.repeat(taken, { until: (isTaken) => isTaken, schedule: askEvery }))
      return {
        isFree: false,
        turn: Effect.zipRight(slot.turn, Effect.asVoid(entered)),
        leave: () => {
          if (isOver) return
          isOver = true
          if (has) room.leave()
          slot.leave()
        }
      } satisfies Slot
    },
    get waiting() {
      return own.waiting
    },
    get running() {
      return own.running
    }
  }
}
