import { Effect, Schedule } from "effect"
import type { Line, Slot } from "../flow/Slots.ts"

/** The capacity of an upstream that all processes share. */
export interface SharedCapacity {
  /** Takes a slot for a call of this process; false if none is free. */
  readonly take: Effect.Effect<boolean>
  readonly leave: () => void
}

/** How often the first in line asks for a slot that another process may have returned. */
const askEvery = Schedule.jittered(Schedule.spaced("25 millis"))

/**
 * This process's queue, whose first call then waits for a slot shared by all processes. Processes are not served in any
 * order.
 */
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
          // The caller left during the request.
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
