import { describe, expect, inject, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { layer } from "../../src/sql/Database.ts"
import { latestVersion } from "../../src/sql/migrations.ts"
import { emptyUrl, engines } from "./engines.ts"

const postgres = engines.find(({ name }) => name === "postgres")

describe.runIf(inject("postgres") !== undefined)("a migration whose tables others use", () => {
  it.scopedLive("gives way to them, and succeeds once they let it", () =>
    Effect.gen(function* () {
      const url = yield* postgres === undefined ? Effect.dieMessage("there is no Postgres") : emptyUrl(postgres)
      const other = yield* Effect.acquireRelease(
        Effect.sync(() => new Bun.SQL({ url, max: 1 })),
        (sql) => Effect.promise(() => sql.close({ timeout: 0 }).catch(() => {}))
      )
      yield* Effect.promise(async () => {
        await other.unsafe(`CREATE TABLE migrations (migration_id INTEGER PRIMARY KEY,
          created_at TIMESTAMPTZ NOT NULL DEFAULT now(), name VARCHAR(255) NOT NULL)`)
        await other.unsafe("BEGIN; LOCK TABLE migrations IN ROW EXCLUSIVE MODE").simple()
      })
      const migrating = yield* Effect.fork(Effect.scoped(Layer.build(layer({ url, exclusive: true }))))
      // Longer than it waits for a lock, several times.
      yield* Effect.sleep("2 seconds")
      const waiting = yield* Fiber.poll(migrating)
      expect(waiting._tag).toBe("None")
      yield* Effect.promise(() => other.unsafe("COMMIT").simple())
      yield* Fiber.join(migrating)
      const [found] = yield* Effect.promise(() =>
        other.unsafe("SELECT MAX(migration_id)::int AS version FROM migrations")
      )
      expect(found.version).toBe(latestVersion)
    })
  )
})
