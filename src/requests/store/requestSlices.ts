import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import type { Fragment } from "@effect/sql/Statement"
import { Effect, Schema } from "effect"
import { slices } from "../../sql/slices.ts"
import { Stride } from "../../sql/Stride.ts"
import type { Progress } from "../../sql/Stride.ts"
import { ofWhom } from "./matchConditions.ts"
import type { Whose } from "./matchConditions.ts"

interface Requests {
  /** The first id. */
  readonly from: number
  /** Exclusive. */
  readonly until: number
  /** Only these; all if absent. */
  readonly whose?: Whose | undefined
  /** True to begin with the newest. */
  readonly isDescending?: boolean | undefined
}

/** A slice: its most rows, and of one that is read in descending order its lowest id. */
interface RequestSlice {
  readonly rows: number
  readonly from: number
}

/**
 * Reads `requests` in slices, by id, or those of one account or conversation by their index. `read` gets the condition of
 * a slice, and tells its `Progress`.
 */
export const requestSlices = (sql: SqlClient.SqlClient) => {
  const inSlices = slices(sql)
  return <E>(
    { from, isDescending = false, until, whose }: Requests,
    read: (within: Fragment, slice: RequestSlice) => Effect.Effect<Progress, E>
  ): Effect.Effect<void, E | SqlError> => {
    const [first, last] = [sql`id >= ${from}`, sql`id < ${until}`]
    if (whose !== undefined) {
      const [begins, ends] = isDescending ? [last, first] : [first, last]
      return inSlices(
        { table: "requests", whose: ofWhom(sql, whose), key: { id: Schema.Int }, begins, ends, isDescending },
        (within, { end, rows }) => read(within, { rows, from: Number(end?.["id"] ?? from) })
      )
    }
    // Ids are nearly consecutive, so no statement has to count the rows.
    return Effect.gen(function* () {
      const stride = new Stride(sql)
      for (let [low, high] = [from, until]; low < high;) {
        const [first, end] = isDescending
          ? [Math.max(low, high - stride.rows), high]
          : [low, Math.min(high, low + stride.rows)]
        if (
          (yield* stride.timed(read(sql`id >= ${first} AND id < ${end}`, { rows: end - first, from: first }))) === true
        )
          return
        if (isDescending) high = first
        else low = end
      }
    })
  }
}
