import { Effect } from "effect"

/**
 * A bell inside the process: a ring wakes the daemon that sleeps until the next due work. A ring while nothing listens
 * is kept, so none is missed.
 */
export const makeWake = () => {
  let rung = false
  let hear: (() => void) | undefined
  const ring = () => {
    rung = true
    hear?.()
  }
  const heard: Effect.Effect<void> = Effect.async((resume) => {
    const answer = () => {
      rung = false
      hear = undefined
      resume(Effect.void)
    }
    if (rung) return answer()
    hear = answer
    return Effect.sync(() => {
      hear = undefined
    })
  })
  return { ring, heard }
}
