import { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import { errorCode } from "../errorCode.ts"

/** How often a transaction is tried again that others stood in the way of, and one that found its statements outdated. */
const times = { inTheWay: 8, outdated: 100 } as const

/**
 * Tries a transaction again that the server wants to be tried again: after a serialization failure or a deadlock, a random
 * moment later; and at once where a connection remembers a statement whose table a newer gateway has given a column since
 * (0A000), which it forgets with that: each of them may, for each statement.
 */
export const again = <A, E, R>(
  tried: Effect.Effect<A, E | SqlError, R>,
  left: { readonly inTheWay: number; readonly outdated: number } = times
): Effect.Effect<A, E | SqlError, R> =>
  Effect.catchAll(tried, (error) => {
    const code = error instanceof SqlError ? errorCode(error.cause) : ""
    if (/^40(001|P01)$/.test(code) && left.inTheWay > 0) {
      return Effect.zipRight(aMoment, again(tried, { ...left, inTheWay: left.inTheWay - 1 }))
    }
    if (code === "0A000" && left.outdated > 0) return again(tried, { ...left, outdated: left.outdated - 1 })
    return Effect.fail(error)
  })

/** Up to 20 ms of the machine's own time: a test's clock stands still. */
const aMoment = Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 20 * Math.random())))
