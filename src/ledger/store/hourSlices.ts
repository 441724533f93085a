import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import type { Fragment } from "@effect/sql/Statement"
import { Effect, Schema } from "effect"
import { slices } from "../../sql/slices.ts"

interface Hours {
  /** Unix ms; the hours that begin from here on. */
  readonly fromMs: number
  /** Exclusive; to the last hour if absent. */
  readonly toMs?: number | undefined
  /** The only account, by its exact id. */
  readonly owner?: string | undefined
}

const [hour, account_id, rest] = [
  { hour: Schema.Int },
  { account_id: Schema.String },
  { key_id: Schema.String, model: Schema.String, upstream: Schema.String }
] as const

/** Reads the sums of hours in slices. `read` gets the condition of each, which holds the owner and the time. */
export const hourSlices =
  (sql: SqlClient.SqlClient, table: "usage_hours" | "request_hours") =>
  ({ fromMs, owner, toMs = Infinity }: Hours, read: (within: Fragment) => Effect.Effect<void, SqlError>) =>
    fromMs >= toMs
      ? Effect.void
      : slices(sql)(
          {
            table,
            key: owner === undefined ? { ...hour, ...account_id, ...rest } : { ...hour, ...rest },
            begins: sql`hour >= ${fromMs}`,
            ends: toMs === Infinity ? undefined : sql`hour < ${toMs}`,
            whose: owner === undefined ? undefined : sql`account_id = ${owner}`
          },
          read
        )
