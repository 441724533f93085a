import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Schema } from "effect"
import { rows } from "../../sql/decode.ts"

/** The names of keys, by their ids. Unknown ids are left out. */
export const keyNames =
  (sql: SqlClient.SqlClient) =>
  (ids: ReadonlyArray<string>): Effect.Effect<ReadonlyMap<string, string>, SqlError> =>
    ids.length === 0
      ? Effect.succeed(new Map())
      : Effect.map(
          sql`SELECT id, name FROM keys WHERE ${sql.in("id", ids)}`,
          (found) => new Map(names.all(found).map(({ id, name }) => [id, name]))
        )

const names = rows("keys", { id: Schema.String, name: Schema.String })
