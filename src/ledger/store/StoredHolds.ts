import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Clock, Effect, Schema } from "effect"
import { rows } from "../../sql/decode.ts"

/** How long after its hold a task may be stored, in ms; a later one fails. */
const longestInsert = 60_000

/** Reads the holds of tasks. */
export class StoredHolds extends Effect.Service<StoredHolds>()("gateway/ledger/store/StoredHolds", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /** Ids of holds whose tasks should be stored by now, in order, after an id. A hold's id is its task's. */
    const after = (id: string, limit: number): Effect.Effect<ReadonlyArray<string>, SqlError> =>
      Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
        Effect.map(
          sql`SELECT id FROM holds WHERE id > ${id} AND (confirmed = 1 OR at < ${nowMs - longestInsert})
            ORDER BY id LIMIT ${limit}`,
          (found) => named.all(found).map((row) => row.id)
        )
      )

    /** Holds of these tasks, in nano-dollars; tasks without one are left out. */
    const amounts = (ids: ReadonlyArray<string>): Effect.Effect<ReadonlyMap<string, number>, SqlError> =>
      ids.length === 0
        ? Effect.succeed(new Map<string, number>())
        : Effect.map(
            sql`SELECT id, nano_usd FROM holds WHERE ${sql.in("id", ids)}`,
            (found) => new Map(held.all(found).map((row) => [row.id, row.nano_usd]))
          )

    return { after, amounts } as const
  })
}) {}

const named = rows("holds", { id: Schema.String })
const held = rows("holds", { id: Schema.String, nano_usd: Schema.Int })
