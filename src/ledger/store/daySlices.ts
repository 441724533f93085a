import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import type { Fragment } from "@effect/sql/Statement"
import type { Effect } from "effect"
import { Schema } from "effect"
import { ofKeys } from "../../sql/ofKeys.ts"
import { slices } from "../../sql/slices.ts"

interface Days {
  /** UTC days, `2026-01-31`, both inclusive; all if absent. */
  readonly from?: string | undefined
  readonly until?: string | undefined
  readonly account?: string | undefined
  /** Only these keys, by id. */
  readonly keys?: ReadonlyArray<string> | undefined
  readonly key?: string | undefined
  readonly model?: string | undefined
}

const [account_id, day, key_id, model] = [
  { account_id: Schema.String },
  { day: Schema.String },
  { key_id: Schema.String },
  { model: Schema.String }
] as const

/** Reads the sums of days in slices. `read` gets the condition of each, which holds all of the query. */
export const daySlices =
  (sql: SqlClient.SqlClient) =>
  <E>(
    { account, from, key, keys, model: ofModel, until }: Days,
    read: (within: Fragment) => Effect.Effect<void, E>
  ): Effect.Effect<void, E | SqlError> => {
    const isAccount = account === undefined ? undefined : sql`account_id = ${account}`
    // By the index that has the fewest rows.
    const [whose, columns] =
      key !== undefined
        ? [sql`key_id = ${key}`, { ...day, ...model }]
        : account !== undefined
          ? [isAccount, { ...day, ...key_id, ...model }]
          : [undefined, { ...day, ...account_id, ...key_id, ...model }]
    const rest = [
      ...(key === undefined || isAccount === undefined ? [] : [isAccount]),
      ...ofKeys(sql, keys),
      ...(ofModel === undefined ? [] : [sql`model = ${ofModel}`])
    ]
    return slices(sql)(
      {
        table: "usage_days",
        whose,
        key: columns,
        begins: from === undefined ? undefined : sql`day >= ${from}`,
        ends: until === undefined ? undefined : sql`day <= ${until}`
      },
      (within) => read(sql.and([within, ...rest]))
    )
  }
