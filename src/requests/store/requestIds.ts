import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import type { Effect } from "effect"
import { idsByTime } from "../../sql/idsByTime.ts"
import type { Ends } from "../../sql/idsByTime.ts"

/** A row may be stored so long after others that ended later, in ms. */
const lateMs = 5_000
/** How long a request may go on that is still found by when it began, in ms. */
const longestMs = 3_600_000

/** Where in `requests` a time is: rows are stored in the order in which they end, nearly. */
export const requestIds = (sql: SqlClient.SqlClient) => {
  const { ends, firstAt: overAt } = idsByTime(sql, { table: "requests", time: "at + duration_ms", lateMs })

  /** The id before which all are that began before a time. */
  const begunBy = (atMs: number, all: Ends): Effect.Effect<number, SqlError> => overAt(atMs + longestMs + lateMs, all)

  return { ends, overAt, begunBy } as const
}
