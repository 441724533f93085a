import { SqlClient } from "@effect/sql"
import { expect, it } from "@effect/vitest"
import { Effect, Exit, Layer } from "effect"
import { Commits } from "../../src/sql/Commits.ts"
import { database, describeOnEach } from "./engines.ts"

const account = (id: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql`INSERT INTO accounts (id, created_at) VALUES (${id}, 0)`)

const accounts = Effect.flatMap(SqlClient.SqlClient, (sql) => sql<{ id: string }>`SELECT id FROM accounts ORDER BY id`)

describeOnEach("commits", () => {
  const withCommits = Commits.Default.pipe(Layer.provideMerge(database()))

  it.effect("a write that fails, of itself or by a constraint, fails none of those that are under way beside it", () =>
    Effect.gen(function* () {
      const commits = yield* Commits
      const context = yield* Effect.context<SqlClient.SqlClient>()
      const write = (id: string) =>
        commits.commit(
          Effect.provide(id === "bad" ? Effect.zipRight(account(id), Effect.fail("no")) : account(id), context)
        )
      const twice = commits.commit(Effect.provide(Effect.zipRight(account("twice"), account("twice")), context))
      const writes = [...["a", "bad", "b"].map(write), twice, write("c")]
      const exits = yield* Effect.forEach(writes, Effect.exit, { concurrency: "unbounded" })
      expect(exits.map(Exit.isSuccess)).toEqual([true, false, true, false, true])
      expect((yield* accounts).map((row) => row.id)).toEqual(["a", "b", "c"])
      expect(commits.refusal()).toBeUndefined()
    }).pipe(Effect.provide(withCommits))
  )

  it.effect("what follows a commit happens once it is durable, and never where it is rolled back", () =>
    Effect.gen(function* () {
      const commits = yield* Commits
      const context = yield* Effect.context<SqlClient.SqlClient>()
      const followed: Array<string> = []
      const write = (id: string, then: Effect.Effect<void, string>) =>
        commits.commit(
          Effect.provide(account(id), context).pipe(
            Effect.zipRight(commits.afterCommit(() => followed.push(id))),
            Effect.zipRight(then)
          )
        )
      yield* Effect.all(
        [write("a", Effect.void), Effect.exit(write("b", Effect.fail("no"))), write("c", Effect.void)],
        {
          concurrency: "unbounded"
        }
      )
      expect(followed.sort()).toEqual(["a", "c"])
    }).pipe(Effect.provide(withCommits))
  )

  it.effect("a caller that leaves cancels no other's statement, and its own write may be there", () =>
    Effect.gen(function* () {
      const commits = yield* Commits
      const context = yield* Effect.context<SqlClient.SqlClient>()
      const write = (id: string) => commits.commit(Effect.provide(account(id), context))
      const stays = Array.from({ length: 60 }, (_, n) => write(`stays-${n}`))
      const leaves = Array.from({ length: 60 }, (_, n) => Effect.timeoutOption(write(`leaves-${n}`), `${n % 7} millis`))
      yield* Effect.all([...stays, ...leaves], { concurrency: "unbounded", discard: true })
      const there = (yield* accounts).map(({ id }) => id)
      expect(there.filter((id) => id.startsWith("stays"))).toHaveLength(60)
    }).pipe(Effect.provide(withCommits))
  )
})
