import { SqlClient } from "@effect/sql"
import { describe, expect, inject, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { DatabaseUnavailable, isServed, layer, schemasOf } from "../../src/sql/Database.ts"
import { latestVersion } from "../../src/sql/migrations.ts"
import { makeClient } from "../../src/sql/postgres/Client.ts"
import { emptyUrl, engines } from "./engines.ts"

const postgres = engines.find(({ name }) => name === "postgres")
const newUrl = Effect.suspend(() => (postgres === undefined ? Effect.dieMessage("there is no Postgres") : postgres.url))

const serve = (url: string) =>
  Effect.map(Layer.build(layer({ url, exclusive: true })), (built) => Context.get(built, SqlClient.SqlClient))
const visit = (url: string) => Effect.scoped(Layer.build(layer({ url, exclusive: false })))
const direct = (url: string) => makeClient({ url, connections: 1, prepares: false, name: "test" })

/** Kills the connection that holds the lock of the server. */
const unlock = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND application_name = 'gateway lock'`

describe.runIf(inject("postgres") !== undefined)("a database of Postgres", () => {
  it.scopedLive("is served by any number of gateways, which is known for as long as one of them is there", () =>
    Effect.gen(function* () {
      const url = yield* newUrl
      expect(yield* isServed(url)).toBe(false)
      const first = yield* Scope.make()
      yield* Scope.extend(serve(url), first)
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* Effect.all([serve(url), serve(url), visit(url)], { concurrency: "unbounded" })
          expect(yield* isServed(url)).toBe(true)
          yield* Scope.close(first, Exit.void)
          expect(yield* isServed(url)).toBe(true)
        })
      )
      expect(yield* isServed(url)).toBe(false)
    })
  )

  it.scopedLive("is known to be served again soon after the connection that says so was killed", () =>
    Effect.gen(function* () {
      const url = yield* newUrl
      const sql = yield* serve(url)
      const other = yield* direct(url)
      for (let times = 0; times < 2; times++) {
        yield* other.unsafe(unlock)
        yield* Effect.repeat(isServed(url), { until: (served) => served })
      }
      expect(yield* sql`SELECT 1 AS a`).toEqual([{ a: 1 }])
    })
  )

  it.scopedLive("is not served while a gateway of an older version, which served alone, has it", () =>
    Effect.gen(function* () {
      const url = (yield* newUrl).replace("gateway@", "gateway:s3cr3t@")
      const other = yield* direct(url)
      const connection = yield* other.reserve
      yield* connection.executeUnprepared("SELECT pg_advisory_lock(776001, 1)", [], undefined)
      const refused = yield* Effect.flip(Effect.scoped(serve(url)))
      expect(refused.message).toMatch(/^database postgres:\/\/127\.0\.0\.1:\d+\/\w+: it is in use by another gateway$/)
    })
  )

  it.scopedLive("of a newer gateway is refused, and an older one that is served is not changed by a visitor", () =>
    Effect.gen(function* () {
      const url = yield* newUrl
      expect(yield* schemasOf(url)).toMatchObject({ stored: latestVersion, known: latestVersion })
      const other = yield* direct(url)
      yield* other`INSERT INTO migrations (migration_id, name) VALUES (${latestVersion + 1}, 'later')`
      for (const open of [Effect.asVoid(Effect.scoped(serve(url))), Effect.asVoid(visit(url))]) {
        const failure = yield* Effect.flip(open)
        expect(failure).toBeInstanceOf(DatabaseUnavailable)
        expect(failure.message).toContain(
          `it belongs to a newer gateway (schema ${latestVersion + 1}); this one knows schema ${latestVersion}`
        )
      }
      yield* other`DELETE FROM migrations WHERE migration_id > ${latestVersion}`
      const server = yield* Scope.make()
      yield* Scope.extend(serve(url), server)
      yield* other`DELETE FROM migrations WHERE migration_id = ${latestVersion}`
      expect((yield* Effect.flip(visit(url))).message).toContain(
        `it has schema ${latestVersion - 1}, and a gateway of that version runs on it`
      )
      yield* other`INSERT INTO migrations (migration_id, name) VALUES (${latestVersion}, 'again')`
      yield* Scope.close(server, Exit.void)
    })
  )

  it.scopedLive("gets its schema once, however many come at the same time", () =>
    Effect.gen(function* () {
      const url = yield* postgres === undefined ? Effect.dieMessage("there is no Postgres") : emptyUrl(postgres)
      expect((yield* schemasOf(url)).stored).toBe(0)
      const all = yield* Effect.forEach([1, 2, 3], () => Effect.exit(visit(url)), { concurrency: "unbounded" })
      expect(all.filter(Exit.isSuccess).length).toBeGreaterThan(0)
      for (const exit of all)
        if (Exit.isFailure(exit)) expect(String(exit.cause)).toContain("a gateway of that version runs on it")
      expect((yield* schemasOf(url)).stored).toBe(latestVersion)
    })
  )

  it.live("that can't be opened says why, in a line without the password", () =>
    Effect.gen(function* () {
      const server = inject("postgres")
      const nobody = server.replace("gateway@", "nobody:s3cr3t@")
      for (const [url, why] of [
        [
          nobody,
          "the server refuses the user: there is none, or pg_hba.conf lets it in from elsewhere or by TLS alone (28000)"
        ],
        [server.replace(/postgres$/, "nowhere"), "the server has no such database (3D000)"],
        [
          "postgres://gateway:s3cr3t@127.0.0.1:1/postgres",
          "the server can't be reached (ERR_POSTGRES_CONNECTION_REFUSED)"
        ]
      ] as const) {
        const { message } = yield* Effect.flip(visit(url))
        expect(message).toContain(why)
        expect(message).not.toMatch(/s3cr3t|\n/)
      }
    })
  )
})
