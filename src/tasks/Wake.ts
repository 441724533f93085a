import { Effect } from "effect"

/**
 * A bell inside the process: a ring wakes the daemon that sleeps until the next due work. A ring while nothing listens
 * is kept, so none is missed.
 */
export const makeWake = () => {
  let rung = false
  let wake: (() => void) | undefined
  const ring = () => {
    rung = true
    wake?.()
  }
  const nextRing: Effect.Effect<void> = Effect.async((resume) => {
    const answer = () => {
      rung = false
      wake = undefined
      resume(Effect.void)
    }
    if (rung) return answer()
    wake = answer
    return Effect.sync(() => {
      wake = undefined
    })
  })
  return { ring, nextRing }
}
