import { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import { Commits } from "../../sql/Commits.ts"
import { rows } from "../../sql/decode.ts"
import { TaskChanges } from "../TaskChanges.ts"
import type { TaskError } from "../Task.ts"

/** The kind, and so its family's error codes, can't be read. */
const error: TaskError = { code: "unreadable", message: "the stored task can't be read" }

/**
 * Fails the tasks of a claim that could not be read; their holds are released as orphans. If that fails, they are
 * claimed again when the lease expires.
 */
export const makeSetAside = (changing: (id: string) => void) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const commits = yield* Commits
    const changes = yield* TaskChanges
    const fail = (token: string, inHand: ReadonlyArray<string>, nowMs: number) => sql`UPDATE tasks
    SET state = 'failed', error = ${JSON.stringify(error)}, ended_at = ${nowMs}, updated_at = ${nowMs},
      changes = changes + 1, lease_token = NULL, lease_owner = NULL
    WHERE lease_token = ${token} ${inHand.length === 0 ? sql`` : sql`AND NOT ${sql.in("id", inHand)}`}
    RETURNING id`
    return (token: string, inHand: ReadonlyArray<string>, nowMs: number): Effect.Effect<void> => {
      const failed = Effect.gen(function* () {
        const all = named.all(yield* fail(token, inHand, nowMs)).map(({ id }) => id)
        for (const id of all) changing(id)
        if (all.length > 0) yield* sql`DELETE FROM task_requests WHERE ${sql.in("task_id", all)}`
        return all.length
      })
      return commits.commit(failed).pipe(
        Effect.map((count) => {
          changes.unreadable(count)
          // Other tasks may be due behind them.
          changes.bells.due.ring()
        }),
        Effect.catchAllCause((cause) => Effect.logWarning("unreadable tasks were not set aside", cause))
      )
    }
  })

const named = rows("tasks", { id: Schema.String })
