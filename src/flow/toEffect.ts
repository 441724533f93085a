import { Effect } from "effect"
import { Succeeded } from "./Future.ts"
import type { Future } from "./Future.ts"

/**
 * An effect that begins the work each time it runs, and waits for it. An interruption stops the work and waits until it
 * has stopped.
 *
 * @param lost releases a value that arrives after the interruption
 */
export const toEffect = <A, E>(begin: () => Future<A, E>, lost?: (value: A) => void): Effect.Effect<A, E> =>
  Effect.suspend(() => {
    const begun = begin()
    if (begun.settled !== undefined) return begun.settled.exit
    return Effect.async<A, E>((resume) => {
      begun.onDone((end) => resume(end.exit))
      return Effect.async<void>((stopped) => {
        begun.interrupt()
        begun.onDone((end) => {
          if (end instanceof Succeeded) lost?.(end.value)
          stopped(Effect.void)
        })
      })
    })
  })
