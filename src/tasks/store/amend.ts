import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Schema } from "effect"
import { rows } from "../../sql/decode.ts"
import { TaskStore } from "./TaskStore.ts"

/**
 * Changes the result of a task that has succeeded: what its record says, not what became of it. To be run in a
 * transaction; answers whether there is such a task.
 */
export const makeAmend = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const store = yield* TaskStore
  const locked = sql.onDialectOrElse({ pg: () => sql.literal("FOR UPDATE"), orElse: () => sql.literal("") })
  return Effect.fnUntraced(function* (
    id: string,
    change: (result: unknown) => unknown
  ): Effect.fn.Return<boolean, SqlError> {
    store.changing(id)
    const found = results.first(yield* sql`SELECT result FROM tasks WHERE id = ${id} AND state = 'succeeded' ${locked}`)
    if (found === undefined) return false
    yield* sql`UPDATE tasks SET result = ${JSON.stringify(change(found.result))} WHERE id = ${id}`
    return true
  })
})

const results = rows("tasks", { result: Schema.NullOr(Schema.parseJson()) })
