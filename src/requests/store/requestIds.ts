import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import { idsByTime } from "../../sql/idsByTime.ts"
import type { Ends } from "../../sql/idsByTime.ts"

/** A row may be stored this many ms after rows of requests that ended later: nodes' clocks differ by less. */
const lateMs = 60_000
/** The longest request, in ms, that a search by start still finds. */
const longestMs = 3_600_000

export interface Ids {
  readonly from: number
  /** Exclusive. */
  readonly until: number
}

/** Finds ids of `requests` by time. Rows are stored nearly in the order of their ends. */
export const requestIds = (sql: SqlClient.SqlClient) => {
  const { ends, firstAt: overAt } = idsByTime(sql, { table: "requests", time: "at + duration_ms", lateMs })

  /** The upper bound of ids of requests that began before a time, exclusive. */
  const begunBy = (atMs: number, all: Ends): Effect.Effect<number, SqlError> => overAt(atMs + longestMs + lateMs, all)

  /** The ids of requests that began in a time span, and of some others. Undefined if there is none. */
  const idsWithin = Effect.fnUntraced(function* ({
    fromMs,
    toMs
  }: {
    readonly fromMs: number
    /** Exclusive. */
    readonly toMs: number
  }): Effect.fn.Return<Ids | undefined, SqlError> {
    const all = fromMs < toMs ? yield* ends : undefined
    return all && { from: yield* overAt(fromMs, all), until: yield* begunBy(toMs, all) }
  })

  return { ends, overAt, begunBy, idsWithin } as const
}
