import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Database as SqliteFile } from "bun:sqlite"
import { SqlClient } from "@effect/sql"
import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { layer } from "../../src/sql/Database.ts"
import { baseline } from "../../src/sql/baseline/baseline.ts"
import { baselineVersion, latestVersion } from "../../src/sql/migrations.ts"
import { describeOnEach, emptyUrl } from "./engines.ts"
import type { Engine } from "./engines.ts"
import { storedSchema } from "./storedSchema.ts"

/** A connection to the engine's database that opens no gateway's. */
const withSql = (url: string, work: (run: (text: string) => Promise<ReadonlyArray<unknown>>) => Promise<void>) =>
  Effect.promise(async () => {
    if (url.startsWith("sqlite:")) {
      using file = new SqliteFile(url.slice("sqlite:".length), { create: true })
      file.run("PRAGMA journal_mode = WAL")
      await work(async (text) => file.query(text).all())
      return
    }
    const sql = new Bun.SQL({ url, max: 1 })
    await work(async (text) => Array.from<unknown>(await sql.unsafe(text)))
    await sql.close()
  })

/** An empty database with the rows that older versions left in `migrations`. */
const migratedTo = (engine: Engine, url: string, version: number) =>
  withSql(url, async (run) => {
    await run(`CREATE TABLE IF NOT EXISTS migrations (migration_id INTEGER PRIMARY KEY,
      created_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, name VARCHAR(255) NOT NULL)`)
    await run("DELETE FROM migrations")
    const first = engine.name === "sqlite" ? 1 : 15
    for (let id = first; id <= version; id++)
      await run(`INSERT INTO migrations (migration_id, name) VALUES (${id}, 'of then')`)
  })

const opened = <A, E>(url: string, work: Effect.Effect<A, E, SqlClient.SqlClient>, exclusive = true) =>
  Effect.scoped(Effect.provide(work, layer({ url, exclusive })))

const applied = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<{ id: number; name: string }>`SELECT migration_id AS id, name FROM migrations ORDER BY migration_id`
)

describeOnEach("the schema of 1.0.0", (engine) => {
  it.scopedLive("is that to which the migrations of 1.0.0 led", () =>
    Effect.gen(function* () {
      const url = yield* emptyUrl(engine)
      const made = yield* opened(
        url,
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          yield* emptied
          yield* baseline
          expect(yield* sql`SELECT version FROM access_version`).toEqual([{ version: 0 }])
          return yield* storedSchema
        })
      )
      expect(made).toBe(readFileSync(join(import.meta.dirname, `schema-1.0.0.${engine.name}.txt`), "utf8"))
    })
  )

  it.scopedLive("is what a database of 1.0.0 goes on from, with what is in it", () =>
    Effect.gen(function* () {
      const [fresh, old] = [yield* emptyUrl(engine), yield* emptyUrl(engine)]
      const expected = yield* opened(fresh, storedSchema)
      yield* opened(
        old,
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          yield* emptied
          yield* baseline
          yield* sql`INSERT INTO accounts (id, created_at) VALUES ('a', 5)`
        })
      )
      yield* migratedTo(engine, old, baselineVersion)
      yield* opened(
        old,
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          expect(yield* sql`SELECT id, created_at FROM accounts`).toEqual([{ id: "a", created_at: 5 }])
          const found = yield* applied
          expect(found.filter(({ name }) => name === "of then").map(({ id }) => id)).toEqual(
            found.map(({ id }) => id).filter((id) => id <= baselineVersion)
          )
          expect(found.at(-1)?.id).toBe(latestVersion)
          expect(yield* storedSchema).toBe(expected)
        })
      )
    })
  )

  it.scopedLive("is the oldest that is migrated: an older database is refused, and stays as it is", () =>
    Effect.gen(function* () {
      for (const version of [15, baselineVersion - 1]) {
        const url = yield* emptyUrl(engine)
        yield* migratedTo(engine, url, version)
        const all = `SELECT * FROM ${engine.name === "sqlite" ? "sqlite_master" : "pg_tables WHERE schemaname = 'public'"}`
        const found: Array<unknown> = []
        const look = withSql(url, async (run) => {
          found.push([await run(all), await run("SELECT * FROM migrations ORDER BY migration_id")])
        })
        yield* look
        for (const exclusive of [true, false]) {
          const refused = yield* Effect.flip(Effect.scoped(Layer.build(layer({ url, exclusive }))))
          expect(refused.message).toContain(`is from before version 1.0.0 (schema ${version}): upgrade by 1.0.0 first`)
        }
        yield* look
        expect(found[1]).toEqual(found[0])
      }
    })
  )
})

/** Takes away the schema that the gateway has made. */
const emptied = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.onDialectOrElse({
    pg: () => sql.unsafe("DROP SCHEMA public CASCADE; CREATE SCHEMA public"),
    orElse: () =>
      Effect.gen(function* () {
        yield* sql`PRAGMA foreign_keys = OFF`
        const tables = yield* sql<{ name: string }>`SELECT name FROM sqlite_master
          WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`
        for (const { name } of tables) yield* sql`DROP TABLE ${sql(name)}`
      })
  })
})
