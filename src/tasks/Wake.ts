import { Effect } from "effect"

/**
 * A bell inside the process: whoever makes work due rings it, the daemon that sleeps until the next due work hears it at
 * once. A ring while nobody listens is kept, so none is missed.
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
