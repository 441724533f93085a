import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Clock, Effect, Schema } from "effect"
import { rows } from "../../sql/decode.ts"
import type { StoreFailure } from "../../tasks/StoreFailure.ts"
import { TaskStore } from "../../tasks/TaskStore.ts"
import { UnitOfWork } from "../../tasks/UnitOfWork.ts"

/**
 * Tables whose rows are deleted with an account, with their primary keys; callbacks, inputs, items and events cascade. A
 * test finds tables that are neither here nor in `staying`.
 */
export const erased = {
  responses: ["id"],
  conversations: ["id"],
  chat_completions: ["id"],
  tasks: ["id"],
  requests: ["id"],
  task_calls: ["id"],
  tool_calls: ["id"],
  kept_answers: ["id"],
  idempotency_claims: ["account_id", "endpoint", "idempotency_key"],
  tool_rounds: ["owner", "round"],
  thread_turns: ["account_id", "id"],
  reasoning_seals: ["account_id", "call_id"],
  upstream_ids: ["upstream", "id"],
  sessions: ["id"],
  request_bodies: ["request_id"]
} as const

/**
 * Tables that keep usage and payments, without content (end users and tags of budgets are hashes there), or whose rows go
 * with a task or response (`deliveries`, `response_items`) or within minutes (`device_grants`, files, batches).
 */
export const staying = [
  "keys",
  "grants",
  "usage",
  "usage_days",
  "usage_hours",
  "usage_unsummed",
  "holds",
  "node_holds",
  "budget_counters",
  "node_budgets",
  "request_days",
  "request_hours",
  "deliveries",
  "device_grants",
  "response_items",
  "batches",
  "stored_files",
  "stored_file_sums"
] as const

type Table = keyof typeof erased
const tables = Object.keys(erased).filter((name): name is Exclude<Table, "tasks"> => name in erased && name !== "tasks")

type Long = "requests" | "task_calls"
const isLong = (table: Table): table is Long => table === "requests" || table === "task_calls"

/** Rows deleted per statement, and ids of long tables scanned per statement, so that other writes get in between. */
const [batch, stretch] = [500, 50_000]

/** Deletes an account's stored data. */
export class Erasure extends Effect.Service<Erasure>()("gateway/admin/store/Erasure", {
  dependencies: [UnitOfWork.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const store = yield* TaskStore
    const unit = yield* UnitOfWork

    /** Marks the copies of these tasks' videos as due; the custody daemon removes them. */
    const releaseFiles = (tasks: ReadonlyArray<string>): Effect.Effect<number, SqlError> =>
      tasks.length === 0
        ? Effect.succeed(0)
        : Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
            Effect.map(
              sql`UPDATE custody SET source = NULL, due_at = ${nowMs} WHERE ${sql.in("task_id", tasks)} RETURNING task_id`,
              (affected) => affected.length
            )
          )

    /** Hides the account's files; the daemon of files removes them. */
    const hideStored = (account: string): Effect.Effect<number, SqlError> =>
      Effect.map(
        sql`UPDATE stored_files SET state = 'removing', due_at = 0 WHERE account_id = ${account} RETURNING id`,
        (affected) => affected.length
      )

    /** Hides the account's batches; the daemon of batches removes them with their lines. */
    const hideBatches = (account: string): Effect.Effect<number, SqlError> =>
      Effect.map(
        sql`UPDATE batches SET due_at = 0 WHERE account_id = ${account} RETURNING id`,
        (affected) => affected.length
      )

    const someTasks = (account: string) =>
      unit.commit(
        Effect.flatMap(store.erase(account, batch), (ids) =>
          Effect.map(releaseFiles(ids), (files) => ({ tasks: ids.length, files }))
        )
      )

    const allTasks = (account: string) =>
      Effect.iterate(
        { tasks: 0, files: 0, last: batch },
        {
          while: ({ last }) => last === batch,
          body: ({ files, tasks }) =>
            Effect.map(Effect.zipLeft(someTasks(account), Effect.yieldNow()), (some) => ({
              tasks: tasks + some.tasks,
              files: files + some.files,
              last: some.tasks
            }))
        }
      )

    const some = (table: Exclude<Table, "tasks">, account: string): Effect.Effect<number, SqlError> => {
      const key = sql.literal(erased[table].join(", "))
      return Effect.map(
        sql`DELETE FROM ${sql(table)} WHERE (${key}) IN
          (SELECT ${key} FROM ${sql(table)} WHERE account_id = ${account} LIMIT ${batch}) RETURNING account_id`,
        (affected) => affected.length
      )
    }

    const all = (table: Exclude<Table, "tasks">, account: string): Effect.Effect<number, SqlError> =>
      Effect.iterate(
        { removed: 0, last: batch },
        {
          while: ({ last }) => last === batch,
          body: ({ removed }) =>
            Effect.map(Effect.zipLeft(some(table, account), Effect.yieldNow()), (last) => ({
              removed: removed + last,
              last
            }))
        }
      ).pipe(Effect.map(({ removed }) => removed))

    /** Tables that may have millions of rows and no index by account: scans one once, a stretch at a time. */
    const allOfLong = (table: Long, account: string): Effect.Effect<number, SqlError> =>
      Effect.gen(function* () {
        const from = sql(table)
        const { first, last } = ends.first(
          yield* sql`SELECT COALESCE((SELECT MIN(id) FROM ${from}), 0) AS first, COALESCE((SELECT MAX(id) FROM ${from}), -1) AS last`
        ) ?? { first: 0, last: -1 }
        let removed = 0
        for (let begin = first; begin <= last; begin += stretch) {
          const affected = yield* sql`DELETE FROM ${from}
            WHERE id >= ${begin} AND id < ${begin + stretch} AND account_id = ${account} RETURNING id`
          removed += affected.length
          yield* Effect.yieldNow()
        }
        return removed
      })

    /** Deletes in batches, each its own transaction. After a crash, the next call deletes the rest. */
    const erase = (
      account: string
    ): Effect.Effect<Readonly<Record<Table | "batches" | "files", number>>, SqlError | StoreFailure> =>
      Effect.gen(function* () {
        const { files, tasks } = yield* allTasks(account)
        const stored = yield* hideStored(account)
        const batches = yield* hideBatches(account)
        const removed = yield* Effect.forEach(tables, (table) =>
          Effect.map(
            isLong(table) ? allOfLong(table, account) : all(table, account),
            (count) => [table, count] as const
          )
        )
        return { ...none, ...Object.fromEntries(removed), batches, tasks, files: files + stored }
      })

    return { erase } as const
  })
}) {}

const none = {
  responses: 0,
  conversations: 0,
  chat_completions: 0,
  tasks: 0,
  requests: 0,
  task_calls: 0,
  tool_calls: 0,
  kept_answers: 0,
  idempotency_claims: 0,
  tool_rounds: 0,
  thread_turns: 0,
  reasoning_seals: 0,
  upstream_ids: 0,
  sessions: 0,
  request_bodies: 0
}

const ends = rows("requests", { first: Schema.Int, last: Schema.Int })
