import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Exit, Layer, Scope } from "effect"
import { afterAll, beforeAll, describe, inject } from "vitest"
import { layer } from "../../src/sql/Database.ts"
import { schemaOf, template } from "./onePostgres.ts"

/** An engine that a description is run on. */
export interface Engine {
  readonly name: "sqlite" | "postgres"
  /** The address of a new database, which is gone with the scope. */
  readonly url: Effect.Effect<string, never, Scope.Scope>
}

const newFile = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "gateway-engine-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  ),
  (folder) => `sqlite:${join(folder, "gateway.db")}`
)

const server = inject("postgres")
let connected: Bun.SQL | undefined
const ask = (text: string): Promise<ReadonlyArray<Record<string, unknown>>> =>
  (connected ??= new Bun.SQL({ url: server ?? "", max: 2 })).unsafe(text)

const urlOf = (name: string) => (server ?? "").replace(/\/postgres$/, `/${name}`)

let made = 0
const newName = () => `test_${process.pid}_${Date.now()}_${++made}`
const create = async (from: string): Promise<string> => {
  const name = newName()
  await ask(`CREATE DATABASE ${name} TEMPLATE ${from}`)
  return name
}

/**
 * One that another test has left, or a copy of the template, which takes twice as long. Its name is another then: a process
 * that a failed test left behind does not find it, and where such a process is connected again, it is not used.
 */
const take = async (): Promise<string> => {
  const [left] = await ask(
    `DELETE FROM left_databases WHERE name IN (SELECT name FROM left_databases LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING name`
  )
  if (left === undefined) return create(template)
  const name = newName()
  return ask(`ALTER DATABASE ${String(left["name"])} RENAME TO ${name}`).then(
    () => name,
    () => create(template)
  )
}

/** Ends connections that are still open. A database whose columns a test changed is dropped, the others are used again. */
const leave = async (name: string): Promise<void> => {
  await ask(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`)
  const sql = new Bun.SQL({ url: urlOf(name), max: 1 })
  const [schema] = await sql.unsafe(schemaOf)
  const isAsMade = schema.columns === inject("postgresColumns")
  if (isAsMade) await sql.unsafe(emptied).simple()
  await sql.close()
  await ask(isAsMade ? `INSERT INTO left_databases VALUES ('${name}')` : `DROP DATABASE ${name}`)
}

/** Empties the tables that hold something. */
const emptied = `DO $$ DECLARE one text; has boolean; used text[] := '{}'; BEGIN
    FOR one IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename NOT IN ('migrations', 'access_version') LOOP
      EXECUTE format('SELECT EXISTS (SELECT 1 FROM %I)', one) INTO has;
      IF has THEN used := used || format('%I', one); END IF;
    END LOOP;
    IF used <> '{}' THEN EXECUTE 'TRUNCATE ' || array_to_string(used, ', ') || ' RESTART IDENTITY CASCADE'; END IF;
  END $$; UPDATE access_version SET version = 0`

const newDatabase = Effect.map(
  Effect.acquireRelease(Effect.promise(take), (name) => Effect.promise(() => leave(name))),
  urlOf
)

/** Whether the engine at hand is in another process. */
export const isElsewhere = (): boolean => current.name !== "sqlite"

const sqlite: Engine = { name: "sqlite", url: newFile }

/** Both, or SQLite alone where no Postgres is installed, which the run says for each file that would use it. */
export const engines: ReadonlyArray<Engine> =
  server === undefined ? [sqlite] : [sqlite, { name: "postgres", url: newDatabase }]

/** The address of a new database without a schema. */
export const emptyUrl = ({ name, url }: Engine) =>
  name === "sqlite"
    ? url
    : Effect.map(
        Effect.promise(() => create("template0")),
        urlOf
      )

if (server === undefined) console.log("SKIPPED on postgres: it is not installed (Debian's package `postgresql`)")

let current = sqlite

/** A description of what holds on every engine: inside of it `database` is of the one at hand. */
export const describeOnEach = (name: string, tests: (engine: Engine) => void): void =>
  describe.each(engines)(`${name} (on $name)`, (engine) => {
    beforeAll(() => {
      current = engine
    })
    tests(engine)
  })

/**
 * The address of the database of this name, for what lives through several processes: made when it is first asked for,
 * gone with the test file.
 */
export const databaseNamed = (name: string): Effect.Effect<string> =>
  Effect.suspend(() => {
    const known = `${current.name} ${name}`
    const url = named.get(known)
    if (url !== undefined) return Effect.succeed(url)
    return Effect.tap(Scope.extend(current.url, kept), (made) => named.set(known, made))
  })

/** What tells a gateway in a process of its own to use a database of the engine at hand: nothing for SQLite's own file. */
export const gatewayEnv = (name: string): Promise<Record<string, string>> =>
  current.name === "sqlite"
    ? Promise.resolve({})
    : Effect.runPromise(Effect.map(databaseNamed(name), (url) => ({ GATEWAY_DATABASE_URL: url })))

const named = new Map<string, string>()
const kept = Effect.runSync(Scope.make())
afterAll(async () => {
  await Effect.runPromise(Scope.close(kept, Exit.void))
  await connected?.close()
})

/** A new database of the engine at hand, open. */
export const database = (options: { readonly exclusive: boolean } = { exclusive: true }) =>
  Layer.unwrapScoped(
    Effect.suspend(() =>
      Effect.map(current.name === "sqlite" ? Effect.succeed("sqlite::memory:") : current.url, (url) =>
        layer({ url, ...options })
      )
    )
  )
