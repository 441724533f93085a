import { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import { errorCode } from "../errorCode.ts"

/** The most retries after conflicts with other transactions, and after outdated prepared statements. */
const times = { inTheWay: 8, outdated: 100 } as const

/**
 * Retries a transaction after a serialization failure or a deadlock, with a random delay; and at once if a connection's
 * prepared statement is outdated because a newer gateway has added a column (0A000). The connection drops that
 * statement with the error, but every connection may have one for each statement.
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

/** Up to 20 ms of real time, because a `TestClock` stands still. */
const aMoment = Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 20 * Math.random())))
