import { SqlClient } from "@effect/sql"
import type { Actor } from "../contract/callers/Acting.ts"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import { Changes } from "../sql/Changes.ts"
import { Audit } from "./store/Audit.ts"

interface Change<Before, Result, After, E1, E2, E3> {
  readonly actor: Actor
  readonly action: string
  readonly before: Effect.Effect<Before, E1 | SqlError>
  readonly write: Effect.Effect<Result, E2 | SqlError>
  readonly after: (result: Result) => Effect.Effect<After, E3 | SqlError>
  readonly target: (result: Result) => string
}

/**
 * Makes a change, notifies every process and writes an audit row, in one transaction. The notification is written first:
 * SQLite fails a transaction that has read if another one writes before it does (SQLITE_BUSY_SNAPSHOT).
 */
export const makeChange = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const changes = yield* Changes
  const audit = yield* Audit
  return <Before, Result, After, E1, E2, E3>(change: Change<Before, Result, After, E1, E2, E3>) =>
    Effect.gen(function* () {
      yield* changes.tell
      const before = yield* change.before
      const result = yield* change.write
      const after = yield* change.after(result)
      const target = change.target(result)
      yield* audit.record({ actor: change.actor, action: change.action, target, before, after })
      return { before, result, after }
    }).pipe(
      (effect) => sql.withTransaction(effect),
      Effect.catchIf(isSqlError, Effect.die),
      Effect.zipLeft(changes.notice)
    )
})

const isSqlError = (error: unknown): error is SqlError =>
  typeof error === "object" && error !== null && "_tag" in error && error._tag === "SqlError"
