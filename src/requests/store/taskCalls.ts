import type { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import type { Fragment } from "@effect/sql/Statement"
import { Effect, Schema } from "effect"
import { CallOutcome } from "../../contract/records/CallOutcome.ts"
import { rows } from "../../sql/decode.ts"
import type { AttemptCounts } from "../attemptCounts.ts"

const shown = {
  request_id: Schema.String,
  at: Schema.Int,
  upstream: Schema.String,
  upstream_model: Schema.String,
  upstream_key: Schema.String,
  outcome: CallOutcome,
  status: Schema.NullOr(Schema.Int),
  error: Schema.String,
  duration_ms: Schema.Int,
  calls: Schema.Int
}
const stored = rows("task_calls", shown)
/** A task's call to an upstream. */
export type StoredCall = ReturnType<typeof stored.one>

const counted = rows("task_calls", {
  upstream: Schema.String,
  attempts: Schema.Int,
  failed_attempts: Schema.Int,
  hidden_failures: Schema.Int,
  outpaced_attempts: Schema.Int
})
const ids = rows("task_calls", { id: Schema.Int })

/** Calls per request that are shown, and per upstream that are read for percentiles. */
const [mostShown, mostSeen] = [100, 20_000]

interface Span {
  readonly fromMs: number
  /** Exclusive. */
  readonly toMs: number
}

/** Reads the calls of tasks, and deletes old ones. */
export const taskCalls = (sql: SqlClient.SqlClient) => {
  const columns = sql.literal(Object.keys(shown).join(", "))

  /** Of the tasks that these requests created, oldest first. */
  const ofRequests = (
    requestIds: ReadonlyArray<string>
  ): Effect.Effect<ReadonlyMap<string, ReadonlyArray<StoredCall>>, SqlError> =>
    requestIds.length === 0
      ? Effect.succeed(new Map())
      : Effect.map(
          sql`SELECT ${columns} FROM task_calls WHERE request_id <> '' AND ${sql.in("request_id", requestIds)}
            ORDER BY at, id LIMIT ${mostShown * requestIds.length}`,
          (found) => Map.groupBy(stored.all(found), ({ request_id }) => request_id)
        )

  /** Counts by upstream. @param where conditions on `account_id`, `key_id`, `model` and `upstream` */
  const counts = (
    { fromMs, toMs }: Span,
    where: ReadonlyArray<Fragment>,
    add: (upstream: string, counts: AttemptCounts) => void
  ): Effect.Effect<void, SqlError> =>
    Effect.map(
      sql`SELECT upstream, ${sql.literal(sums)} FROM task_calls
        WHERE ${sql.and([sql`at >= ${fromMs}`, sql`at < ${toMs}`, ...where])} GROUP BY upstream`,
      (found) => {
        for (const { upstream, ...sums } of counted.all(found)) add(upstream, sums)
      }
    )

  /** The latest calls of a span, without answered reads of a task's state. */
  const each = (
    { fromMs, toMs }: Span,
    where: ReadonlyArray<Fragment>
  ): Effect.Effect<ReadonlyArray<StoredCall>, SqlError> =>
    Effect.map(
      sql`SELECT ${columns} FROM task_calls
        WHERE ${sql.and([sql`request_id <> ''`, sql`at >= ${fromMs}`, sql`at < ${toMs}`, ...where])}
        ORDER BY at DESC LIMIT ${mostSeen}`,
      stored.all
    )

  /** Deletes up to `batch` of the rows before a time. Returns their ids. */
  const old = (beforeMs: number, batch: number) =>
    sql`DELETE FROM task_calls WHERE id IN (SELECT id FROM task_calls WHERE at < ${beforeMs}
      ORDER BY at LIMIT ${batch}) RETURNING id`

  return { ofRequests, counts, each, old, ids } as const
}

const sum = (of: string) => `CAST(SUM(${of}) AS BIGINT)`
const sums = [
  `${sum("calls")} AS attempts`,
  `${sum("CASE WHEN outcome IN ('failed', 'cut') THEN 1 ELSE 0 END")} AS failed_attempts`,
  `${sum("hidden")} AS hidden_failures`,
  `${sum("CASE WHEN outcome = 'outpaced' THEN calls ELSE 0 END")} AS outpaced_attempts`
].join(", ")
