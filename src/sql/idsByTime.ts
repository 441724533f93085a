import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Schema } from "effect"
import { rows } from "./decode.ts"

/** The first and the last id of a table. */
export interface Ends {
  readonly first: number
  readonly last: number
}

interface Times {
  readonly table: "requests" | "usage" | "audit"
  /** The time by which rows are nearly ordered: an SQL expression, in Unix ms. */
  readonly time: string
  /** The longest delay until a row is stored, in ms: rows with later times may precede it. */
  readonly lateMs: number
}

/** Finds a time in a table without an index on times, by ids, which are nearly in the same order. */
export const idsByTime = (sql: SqlClient.SqlClient, { lateMs, table, time }: Times) => {
  const of = sql.literal(table)

  /** Undefined if there is no row. Two subqueries, because SQLite would scan all rows for both ends at once. */
  const ends: Effect.Effect<Ends | undefined, SqlError> = Effect.map(
    sql`SELECT (SELECT MIN(id) FROM ${of}) AS first, (SELECT MAX(id) FROM ${of}) AS last`,
    (found) => {
      const { first, last } = bounds.one(found[0])
      return first === null || last === null ? undefined : { first, last }
    }
  )

  /** The first id with this time or a later one. */
  const firstAt = Effect.fnUntraced(function* (
    atMs: number,
    { first, last }: Ends
  ): Effect.fn.Return<number, SqlError> {
    let [low, high] = [first, last + 1]
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      const row = places.first(
        yield* sql`SELECT id, ${sql.literal(time)} AS at FROM ${of} WHERE id >= ${middle} ORDER BY id LIMIT 1`
      )
      if (row === undefined || row.at >= atMs - lateMs) high = middle
      else low = row.id + 1
    }
    return low
  })

  return { ends, firstAt } as const
}

const bounds = rows("requests", { first: Schema.NullOr(Schema.Int), last: Schema.NullOr(Schema.Int) })
const places = rows("requests", { id: Schema.Int, at: Schema.Int })
