import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Schema } from "effect"
import { nextTurn } from "../../flow/eventLoop.ts"
import { rows } from "../../sql/decode.ts"
import { hourSums, rowSums, settled, settledSums } from "./settledSums.ts"
import type { SettledQuery } from "./settledSums.ts"
import { allSummed } from "./usageStatements.ts"
import { wholeHours } from "./wholeHours.ts"

const hourMs = 3_600_000
/** Hours, and rows, per statement: other work gets a turn after each. */
const [strideHours, stride] = [24, 2_000]
const otherTurn = Effect.promise(nextTurn)

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
        : inStretches({ ...query, fromMs, toMs }, stride, (within) =>
            Effect.map(sql`SELECT ${names}, ${sql.literal(rowSums)} FROM usage WHERE ${within} GROUP BY 1, 2`, addAll)
          )
    const whole = wholeHours(query)
    if (whole.fromMs >= whole.toMs) return yield* fromRows(query.fromMs, query.toMs)
    yield* fromRows(query.fromMs, whole.fromMs)
    yield* summed
    for (let at = whole.fromMs; at < whole.toMs; at += strideHours * hourMs) {
      addAll(
        yield* sql`SELECT ${names}, ${sql.literal(hourSums)} FROM usage_hours WHERE ${sql.and([
          sql`hour >= ${at}`,
          sql`hour < ${Math.min(whole.toMs, at + strideHours * hourMs)}`,
          ...(query.owner === undefined ? [] : [sql`account_id = ${query.owner}`]),
          ...query.where
        ])} GROUP BY 1, 2`
      )
      yield* otherTurn
    }
    yield* fromRows(whole.toMs, query.toMs)
  })
}

const groups = rows("usage_hours", { name: Schema.String, second: Schema.String, ...settled })
type SettledGroup = ReturnType<typeof groups.one>
