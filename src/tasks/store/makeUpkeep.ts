import { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import { Commits } from "../../sql/Commits.ts"
import { rows } from "../../sql/decode.ts"
import { removedSubmits } from "./removedSubmits.ts"
import { orStoreFailure } from "../StoreFailure.ts"
import type { TaskStorage } from "../TaskStorage.ts"

/** Counts tasks across accounts, and removes them. */
export const makeUpkeep = (changing: (id: string) => void) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const commits = yield* Commits

    const idsOf = (found: ReadonlyArray<unknown>): ReadonlyArray<string> =>
      named.all(found).map(({ id }) => {
        changing(id)
        return id
      })

    const purge: TaskStorage["purge"] = (endedBeforeMs, limit) => {
      const ended = sql`DELETE FROM tasks WHERE id IN (SELECT id FROM tasks
        WHERE ended_at IS NOT NULL AND ended_at < ${endedBeforeMs} ORDER BY ended_at LIMIT ${limit}) RETURNING id`
      const purged = Effect.map(ended, (found) => idsOf(found).length)
      const submits = removedSubmits(sql).purge(endedBeforeMs)
      return orStoreFailure(Effect.zipLeft(commits.commit(purged), commits.commit(submits)))
    }

    const erase: TaskStorage["erase"] = (account, limit) =>
      Effect.map(
        orStoreFailure(sql`DELETE FROM tasks WHERE id IN
          (SELECT id FROM tasks WHERE account_id = ${account} LIMIT ${limit}) RETURNING id`),
        idsOf
      )

    const active: TaskStorage["active"] = Effect.map(
      orStoreFailure(sql`SELECT kind, state, COUNT(*) AS n, MIN(created_at) AS oldest
        FROM (SELECT kind, state, created_at FROM tasks WHERE ended_at IS NULL LIMIT 100000) AS counted
        GROUP BY kind, state`),
      counted.all
    )

    const open: TaskStorage["open"] = (ids) =>
      ids.length === 0
        ? Effect.succeed(new Set<string>())
        : Effect.map(
            orStoreFailure(sql`SELECT id FROM tasks WHERE ${sql.in("id", ids)} AND ended_at IS NULL`),
            (found) => new Set(named.all(found).map(({ id }) => id))
          )

    const unfinished: TaskStorage["unfinished"] = (account) =>
      Effect.map(
        orStoreFailure(sql`SELECT COUNT(*) AS n FROM tasks WHERE account_id = ${account} AND ended_at IS NULL`),
        (found) => numbers.first(found)?.n ?? 0
      )

    const changedSince: TaskStorage["changedSince"] = (sinceMs) =>
      Effect.map(
        orStoreFailure(sql`SELECT id, account_id, state, updated_at FROM tasks WHERE ended_at IS NULL AND updated_at >= ${sinceMs}
          UNION ALL SELECT id, account_id, state, updated_at FROM tasks WHERE ended_at >= ${sinceMs} LIMIT 1000`),
        (found) =>
          changes.all(found).map(({ account_id, id, state, updated_at }) => ({
            id,
            account: account_id,
            state,
            updatedAtMs: updated_at
          }))
      )

    const heldByNodes: TaskStorage["heldByNodes"] = Effect.map(
      orStoreFailure(
        sql`SELECT lease_owner AS node, COUNT(*) AS n FROM tasks WHERE lease_token IS NOT NULL GROUP BY lease_owner`
      ),
      (found) => new Map(held.all(found).map(({ n, node }) => [node, n]))
    )

    return { purge, erase, active, open, unfinished, changedSince, heldByNodes } as const
  })

const named = rows("tasks", { id: Schema.String })
const numbers = rows("tasks", { n: Schema.Int })
const counted = rows("tasks", { kind: Schema.String, state: Schema.String, n: Schema.Int, oldest: Schema.Int })
const held = rows("tasks", { node: Schema.String, n: Schema.Int })
const changes = rows("tasks", {
  id: Schema.String,
  account_id: Schema.String,
  state: Schema.String,
  updated_at: Schema.Int
})
