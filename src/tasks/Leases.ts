import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Clock, Duration, Effect } from "effect"
import { Commits } from "../sql/Commits.ts"
import { prepared } from "../sql/prepared.ts"
import { CrashPoints } from "./CrashPoints.ts"
import { isTerminal, isUnheard, patched } from "./Task.ts"
import type { Task } from "./Task.ts"
import { LeaseLost } from "./TaskKind.ts"
import type { Rivals, Turn } from "./TaskKind.ts"
import type { TaskPatch } from "./Task.ts"
import { patchedColumns, toTask } from "./TaskRow.ts"
import type { TaskRow } from "./TaskRow.ts"
import { LeaseTime } from "./TaskSettings.ts"
import { TaskStore } from "./TaskStore.ts"

/** Submits within this of each other may have made each other's videos: longer than any submit takes. */
const rivalryMs = Duration.toMillis("5 minutes")
/** Their requests are read whole, with images in them perhaps. */
const mostRivals = 20

/** A task in the hands of one worker. `task` follows what it writes. */
export interface Held {
  task: Task
  readonly token: string
}

/** A lane with active tasks, and when its next one is due. */
export interface LaneDue {
  readonly lane: string
  readonly due: number
}

/**
 * Tasks as their workers see them. Every write names the lease's token, so a worker that was paused for longer than its
 * lease, or whose task was ended meanwhile, changes nothing.
 */
export class Leases extends Effect.Service<Leases>()("gateway/tasks/Leases", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const commits = yield* Commits
    const store = yield* TaskStore
    const crash = yield* CrashPoints
    const leaseMs = Duration.toMillis(yield* LeaseTime)
    const owner = crypto.randomUUID()
    let claims = 0
    const skipLocked = sql.onDialectOrElse({
      pg: () => sql.literal("FOR UPDATE SKIP LOCKED"),
      orElse: () => sql.literal("")
    })
    const claimRows = prepared<TaskRow>(
      sql,
      sql`UPDATE tasks SET
          attempts = attempts + CASE WHEN lease_token IS NOT NULL AND lease_owner <> ${owner} THEN 1 ELSE 0 END,
          lease_token = ${""}, lease_owner = ${owner}, next_run_at = ${0}
        WHERE id IN (SELECT id FROM tasks WHERE ended_at IS NULL AND lane = ${""} AND next_run_at <= ${0}
          ORDER BY next_run_at LIMIT ${0} ${skipLocked})
        RETURNING *`
    )
    const deleteRequest = prepared(sql, sql`DELETE FROM task_requests WHERE task_id = ${""}`)

    /**
     * Takes up to `limit` due tasks of a lane. One statement, so two workers never take the same row: SQLite runs one
     * writer at a time; Postgres needs SKIP LOCKED, or claimers would queue behind each other's rows. A row that is due
     * and still has a token was left by a worker that died (or, if it was ours, by one that could not give it back).
     * It commits by itself, at once: in line behind the group's waiting writes it took three times as long. A power cut
     * that undoes it takes whoever claimed with it; what a worker writes later is only durable if its claim is.
     */
    const claim = (lane: string, limit: number): Effect.Effect<ReadonlyArray<Held>, SqlError> =>
      Effect.flatMap(Clock.currentTimeMillis, (nowMs) => {
        const token = `${owner}:${claims++}`
        return Effect.map(
          commits.statementNow(claimRows([owner, token, owner, nowMs + leaseMs, lane, nowMs, limit])),
          (rows) => rows.map((row) => ({ task: toTask(row), token }))
        )
      })

    /** Holds on to tasks for another lease; answers the ids that are still held. */
    const renew = (held: ReadonlyArray<Held>): Effect.Effect<ReadonlySet<string>, SqlError> =>
      Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
        Effect.map(
          commits.statementBehind(sql<{ id: string }>`UPDATE tasks SET next_run_at = ${nowMs + leaseMs}
            WHERE ${sql.in(
              "id",
              held.map((one) => one.task.id)
            )} AND lease_owner = ${owner}
            AND ${sql.in("lease_token", [...new Set(held.map((one) => one.token))])} RETURNING id`),
          (rows) => new Set(rows.map((row) => row.id))
        )
      )

    const updates = new Map<string, ReturnType<typeof prepared<{ id: string }>>>()
    /** The update of these columns; there are no more combinations than ways to end a turn. */
    const updateOf = (columns: Record<string, unknown>) => {
      const names = Object.keys(columns).join()
      const known = updates.get(names)
      if (known !== undefined) return known
      const update = prepared(
        sql,
        sql<{
          id: string
        }>`UPDATE tasks SET ${sql.update(columns)} WHERE id = ${""} AND lease_token = ${""} RETURNING id`
      )
      updates.set(names, update)
      return update
    }

    const fenced = (held: Held, columns: Record<string, unknown>) =>
      Effect.flatMap(updateOf(columns)([...Object.values(columns), held.task.id, held.token]), (rows) =>
        rows.length > 0 ? Effect.void : new LeaseLost({ id: held.task.id })
      )

    const stored = (held: Held, patch: TaskPatch, release: Record<string, unknown>) =>
      Effect.flatMap(Clock.currentTimeMillis, (nowMs) => {
        const before = held.task
        const task = patched(before, patch, nowMs)
        const ended = isTerminal(task.state)
        const stateChanged = task.changes !== before.changes
        const columns = {
          updated_at: task.updatedAtMs,
          ...patchedColumns(task, before),
          ...release,
          ...(ended ? { lease_token: null, lease_owner: null } : {})
        }
        // The upstream has what it was asked, or nobody will ask again: but for what it may have made without a word,
        // which others must be able to tell from theirs.
        const letGo = (ended && !isUnheard(task)) || (before.upstreamId === null && task.upstreamId !== null)
        const update = Effect.suspend(() => {
          store.changing(task.id)
          return fenced(held, columns)
        })
        const write =
          stateChanged || letGo
            ? commits.write(
                update.pipe(
                  Effect.zipRight(letGo ? deleteRequest([task.id]) : Effect.void),
                  Effect.zipRight(stateChanged ? store.changed(task) : Effect.void),
                  Effect.zipRight(crash.at("writing"))
                )
              )
            : // When a task is looked at again may be forgotten: it is then looked at sooner.
              isOnlyWhen(patch)
              ? commits.statementBehind(update)
              : commits.statement(update)
        return Effect.map(write, () => {
          held.task = task
          if (stateChanged) store.committed(task)
          return task
        })
      })

    /** Stores a patch and keeps the task. */
    const write = (held: Held, patch: TaskPatch): Effect.Effect<Task, LeaseLost | SqlError> => stored(held, patch, {})

    /** Ends a turn: the patch, and the task given back until the next one. A turn that came this far did not crash. */
    const settle = (held: Held, turn: Turn): Effect.Effect<Task, LeaseLost | SqlError> =>
      Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
        stored(held, turn.patch, {
          attempts: 0,
          lease_token: null,
          lease_owner: null,
          next_run_at: nowMs + turn.againInMs
        })
      )

    /** Gives a task back as it is; `crashed` counts an attempt. */
    const release = (
      held: Held,
      options: { readonly crashed: boolean; readonly againInMs: number }
    ): Effect.Effect<void, LeaseLost | SqlError> =>
      Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
        commits.statementBehind(
          fenced(held, {
            attempts: held.task.attempts + (options.crashed ? 1 : 0),
            lease_token: null,
            lease_owner: null,
            next_run_at: nowMs + options.againInMs
          })
        )
      )

    /** Answered from two indexes that hold no more than the tasks with an id, and those that were submitted and got none. */
    const rivals = (
      task: Task,
      upstreamIds: ReadonlyArray<string>,
      submitAtMs: number
    ): Effect.Effect<Rivals, SqlError> =>
      Effect.gen(function* () {
        if (upstreamIds.length === 0) return { taken: new Set<string>(), unheard: [] }
        const taken = yield* sql<{ upstream_id: string }>`SELECT upstream_id FROM tasks
          WHERE ${sql.in("upstream_id", upstreamIds)} AND lane = ${task.lane} AND id <> ${task.id}`
        const unheard = yield* sql<{ request: string | null }>`SELECT request FROM tasks
          LEFT JOIN task_requests ON task_id = id
          WHERE lane = ${task.lane} AND submit_at IS NOT NULL AND upstream_id IS NULL AND id <> ${task.id}
          AND submit_at BETWEEN ${submitAtMs - rivalryMs} AND ${submitAtMs + rivalryMs} LIMIT ${mostRivals + 1}`
        return {
          taken: new Set(taken.map((row) => row.upstream_id)),
          // Of so many nobody can tell one from another.
          unheard:
            unheard.length > mostRivals ? [null] : unheard.map(({ request }) => (request ? JSON.parse(request) : null))
        }
      })

    /** What the task was asked to do; null once let go. */
    const request = (id: string): Effect.Effect<unknown, SqlError> =>
      Effect.map(sql<{ request: string }>`SELECT request FROM task_requests WHERE task_id = ${id}`, (rows): unknown =>
        rows[0] === undefined ? null : JSON.parse(rows[0].request)
      )

    /**
     * Makes the tasks of every other worker due. Only where this process is known to be the only one, which on SQLite the
     * lock on the database file says; on Postgres a dead node's leases run out. A task that has seen several workers die
     * waits a moment: whichever of them it is that kills, the others get time to end without it.
     */
    const takeOver: Effect.Effect<number, SqlError> = sql.onDialectOrElse({
      sqlite: () =>
        Effect.flatMap(Clock.currentTimeMillis, (nowMs) => {
          const due = sql`${nowMs} + CASE WHEN attempts < 2 THEN 0 WHEN attempts = 2 THEN 500
            WHEN attempts = 3 THEN 1000 ELSE 1800 END`
          return Effect.map(
            commits.statement(sql<{ id: string }>`UPDATE tasks SET next_run_at = ${due}
              WHERE ended_at IS NULL AND lease_token IS NOT NULL AND lease_owner <> ${owner}
              AND next_run_at > ${due} RETURNING id`),
            (rows) => rows.length
          )
        }),
      orElse: () => Effect.succeed(0)
    })

    /** Every lane with active tasks. Hops from lane to lane in the index, however many tasks wait in each. */
    const lanes: Effect.Effect<ReadonlyArray<LaneDue>, SqlError> = sql<LaneDue>`
      WITH RECURSIVE lanes (lane) AS (
        SELECT MIN(lane) FROM tasks WHERE ended_at IS NULL
        UNION ALL
        SELECT (SELECT MIN(lane) FROM tasks WHERE ended_at IS NULL AND lane > lanes.lane)
        FROM lanes WHERE lanes.lane IS NOT NULL
      )
      SELECT lane, (SELECT MIN(next_run_at) FROM tasks WHERE ended_at IS NULL AND lane = lanes.lane) AS due
      FROM lanes WHERE lane IS NOT NULL`

    /** How long ago the oldest lease ran out that nobody took over, in ms; 0 where there is none. */
    const oldestExpiredLeaseMs: Effect.Effect<number, SqlError> = Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
      Effect.map(
        sql<{ oldest: number | null }>`SELECT MIN(next_run_at) AS oldest FROM tasks WHERE lease_token IS NOT NULL`,
        (rows) => Math.max(0, nowMs - (rows[0]?.oldest ?? nowMs))
      )
    )

    return {
      owner,
      leaseMs,
      rivals,
      claim,
      renew,
      write,
      settle,
      release,
      request,
      takeOver,
      lanes,
      oldestExpiredLeaseMs
    } as const
  })
}) {}

/** It says nothing of the work itself. */
const isOnlyWhen = (patch: TaskPatch): boolean => {
  for (const name in patch) if (name !== "tries" && name !== "state") return false
  return true
}
