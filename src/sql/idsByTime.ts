import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import type { Fragment } from "@effect/sql/Statement"
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

/** Ids that a statement looks at: of ten million rows a time is found by six, where halves would take 24 round trips. */
const probes = 15

/** Finds a time in a table without an index on times, by ids, which are nearly in the same order. */
export const idsByTime = (sql: SqlClient.SqlClient, { lateMs, table, time }: Times) => {
  const of = sql.literal(table)
  const union = (all: ReadonlyArray<Fragment>) => all.reduce((some, one) => sql`${some} UNION ALL ${one}`)

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
      const step = Math.ceil((high - low) / (probes + 1))
      const looked = Array.from(
        { length: probes },
        (_, n) => sql`SELECT CAST(${Math.min(low + (n + 1) * step, high) - 1} AS BIGINT) AS probe`
      )
      const found = places.all(
        yield* sql`SELECT probe, (SELECT id FROM ${of} WHERE id >= probe ORDER BY id LIMIT 1) AS id,
          (SELECT ${sql.literal(time)} FROM ${of} WHERE id >= probe ORDER BY id LIMIT 1) AS at
          FROM (${union(looked)}) AS probes ORDER BY probe`
      )
      const before = found.findIndex(({ at }) => at === null || at >= atMs - lateMs)
      const later = before === -1 ? undefined : found[before]
      const earlier = before === -1 ? found.at(-1) : found[before - 1]
      if (later !== undefined) high = later.probe
      if (earlier !== undefined) low = (earlier.id ?? earlier.probe) + 1
    }
    return low
  })

  return { ends, firstAt } as const
}

const bounds = rows("requests", { first: Schema.NullOr(Schema.Int), last: Schema.NullOr(Schema.Int) })
const places = rows("requests", { probe: Schema.Int, id: Schema.NullOr(Schema.Int), at: Schema.NullOr(Schema.Int) })
