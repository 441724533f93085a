import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Schema } from "effect"
import { rows } from "../../sql/decode.ts"

/** A row may be stored so long after others that ended later, in ms. */
const lateMs = 5_000
/** How long a request may go on that is still found by when it began, in ms. */
const longestMs = 3_600_000

/** Where in `requests` a time is. There is no index on times: rows are stored in the order in which they end, nearly. */
export const requestIds = (sql: SqlClient.SqlClient) => {
  /** The first and the last id; undefined where no request is kept. Asked for one by one: SQLite reads all rows for both. */
  const ends: Effect.Effect<Ends | undefined, SqlError> = Effect.map(
    sql`SELECT (SELECT MIN(id) FROM requests) AS first, (SELECT MAX(id) FROM requests) AS last`,
    (found) => {
      const { first, last } = bounds.one(found[0])
      return first === null || last === null ? undefined : { first, last }
    }
  )

  /** The first id of those that were over at a time or later. */
  const overAt = Effect.fnUntraced(function* (atMs: number, { first, last }: Ends): Effect.fn.Return<number, SqlError> {
    let [low, high] = [first, last + 1]
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      const row = ids.first(
        yield* sql`SELECT id, at, duration_ms FROM requests WHERE id >= ${middle} ORDER BY id LIMIT 1`
      )
      if (row === undefined || row.at + row.duration_ms >= atMs - lateMs) high = middle
      else low = row.id + 1
    }
    return low
  })

  /** The id before which all are that began before a time. */
  const begunBy = (atMs: number, all: Ends): Effect.Effect<number, SqlError> => overAt(atMs + longestMs + lateMs, all)

  return { ends, overAt, begunBy } as const
}

interface Ends {
  readonly first: number
  readonly last: number
}

const bounds = rows("requests", { first: Schema.NullOr(Schema.Int), last: Schema.NullOr(Schema.Int) })
const ids = rows("requests", { id: Schema.Int, at: Schema.Int, duration_ms: Schema.Int })
