import { SqlClient } from "@effect/sql"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { layer } from "../../src/sql/Database.ts"
import { emptyUrl, engines } from "./engines.ts"

/** Every column of the database: its table, its name, whether it may be null. */
const columns = Effect.flatMap(SqlClient.SqlClient, (sql) => {
  const rows = sql.onDialectOrElse({
    pg: () => sql<{ place: string; nullable: number }>`SELECT table_name || '.' || column_name AS place,
      CASE is_nullable WHEN 'YES' THEN 1 ELSE 0 END AS nullable
      FROM information_schema.columns WHERE table_schema = current_schema()`,
    orElse: () => sql<{ place: string; nullable: number }>`SELECT t.name || '.' || c.name AS place,
      CASE WHEN c."notnull" = 1 OR c.pk > 0 THEN 0 ELSE 1 END AS nullable
      FROM sqlite_master t JOIN pragma_table_info(t.name) c WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'`
  })
  return Effect.map(rows, (found) =>
    found
      .filter(({ place }) => !place.startsWith("migrations."))
      .map(({ nullable, place }) => `${place}${nullable === 1 ? "?" : ""}`)
      .sort()
  )
})

/** Every index by name. */
const indexes = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(
    sql.onDialectOrElse({
      pg: () => sql<{ name: string }>`SELECT indexname AS name FROM pg_indexes WHERE schemaname = current_schema()`,
      orElse: () => sql<{ name: string }>`SELECT name FROM sqlite_master WHERE type = 'index'`
    }),
    (found) =>
      found
        .map(({ name }) => name)
        .filter((name) => !/^sqlite_|_pkey$|_key$|^migrations/.test(name) || name === "kept_answers_key")
        .sort()
  )
)

it.scoped("has the same columns and indexes on every engine", () =>
  Effect.gen(function* () {
    const [one, ...others] = yield* Effect.forEach(engines, (engine) =>
      Effect.flatMap(emptyUrl(engine), (url) =>
        Effect.provide(Effect.all({ columns, indexes }), layer({ url, exclusive: true }))
      )
    )
    expect(one?.columns).toContain("accounts.granted_nano_usd?")
    for (const other of others) expect(other).toEqual(one)
  })
)
