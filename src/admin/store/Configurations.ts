import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, Schema } from "effect"
import { rows } from "../../sql/decode.ts"

/** Versions of the configuration in the database, numbered from 1; the newest is in effect. */
export class Configurations extends Effect.Service<Configurations>()("gateway/admin/store/Configurations", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /** The newest version; 0 if there is none. */
    const latest: Effect.Effect<number, SqlError> = Effect.map(
      sql`SELECT COALESCE(MAX(version), 0) AS version FROM configurations`,
      (raw) => versions.first(raw)?.version ?? 0
    )

    const find = (version: number) =>
      Effect.map(sql`SELECT * FROM configurations WHERE version = ${version}`, configurations.first)

    /** Newest first. */
    const list = (limit: number) =>
      Effect.map(sql`SELECT * FROM configurations ORDER BY version DESC LIMIT ${limit}`, configurations.all)

    /** Violates the primary key if the version exists. */
    const insert = (row: ConfigurationRow) => Effect.asVoid(sql`INSERT INTO configurations ${sql.insert({ ...row })}`)

    return { latest, find, list, insert } as const
  })
}) {}

const columns = {
  version: Schema.Int,
  document: Schema.String,
  applied_at: Schema.Int,
  applied_by: Schema.String,
  note: Schema.NullOr(Schema.String)
}
const configurations = rows("configurations", columns)
const versions = rows("configurations", { version: Schema.Int })

/** `applied_at` is in Unix ms. */
export type ConfigurationRow = Schema.Struct.Type<typeof columns>
