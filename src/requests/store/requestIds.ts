import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import type { Effect } from "effect"
import { idsByTime } from "../../sql/idsByTime.ts"
import type { Ends } from "../../sql/idsByTime.ts"

/** A row may be stored this many ms after rows of requests that ended later: nodes' clocks differ by less. */
const lateMs = 60_000
/** The longest request, in ms, that a search by start still finds. */
const longestMs = 3_600_000

/** Finds ids of `requests` by time. Rows are stored nearly in the order of their ends. */
export const requestIds = (sql: SqlClient.SqlClient) => {
  const { ends, firstAt: overAt } = idsByTime(sql, { table: "requests", time: "at + duration_ms", lateMs })

  /** The upper bound of ids of requests that began before a time, exclusive. */
  const begunBy = (atMs: number, all: Ends): Effect.Effect<number, SqlError> => overAt(atMs + longestMs + lateMs, all)

  return { ends, overAt, begunBy } as const
}
