import { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import { rows } from "../../sql/decode.ts"
import { orStoreFailure } from "../StoreFailure.ts"
import type { TaskStorage } from "../TaskStorage.ts"

/** Changes the result of a task that has succeeded, but not its state. */
export const makeAmend = (changing: (id: string) => void) =>
  Effect.map(SqlClient.SqlClient, (sql) => {
    const locked = sql.onDialectOrElse({ pg: () => sql.literal("FOR UPDATE"), orElse: () => sql.literal("") })
    const amend: TaskStorage["amend"] = Effect.fnUntraced(function* (id, change) {
      changing(id)
      const found = results.first(
        yield* orStoreFailure(sql`SELECT result FROM tasks WHERE id = ${id} AND state = 'succeeded' ${locked}`)
      )
      if (found === undefined) return false
      yield* orStoreFailure(sql`UPDATE tasks SET result = ${JSON.stringify(change(found.result))} WHERE id = ${id}`)
      return true
    })
    return amend
  })

const results = rows("tasks", { result: Schema.NullOr(Schema.parseJson()) })
