import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Schema } from "effect"
import { rows } from "../../sql/decode.ts"
import { hourSlices } from "./hourSlices.ts"
import { hourSums, rowSums, settled, settledSums } from "./settledSums.ts"
import type { SettledQuery } from "./settledSums.ts"
import { allSummed } from "./usageStatements.ts"
import { wholeHours } from "./wholeHours.ts"

type Column = NonNullable<SettledQuery["by"]>

interface SettledGroupsQuery extends Omit<SettledQuery, "by"> {
  readonly by: Column
  /** The second dimension; `second` is empty without one. */
  readonly second: Column | undefined
}

/**
 * Sums of settlements by one or two columns, exactly for a span: whole hours from their sums, the rest from the rows. A
 * group may come several times.
 */
export const settledGroups = (sql: SqlClient.SqlClient) => {
  const { inStretches } = settledSums(sql)
  const inHours = hourSlices(sql, "usage_hours")
  const summed = allSummed(sql)

  return Effect.fnUntraced(function* (
    { by, second, ...query }: SettledGroupsQuery,
    add: (group: SettledGroup) => void
  ): Effect.fn.Return<void, SqlError> {
    const names = sql.literal(`${by} AS name, ${second ?? "''"} AS second`)
    const addAll = (found: ReadonlyArray<unknown>) => groups.all(found).forEach(add)
    const fromRows = (fromMs: number, toMs: number) =>
      fromMs >= toMs
        ? Effect.void
        : inStretches({ ...query, fromMs, toMs }, (within) =>
            Effect.map(sql`SELECT ${names}, ${sql.literal(rowSums)} FROM usage WHERE ${within} GROUP BY 1, 2`, addAll)
          )
    const whole = wholeHours(query)
    if (whole.fromMs >= whole.toMs) return yield* fromRows(query.fromMs, query.toMs)
    yield* fromRows(query.fromMs, whole.fromMs)
    yield* summed
    yield* inHours({ ...whole, owner: query.owner }, (within) =>
      Effect.map(
        sql`SELECT ${names}, ${sql.literal(hourSums)} FROM usage_hours WHERE ${sql.and([within, ...query.where])}
          GROUP BY 1, 2`,
        addAll
      )
    )
    yield* fromRows(whole.toMs, query.toMs)
  })
}

const groups = rows("usage_hours", { name: Schema.String, second: Schema.String, ...settled })
type SettledGroup = ReturnType<typeof groups.one>
