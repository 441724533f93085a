import { SqlClient } from "@effect/sql"
import { Clock, Effect, Option, Schema } from "effect"
import type { AccountId } from "../../contract/callers/Caller.ts"
import { formats } from "../../cluster/formats.ts"
import { Node } from "../../cluster/Node.ts"
import { Commits } from "../../sql/Commits.ts"
import { rows } from "../../sql/decode.ts"
import { prepare } from "../../sql/prepare.ts"
import { orStoreFailure } from "../StoreFailure.ts"
import type { StoreFailure } from "../StoreFailure.ts"
import type { Task } from "../Task.ts"
import { queuedTask } from "../Task.ts"
import { TaskChanges } from "../TaskChanges.ts"
import { RequestSeal } from "../RequestSeal.ts"
import { TaskKinds } from "../TaskKind.ts"
import { anyTask, newColumns, readableTasks } from "./TaskRow.ts"
import { makeKnownTasks } from "./KnownTasks.ts"
import { removedSubmits } from "./removedSubmits.ts"
import { foundTask } from "./outline.ts"
import type { TaskListing } from "../TaskListing.ts"
import type { TaskStorage } from "../TaskStorage.ts"
import { UnitOfWork } from "../UnitOfWork.ts"

/** Tasks for their families. */
export const makeTasks = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const commits = yield* Commits
  const unit = yield* UnitOfWork
  const changes = yield* TaskChanges
  const kinds = yield* TaskKinds
  const { seal } = yield* RequestSeal
  const node = yield* Node

  const submits = removedSubmits(sql)
  const insertTask = prepare(sql, sql`INSERT INTO tasks ${sql.insert(newColumns(anyTask))}`)
  const insertRequest = prepare(sql, sql`INSERT INTO task_requests ${sql.insert({ task_id: "", request: "" })}`)
  const updateCost = prepare(sql, sql`UPDATE tasks SET cost_nano_usd = ${0} WHERE id = ${""}`)
  const selectTask = prepare(sql, sql`SELECT * FROM tasks WHERE id = ${""} AND account_id = ${""} AND kind = ${""}`)

  /** Consequences of a change of state. Run it in the transaction that makes the change. */
  const announce = (task: Task): Effect.Effect<void, StoreFailure> =>
    changes.changing(task, (nanoUsd) => orStoreFailure(updateCost([nanoUsd, task.id]).ahead))

  /** In the clear while a node may claim the task that can't open it: it would fail the task. */
  const sealed = (id: string, request: unknown): Effect.Effect<string> =>
    node.sharedFormat() >= formats.sealedRequests ? seal(id, request) : Effect.sync(() => JSON.stringify(request))

  const insert: TaskStorage["insert"] = (task, alongside = Effect.void, behind = Effect.void) => {
    const made = queuedTask(task)
    const columns = Object.values(newColumns(made))
    const statements = (request: string) =>
      alongside.pipe(
        Effect.zipRight(insertTask(columns).ahead),
        Effect.zipRight(insertRequest([made.id, request]).ahead),
        Effect.zipRight(behind),
        Effect.zipRight(changes.creating(made, task.quietUntilMs))
      )
    const storing = Effect.flatMap(sealed(made.id, task.request), (request) => unit.commit(statements(request)))
    return Effect.map(storing, () => {
      changes.created(made)
      return made
    })
  }

  const known = sql.onDialectOrElse({ sqlite: makeKnownTasks, orElse: () => undefined })

  /** Call it in the transaction that changes a task, before the commit: until then the task can't be read. */
  const changing = (id: string) => known?.changing(id)

  const rowOf = (account: AccountId, kind: string, id: string) => selectTask([id, account, kind])
  const decode = (kind: string) => (found: ReadonlyArray<unknown>) => foundTask(found, kinds.get(kind))

  const find: TaskStorage["find"] = (account, kind, id) =>
    orStoreFailure(Effect.flatMap(rowOf(account, kind, id), decode(kind)))

  const read: TaskStorage["read"] = (account, kind, id) =>
    known === undefined
      ? find(account, kind, id)
      : (known.find({ account, kind, id }) ?? orStoreFailure(known.remember(rowOf(account, kind, id), decode(kind))))

  const filters = (page: TaskListing) =>
    sql.and([
      sql`account_id = ${page.account}`,
      sql`kind = ${page.kind}`,
      ...(page.keys === undefined ? [] : [sql.in("key_id", page.keys)]),
      sql`created_at >= ${page.sinceMs}`,
      ...(page.states === undefined ? [] : [sql.in("state", page.states)]),
      ...(page.ids === undefined ? [] : [sql.in("id", page.ids)]),
      ...(page.model === undefined ? [] : [sql`model = ${page.model}`]),
      ...(page.tier === undefined ? [] : [sql`tier = ${page.tier}`]),
      ...following(page)
    ])

  const following = ({ after, order }: TaskListing) => {
    if (after === undefined) return []
    const { createdAtMs, id } = after
    return order === "asc"
      ? [sql`(created_at > ${createdAtMs} OR (created_at = ${createdAtMs} AND id > ${id}))`]
      : [sql`(created_at < ${createdAtMs} OR (created_at = ${createdAtMs} AND id < ${id}))`]
  }

  const list: TaskStorage["list"] = (page) =>
    orStoreFailure(
      Effect.all({
        total: Effect.map(
          sql`SELECT COUNT(*) AS n FROM tasks WHERE ${filters(page)}`,
          (found) => counted.first(found)?.n ?? 0
        ),
        tasks: Effect.flatMap(
          sql`SELECT * FROM tasks WHERE ${filters(page)}
            ORDER BY ${page.order === "asc" ? sql.literal("created_at, id") : sql.literal("created_at DESC, id DESC")}
            LIMIT ${page.limit} OFFSET ${page.offset}`,
          readableTasks
        )
      })
    )

  const end: TaskStorage["end"] = (id, state, options = {}) =>
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
          // An unreadable task has ended all the same.
          if (rows.length === 0) return ended
          changes.unreadable(rows.length)
          yield* sql`DELETE FROM task_requests WHERE task_id = ${id}`
          return ended
        }
        yield* sql`DELETE FROM task_requests WHERE task_id = ${id}`
        yield* announce(ended.value)
        return ended
      })
      return Effect.tap(unit.commit(statements), (ended) =>
        Effect.sync(() => {
          if (Option.isSome(ended)) changes.ended(ended.value)
        })
      )
    })

  const remove: TaskStorage["remove"] = (account, kind, id) => {
    const task = sql`id = ${id} AND account_id = ${account} AND kind = ${kind} AND ended_at IS NOT NULL`
    const statements = Effect.suspend(() => {
      changing(id)
      return Effect.zipRight(submits.keep(task), sql`DELETE FROM tasks WHERE ${task} RETURNING id`)
    })
    return Effect.map(orStoreFailure(commits.commit(statements)), (rows) => rows.length > 0)
  }

  const expireDue: TaskStorage["expireDue"] = Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    const late = yield* orStoreFailure(sql`SELECT id FROM tasks
      WHERE ended_at IS NULL AND expires_at IS NOT NULL AND expires_at <= ${nowMs} ORDER BY expires_at LIMIT 200`)
    const ended = yield* Effect.forEach(named.all(late), (row) => end(row.id, "expired"), {
      concurrency: "unbounded"
    })
    const next = earliest.first(
      yield* orStoreFailure(
        sql`SELECT MIN(expires_at) AS at FROM tasks WHERE ended_at IS NULL AND expires_at IS NOT NULL`
      )
    )
    return { expired: ended.flatMap(Option.toArray), nextMs: Option.fromNullable(next?.at) }
  })

  return { insert, find, read, list, end, remove, expireDue, changing, changed: announce } as const
})

const named = rows("tasks", { id: Schema.String })
const counted = rows("tasks", { n: Schema.Int })
const earliest = rows("tasks", { at: Schema.NullOr(Schema.Int) })
