import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import type { Exit } from "effect"
import type { CommitMode } from "../../src/sql/Committer.ts"
import { Commits } from "../../src/sql/Commits.ts"
import { prepare } from "../../src/sql/prepare.ts"

/** Sends accounts with one commit from plain code: whether they were written at once, and the outcome. */
export const sendingAccounts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const commits = yield* Commits
  const account = prepare(sql, sql`INSERT INTO accounts (id, created_at) VALUES (${""}, ${0})`)
  return (ids: ReadonlyArray<string>, as: CommitMode) => {
    const { promise, resolve } = Promise.withResolvers<Exit.Exit<unknown, SqlError>>()
    let hasEnded = false
    commits.send(
      () => ids.map((id) => account([id, 0])),
      as,
      (exit) => {
        hasEnded = true
        resolve(exit)
      }
    )
    return { isAtOnce: hasEnded, outcome: Effect.flatten(Effect.promise(() => promise)) }
  }
})
