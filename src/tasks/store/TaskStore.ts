import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Clock, Effect, Exit, Option, Schema } from "effect"
import { NamedSlots } from "../../flow/NamedSlots.ts"
import type { AccountId } from "../../contract/Caller.ts"
import type { NotFound } from "../../contract/Failure.ts"
import { writtenAs } from "../../contract/Written.ts"
import { testDouble, unsupplied } from "../../contract/testDouble.ts"
import { Commits } from "../../sql/Commits.ts"
import { rows } from "../../sql/decode.ts"
import { prepared, preparedAhead } from "../../sql/prepared.ts"
import { Notices } from "../../sql/Notices.ts"
import { CurrentTracing } from "../../telemetry/tracing/Tracing.ts"
import { Outbox } from "../Outbox.ts"
import type { TaskChange } from "../Outbox.ts"
import type { NewTask, Task, TaskError, TaskState } from "../Task.ts"
import { isTerminal, isUnheard } from "../Task.ts"
import { TaskKinds } from "../TaskKind.ts"
import { activeTasks } from "./activeTasks.ts"
import { anyTask, created, newColumns, readableTasks } from "./TaskRow.ts"
import { foundTask } from "./outline.ts"
import type { TaskListing } from "./TaskListing.ts"
import { removedSubmits } from "./removedSubmits.ts"
import { makeChangeLog } from "./changeLog.ts"
import { makeWake } from "../Wake.ts"

/** How long after its hold a task may be stored, in ms; one that comes later fails. */
const longestInsert = 60_000

export interface Expired {
  readonly expired: ReadonlyArray<Task>
  readonly nextMs: Option.Option<number>
}

/** How many rendered tasks are kept, and how long each may be in characters: ten megabytes or so at most. */
const mostKept = 4_096
const maxKept = 4_096

/** Tasks as their families see them: made, read, listed, ended, removed. What a worker does goes through `Leases`. */
export class TaskStore extends Effect.Service<TaskStore>()("gateway/tasks/store/TaskStore", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const commits = yield* Commits
    const outbox = yield* Outbox
    const kinds = yield* TaskKinds
    const tracing = yield* CurrentTracing
    const notices = yield* Notices
    const { tell, unreadable } = yield* makeChangeLog
    const due = makeWake()
    const deadlines = makeWake()
    let nextDeadlineMs = 0

    const removed = removedSubmits(sql)
    const insertTask = preparedAhead(sql, sql`INSERT INTO tasks ${sql.insert(newColumns(anyTask))}`)
    const insertRequest = preparedAhead(sql, sql`INSERT INTO task_requests ${sql.insert({ task_id: "", request: "" })}`)
    const updateCost = preparedAhead(sql, sql`UPDATE tasks SET cost_nano_usd = ${0} WHERE id = ${""}`)
    const selectTask = prepared(sql, sql`SELECT * FROM tasks WHERE id = ${""} AND account_id = ${""} AND kind = ${""}`)

    const changeOf = (task: Task): TaskChange => ({ task, record: () => kinds.get(task.kind)?.record(task) ?? {} })

    /** Follows a change of state, in the transaction that makes the change. */
    const changed = (task: Task): Effect.Effect<void, SqlError> => {
      const also = kinds.get(task.kind)?.changed
      const recorded = outbox.record(changeOf(task))
      if (also === undefined) return recorded
      const paid = Effect.flatMap(also(task), (nanoUsd) =>
        nanoUsd === 0 ? Effect.void : updateCost([nanoUsd, task.id])
      )
      return Effect.zipRight(paid, recorded)
    }
    const committed = (task: Task) => {
      if (tracing !== undefined && isTerminal(task.state)) tracing.ended(task)
      tell(task)
      outbox.committed(changeOf(task))
    }

    /**
     * Stores a new task; it is durable when this succeeds. `alongside` happens in the same transaction and before it: a
     * task whose hold fails is never there. `behind` is what belongs to the task.
     */
    const insert = <E = never>(
      task: NewTask,
      alongside: Effect.Effect<unknown, E> = Effect.void,
      behind: Effect.Effect<unknown, SqlError> = Effect.void
    ): Effect.Effect<Task, E | SqlError> => {
      const stored = created(task)
      const columns = Object.values(newColumns(stored))
      const request = JSON.stringify(task.request)
      const statements = alongside.pipe(
        Effect.zipRight(insertTask(columns)),
        Effect.zipRight(insertRequest([stored.id, request])),
        Effect.zipRight(behind),
        Effect.zipRight(outbox.record({ ...changeOf(stored), notBeforeMs: task.quietUntilMs }))
      )
      return Effect.map(commits.write(statements), () => {
        due.ring()
        if (stored.expiresAtMs !== null && stored.expiresAtMs < nextDeadlineMs) deadlines.ring()
        committed(stored)
        tracing?.made(stored)
        return stored
      })
    }

    /** A task of this account and kind; another account's looks like none. */
    const find = (account: AccountId, kind: string, id: string): Effect.Effect<Option.Option<Task>, SqlError> =>
      Effect.flatMap(selectTask([id, account, kind]), (found) => foundTask(found, kinds.get(kind)))

    const isAlone = sql.onDialectOrElse({ sqlite: () => true, orElse: () => false })
    /** Counts the changes that have begun, so that what was read before one is not kept after it. */
    let begun = 0
    const forgetters: Array<(id: string) => void> = []

    /** To be called in the transaction that changes what a task shows, before it commits: nobody reads until it has. */
    const changing = (id: string) => {
      begun++
      for (const forget of forgetters) forget(id)
    }

    /**
     * Reads tasks of a kind as their owners see them. Whoever waits for a task asks for it again and again, and mostly
     * it is as it was: the last few thousand are kept until they change, and answered without a fiber. Only where one
     * process makes all the changes, as it does with SQLite.
     */
    const reader = <A extends object>(
      kind: string,
      render: (task: Task) => A,
      missing: (id: string) => NotFound
    ): ((account: AccountId, id: string) => Effect.Effect<A, NotFound>) => {
      const known = new NamedSlots<{ readonly account: AccountId; readonly success: Exit.Exit<A> }>()
      forgetters.push((id) => void known.delete(id))
      const read = (account: AccountId, id: string) =>
        Effect.suspend(() => {
          const asked = begun
          return Effect.flatMap(Effect.orDie(find(account, kind, id)), (found) => {
            if (Option.isNone(found)) return Effect.fail(missing(id))
            const shown = render(found.value)
            const json = JSON.stringify(shown)
            const success = Exit.succeed(writtenAs(shown, json))
            if (isAlone && asked === begun && json.length < maxKept) {
              if (known.size >= mostKept) known.delete(known.oldest ?? "")
              known.set(id, { account, success })
            }
            return success
          })
        })
      return (account, id) => {
        const kept = known.get(id)
        return kept?.account === account ? kept.success : read(account, id)
      }
    }

    const filters = (page: TaskListing) =>
      sql.and([
        sql`account_id = ${page.account}`,
        sql`kind = ${page.kind}`,
        sql`created_at >= ${page.sinceMs}`,
        ...(page.states === undefined ? [] : [sql.in("state", page.states)]),
        ...(page.ids === undefined ? [] : [sql.in("id", page.ids)]),
        ...(page.model === undefined ? [] : [sql`model = ${page.model}`]),
        ...(page.tier === undefined ? [] : [sql`tier = ${page.tier}`])
      ])

    /** One page of an account's tasks, newest first, and how many there are in all. */
    const list = (page: TaskListing): Effect.Effect<{ total: number; tasks: ReadonlyArray<Task> }, SqlError> =>
      Effect.all({
        total: Effect.map(
          sql`SELECT COUNT(*) AS n FROM tasks WHERE ${filters(page)}`,
          (found) => counted.first(found)?.n ?? 0
        ),
        tasks: Effect.flatMap(
          sql`SELECT * FROM tasks WHERE ${filters(page)}
            ORDER BY created_at DESC, id DESC LIMIT ${page.limit} OFFSET ${page.offset}`,
          readableTasks
        )
      })

    /**
     * Ends a task whoever holds it: the holder's lease is gone, so its later writes change nothing. Answers none where it
     * had ended already, or is not in one of `from`.
     */
    const end = (
      id: string,
      state: "cancelled" | "expired" | "failed",
      options: {
        readonly unsubmitted?: boolean
        readonly from?: ReadonlyArray<TaskState>
        readonly error?: TaskError
      } = {}
    ): Effect.Effect<Option.Option<Task>, SqlError> =>
      Effect.flatMap(Clock.currentTimeMillis, (nowMs) => {
        const error = options.error === undefined ? null : JSON.stringify(options.error)
        const statements = Effect.gen(function* () {
          changing(id)
          const rows = yield* sql`UPDATE tasks SET state = ${state}, error = ${error}, ended_at = ${nowMs},
            updated_at = CASE WHEN updated_at > ${nowMs} THEN updated_at ELSE ${nowMs} END, changes = changes + 1, lease_token = NULL, lease_owner = NULL
            WHERE id = ${id} AND ended_at IS NULL AND ${sql.and([
              ...(options.unsubmitted === true ? [sql`submit_at IS NULL AND upstream_id IS NULL`] : []),
              sql.in("state", options.from ?? ["queued", "running"])
            ])} RETURNING *`
          const ended = Option.fromNullable((yield* readableTasks(rows))[0])
          if (Option.isNone(ended)) {
            // One that nobody can read has ended all the same.
            if (rows.length > 0) unreadable(rows.length)
            return ended
          }
          if (!isUnheard(ended.value)) yield* sql`DELETE FROM task_requests WHERE task_id = ${id}`
          yield* changed(ended.value)
          return ended
        })
        return Effect.tap(commits.write(statements), (ended) =>
          Effect.sync(() => {
            if (Option.isNone(ended)) return
            committed(ended.value)
            notices.tell("tasks.ended", id)
          })
        )
      })

    /** Removes an ended task; false where there is none. */
    const remove = (account: AccountId, kind: string, id: string): Effect.Effect<boolean, SqlError> => {
      const task = sql`id = ${id} AND account_id = ${account} AND kind = ${kind} AND ended_at IS NOT NULL`
      const statements = Effect.suspend(() => {
        changing(id)
        return Effect.zipRight(removed.keep(task), sql`DELETE FROM tasks WHERE ${task} RETURNING id`)
      })
      return Effect.map(commits.write(statements), (rows) => rows.length > 0)
    }

    /** Ends every task whose time is over; answers them and when the next deadline is. */
    const expireDue: Effect.Effect<Expired, SqlError> = Effect.gen(function* () {
      const nowMs = yield* Clock.currentTimeMillis
      // A deadline that is stored while this looks rings the bell, whatever it is.
      nextDeadlineMs = Infinity
      const late = yield* sql`SELECT id FROM tasks
        WHERE ended_at IS NULL AND expires_at IS NOT NULL AND expires_at <= ${nowMs} ORDER BY expires_at LIMIT 200`
      const ended = yield* Effect.forEach(named.all(late), (row) => end(row.id, "expired"), {
        concurrency: "unbounded"
      })
      const next = earliest.first(
        yield* sql`SELECT MIN(expires_at) AS at FROM tasks WHERE ended_at IS NULL AND expires_at IS NOT NULL`
      )
      nextDeadlineMs = next?.at ?? Infinity
      return { expired: ended.flatMap(Option.toArray), nextMs: Option.fromNullable(next?.at) }
    })

    /** Removes up to `limit` tasks that ended before a time; answers how many there were. */
    const purge = (endedBeforeMs: number, limit: number): Effect.Effect<number, SqlError> => {
      const ended = sql`DELETE FROM tasks WHERE id IN (SELECT id FROM tasks
        WHERE ended_at IS NOT NULL AND ended_at < ${endedBeforeMs} ORDER BY ended_at LIMIT ${limit}) RETURNING id`
      const purged = Effect.map(ended, (rows) => named.all(rows).map((row) => changing(row.id)).length)
      return Effect.zipLeft(commits.statement(purged), commits.statement(removed.purge(endedBeforeMs)))
    }

    /** Some of the holds whose tasks have ended or are gone, or never came, by their ids, which are the tasks'. */
    const orphanedHolds = (limit: number): Effect.Effect<ReadonlyArray<string>, SqlError> =>
      Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
        Effect.map(
          sql`SELECT id FROM holds WHERE (confirmed = 1 OR at < ${nowMs - longestInsert}) AND NOT EXISTS
            (SELECT 1 FROM tasks WHERE tasks.id = holds.id AND ended_at IS NULL) LIMIT ${limit}`,
          (found) => named.all(found).map(({ id }) => id)
        )
      )

    return {
      active: activeTasks(sql),
      insert,
      find,
      reader,
      list,
      end,
      remove,
      expireDue,
      purge,
      orphanedHolds,
      unreadable,
      changing,
      changed,
      committed,
      due,
      deadlines
    } as const
  })
}) {
  /** For tests: a member that is not given dies when it is used. */
  static readonly Test = (given: Partial<Omit<TaskStore, "_tag">>) =>
    // Readers are made at the start: they die when a task is read.
    testDouble(TaskStore, { reader: () => unsupplied(`${TaskStore.key}.reader`), ...given })
}

const named = rows("tasks", { id: Schema.String })
const counted = rows("tasks", { n: Schema.Int })
const earliest = rows("tasks", { at: Schema.NullOr(Schema.Int) })
