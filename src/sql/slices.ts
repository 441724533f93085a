import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import type { Fragment } from "@effect/sql/Statement"
import type { Schema } from "effect"
import { Effect } from "effect"
import { rows } from "./decode.ts"
import { Stride } from "./Stride.ts"
import type { Progress } from "./Stride.ts"

/** Rows of a table in the order of an index. */
export interface Sliced {
  readonly table: string
  /** The condition that sets the index's first columns to one value each. */
  readonly whose?: Fragment | undefined
  /** The index's next columns. They need not be unique. */
  readonly key: Readonly<Record<string, typeof Schema.String | typeof Schema.Int>>
  /**
   * The conditions on the first of these with which the rows begin and end. Others belong to the statement that reads: with
   * a second lower bound, SQLite would take that one and read all rows before the slice.
   */
  readonly begins?: Fragment | undefined
  readonly ends?: Fragment | undefined
  /** True to begin at the end of the index. */
  readonly isDescending?: boolean | undefined
}

/** A slice: its most rows, and the place where it ends; undefined for the last one. */
export interface Slice {
  readonly rows: number
  readonly end: Readonly<Record<string, string | number>> | undefined
}

/**
 * Reads rows in slices: statements of a few ms, each in a turn of the event loop of its own. A slice has a number of rows
 * of the index, whatever the statement makes of them. What reads long tables reads them so, on both engines: SQLite's
 * statements block the thread, and an answer of Postgres is decoded in it.
 *
 * @returns a function whose `read` gets the condition of a slice, and tells what `Progress` is about
 */
export const slices =
  (sql: SqlClient.SqlClient) =>
  <E>(
    { begins, ends, isDescending = false, key, table, whose }: Sliced,
    read: (within: Fragment, slice: Slice) => Effect.Effect<Progress, E>
  ): Effect.Effect<void, E | SqlError> =>
    Effect.gen(function* () {
      const names = Object.keys(key)
      const columns = sql.literal(names.join(", "))
      const order = sql.literal(names.map((name) => (isDescending ? `${name} DESC` : name)).join(", "))
      const places = rows(table, key)
      const [beyond, upTo] = isDescending ? ["<", ">="] : [">", "<="]
      const compared = (how: string, place: Readonly<Record<string, string | number>>) =>
        sql`(${columns}) ${sql.literal(how)} (${sql.csv(names.map((name) => sql`${place[name]}`))})`
      const all = sql`1 = 1`
      const stride = new Stride(sql)
      const given = (...some: ReadonlyArray<Fragment | undefined>) => some.filter((one) => one !== undefined)
      let begun = begins
      const next = Effect.gen(function* () {
        const found = yield* sql`SELECT ${columns} FROM ${sql(table)} WHERE ${sql.and(given(all, whose, begun, ends))}
          ORDER BY ${order} LIMIT 1 OFFSET ${stride.rows - 1}`
        const end = places.first(found)
        const within = given(all, whose, begun, end === undefined ? ends : compared(upTo, end))
        const progress = yield* read(sql.and(within), { rows: stride.rows, end })
        begun = end === undefined || progress === true ? undefined : compared(beyond, end)
        return progress
      })
      do {
        yield* stride.timed(next)
      } while (begun !== undefined)
    })

/**
 * A list: the first rows of an index that meet conditions, up to a limit, however far apart they are.
 *
 * @param read reads those of a slice, in order, `left` at most
 */
export const firstRows =
  (sql: SqlClient.SqlClient) =>
  <A, E>(
    of: Sliced,
    limit: number,
    read: (within: Fragment, left: number) => Effect.Effect<ReadonlyArray<A>, E>
  ): Effect.Effect<ReadonlyArray<A>, E | SqlError> =>
    Effect.suspend(() => {
      const found: Array<A> = []
      const readMore = (within: Fragment) =>
        Effect.map(read(within, limit - found.length), (some) => {
          found.push(...some)
          return found.length >= limit
        })
      return Effect.as(slices(sql)(of, readMore), found)
    })
