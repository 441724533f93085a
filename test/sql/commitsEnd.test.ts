import { SqlClient } from "@effect/sql"
import { expect, inject, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { Commits } from "../../src/sql/Commits.ts"
import { layer } from "../../src/sql/Database.ts"
import { engines } from "./engines.ts"

const postgres = engines.find(({ name }) => name === "postgres")

it.scopedLive.skipIf(inject("postgres") === undefined)(
  "what is being written when the process ends is written, whichever fiber runs it",
  () =>
    Effect.gen(function* () {
      const url = yield* postgres === undefined ? Effect.dieMessage("there is no Postgres") : postgres.url
      const scope = yield* Scope.make()
      const database = layer({ url, exclusive: true })
      const context = yield* Layer.buildWithScope(Layer.provideMerge(Commits.Default, database), scope)
      const sql = Context.get(context, SqlClient.SqlClient)
      const begun = yield* Deferred.make<void>()
      const statements = sql`INSERT INTO accounts (id, created_at) VALUES ('a', 0)`.pipe(
        Effect.zipRight(Deferred.succeed(begun, void 0)),
        Effect.zipRight(sql`SELECT pg_sleep(0.3)`)
      )
      const write = Effect.uninterruptible(Context.get(context, Commits).commit(statements))
      const fiber = yield* Effect.fork(write)
      yield* Deferred.await(begun)
      yield* Scope.close(scope, Exit.void)
      expect(Exit.isSuccess(yield* Fiber.await(fiber))).toBe(true)
    })
)
