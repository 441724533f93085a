import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import type { Fragment } from "@effect/sql/Statement"
import { Effect } from "effect"
import { Stride } from "./Stride.ts"
import type { Progress } from "./Stride.ts"

/** Rows that follow each other are in one page of the file, which is read once for all of them. */
const together = 8
/** A statement has a placeholder for each id. */
const mostIds = 4_096

/** Ids from the first to the last, the latter exclusive. */
export interface IdRange {
  readonly from: number
  readonly until: number
}

/**
 * Evenly spaced ids, one of `every`, in groups of a few. Their position moves on from group to group, so that a client that
 * sends every fourth request, say, is not over- or underrepresented.
 */
export function* sampledIds({ from, until }: IdRange, every: number): Generator<number, void> {
  const length = together * every
  for (let group = Math.floor(from / length); group * length < until; group++) {
    const first = group * length + (group % every) * together
    for (let id = Math.max(first, from); id < Math.min(first + together, until); id++) yield id
  }
}

/** Reads a sample of a table's rows by their ids, in strides, without looking at the others. */
export const inSample =
  (sql: SqlClient.SqlClient) =>
  <E>(
    range: IdRange,
    every: number,
    read: (within: Fragment) => Effect.Effect<Progress, E>
  ): Effect.Effect<void, E | SqlError> =>
    Effect.gen(function* () {
      const stride = new Stride(sql)
      const ids = sampledIds(range, every)
      for (;;) {
        const some: Array<number> = []
        while (some.length < Math.min(stride.rows, mostIds)) {
          const { value } = ids.next()
          if (value === undefined) break
          some.push(value)
        }
        if (some.length === 0 || (yield* stride.timed(read(sql.in("id", some)))) === true) return
      }
    })
