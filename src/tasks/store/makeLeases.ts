import { SqlClient } from "@effect/sql"
import type { Statement } from "@effect/sql/Statement"
import { Clock, Effect, Schema } from "effect"
import { Node } from "../../cluster/Node.ts"
import { Commits } from "../../sql/Commits.ts"
import { amongDue } from "../../sql/amongDue.ts"
import { rows } from "../../sql/decode.ts"
import { prepare } from "../../sql/prepare.ts"
import { CrashPoints } from "../CrashPoints.ts"
import { releasesRequest } from "../releasesRequest.ts"
import { isTerminal, isUnheard, applyPatch } from "../Task.ts"
import { RequestSeal } from "../RequestSeal.ts"
import { makeRivals, sealOf } from "./makeRivals.ts"
import { TaskChanges } from "../TaskChanges.ts"
import { LeaseLost, TaskKinds } from "../TaskKind.ts"
import type { Task, TaskPatch } from "../Task.ts"
import { orStoreFailure } from "../StoreFailure.ts"
import type { LeasedTask, TaskStorage } from "../TaskStorage.ts"
import { UnitOfWork } from "../UnitOfWork.ts"
import { makeHolding } from "./holding.ts"
import { makeSetAside } from "./setAside.ts"
import { makeRemoval } from "./removal.ts"
import type { makeTasks } from "./makeTasks.ts"
import { patchedColumns, readableTasks } from "./TaskRow.ts"

/** Tasks for workers: every statement that writes one names its lease's token. */
export const makeLeases = (tasks: Pick<Tasks, "changing" | "changed">) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const commits = yield* Commits
    const unit = yield* UnitOfWork
    const changes = yield* TaskChanges
    const crash = yield* CrashPoints
    const kinds = yield* TaskKinds
    const setAside = yield* makeSetAside(tasks.changing)
    const removeHeld = yield* makeRemoval(tasks)
    const node = yield* Node
    const holding = yield* makeHolding
    const { open, seal } = yield* RequestSeal
    let claims = 0
    const someDue = sql`SELECT id FROM tasks WHERE ended_at IS NULL AND lane = ${""} AND next_run_at <= ${0}
    ORDER BY next_run_at LIMIT ${0}`
    const claimRows = prepare(
      sql,
      sql`UPDATE tasks SET
        attempts = attempts + CASE WHEN lease_token IS NOT NULL AND lease_owner <> ${""} THEN 1 ELSE 0 END,
        lease_token = ${""}, lease_owner = ${""}, next_run_at = ${0}
      WHERE ${amongDue(sql, someDue)} ${holding.mayClaim}
      RETURNING *`
    )
    const keepLocked = sql.onDialectOrElse({ pg: () => sql.literal("FOR SHARE"), orElse: () => sql.literal("") })
    const selectHeld = prepare(sql, sql`SELECT id FROM tasks WHERE id = ${""} AND lease_token = ${""} ${keepLocked}`)
    const deleteRequest = prepare(sql, sql`DELETE FROM task_requests WHERE task_id = ${""}`)
    const selectRequest = prepare(sql, sql`SELECT task_id, request FROM task_requests WHERE task_id = ${""}`)
    const selectLanes = prepare(
      sql,
      sql`SELECT * FROM (
      WITH RECURSIVE lanes (lane) AS (
        SELECT MIN(lane) FROM tasks WHERE ended_at IS NULL
        UNION ALL
        SELECT (SELECT MIN(lane) FROM tasks WHERE ended_at IS NULL AND lane > lanes.lane)
        FROM lanes WHERE lanes.lane IS NOT NULL
      )
      SELECT lane, (SELECT MIN(next_run_at) FROM tasks WHERE ended_at IS NULL AND lane = lanes.lane) AS due
      FROM lanes WHERE lane IS NOT NULL
    ) AS active`
    )

    /**
     * Claims up to `limit` due tasks of a lane. One statement, so two workers never claim the same row: SQLite runs one
     * writer at a time; Postgres needs SKIP LOCKED, or claims would wait for each other's rows. A due row with a token
     * was left by a worker that died (or by one of this process that could not give it back). It commits by itself, at
     * once: queued behind the group's writes it took three times as long. A power cut that undoes it also kills the
     * claimer; a worker's later writes are durable only if its claim is. An unreadable task is set aside for good.
     */
    const claim: TaskStorage["claim"] = Effect.fnUntraced(function* (lane, limit) {
      const nowMs = yield* Clock.currentTimeMillis
      const owner = node.id()
      const token = `${owner}:${claims++}`
      const claimed = yield* orStoreFailure(
        commits.commit(
          claimRows([owner, token, owner, holding.until(nowMs), lane, nowMs, limit, ...holding.claimant()]),
          "first"
        )
      )
      const leased = (yield* readableTasks(claimed)).map((task) => ({ task, token }))
      if (leased.length < claimed.length)
        yield* setAside(
          token,
          leased.map(({ task }) => task.id),
          nowMs
        )
      return leased
    })

    const updates = new Map<string, ReturnType<typeof prepare>>()
    /** An update that also deletes the task's request; undefined if that takes a separate statement. */
    const deletingRequest = sql.onDialectOrElse({
      pg: () => (update: Statement<unknown>) =>
        sql`WITH changed AS (${update}), gone AS (
        DELETE FROM task_requests WHERE task_id IN (SELECT id FROM changed)
      ) SELECT id FROM changed`,
      orElse: () => undefined
    })
    /** The update of these columns. There are only as many combinations as ways to end a turn. */
    const updateOf = (columns: Record<string, unknown>, more: typeof deletingRequest) => {
      const names = `${Object.keys(columns).join()}${more === undefined ? "" : " and its request"}`
      const known = updates.get(names)
      if (known !== undefined) return known
      const alone = sql`UPDATE tasks SET ${sql.update(columns)} WHERE id = ${""} AND lease_token = ${""} RETURNING id`
      const update = prepare(sql, more === undefined ? alone : more(alone))
      updates.set(names, update)
      return update
    }

    /** Changes no row if the lease is lost. */
    const fence = (leased: LeasedTask, columns: Record<string, unknown>, more?: typeof deletingRequest) =>
      updateOf(columns, more)([...Object.values(columns), leased.task.id, leased.token])

    const orLost = <E>(leased: LeasedTask, rows: Effect.Effect<ReadonlyArray<unknown>, E>) =>
      Effect.filterOrFail(
        rows,
        (found) => found.length > 0,
        () => new LeaseLost({ id: leased.task.id })
      )

    const held: TaskStorage["held"] = (leased) =>
      Effect.asVoid(orLost(leased, orStoreFailure(selectHeld([leased.task.id, leased.token]))))

    const patchedTo = (leased: LeasedTask, patch: TaskPatch, release: Record<string, unknown>) =>
      Effect.flatMap(fingerprintColumn(leased.task, patch), (fingerprint) =>
        patchedAs(leased, patch, { ...release, ...fingerprint })
      )

    /** The fingerprint is sealed, and goes with the submit that it tells from others. */
    const fingerprintColumn = (before: Task, patch: TaskPatch): Effect.Effect<Record<string, string | null>> => {
      if (patch.fingerprint !== undefined) {
        return Effect.map(seal(sealOf(before.id), patch.fingerprint), (fingerprint) => ({ fingerprint }))
      }
      const isSettled = isUnheard(before) && !isUnheard({ ...before, ...patch })
      return Effect.succeed(isSettled ? { fingerprint: null } : {})
    }

    const patchedAs = (leased: LeasedTask, patch: TaskPatch, release: Record<string, unknown>) =>
      Effect.flatMap(Clock.currentTimeMillis, (nowMs) => {
        const before = leased.task
        const task = applyPatch(before, patch, nowMs)
        const ended = isTerminal(task.state)
        const stateChanged = task.changes !== before.changes
        const columns = {
          updated_at: task.updatedAtMs,
          ...patchedColumns(task, before),
          ...(stateChanged && task.state === "running" ? { started_at: task.updatedAtMs } : {}),
          ...release,
          ...(ended ? { lease_token: null, lease_owner: null } : {})
        }
        const deletesRequest = releasesRequest(kinds.get(task.kind), before, task)
        const atOnce = deletesRequest && !stateChanged ? deletingRequest : undefined
        const update = fence(leased, columns, atOnce).onRun(() => tasks.changing(task.id))
        const write =
          stateChanged || (deletesRequest && atOnce === undefined)
            ? unit.commit(
                orLost(leased, update).pipe(
                  Effect.zipRight(deletesRequest ? deleteRequest([task.id]).ahead : Effect.void),
                  Effect.zipRight(stateChanged ? tasks.changed(task) : Effect.void),
                  Effect.zipRight(crash.at("writing"))
                )
              )
            : // If the time of the next turn is lost, the task only runs sooner.
              isOnlyWhen(patch)
              ? orLost(leased, orStoreFailure(commits.commit(update, "soon")))
              : orLost(leased, orStoreFailure(commits.commit(update)))
        return Effect.map(write, () => {
          leased.task = task
          if (stateChanged) changes.changed(task)
          return task
        })
      })

    const write: TaskStorage["write"] = (leased, patch) => patchedTo(leased, patch, {})

    /** A turn that came this far did not crash. */
    const settle: TaskStorage["settle"] = (leased, turn) =>
      Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
        patchedTo(leased, turn.patch, {
          attempts: 0,
          lease_token: null,
          lease_owner: null,
          next_run_at: nowMs + turn.againInMs
        })
      )

    const release: TaskStorage["release"] = (leased, options) =>
      Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
        Effect.asVoid(
          orLost(
            leased,
            orStoreFailure(
              commits.commit(
                fence(leased, {
                  attempts: leased.task.attempts + (options.crashed ? 1 : 0),
                  lease_token: null,
                  lease_owner: null,
                  next_run_at: nowMs + options.againInMs
                }),
                "soon"
              )
            )
          )
        )
      )

    /** The request in a row; null if there is none. */
    const opened = (row: unknown): Effect.Effect<unknown> =>
      Effect.suspend(() => {
        const { request, task_id } = requests.one(row)
        if (request === null || task_id === null) return Effect.succeed(null)
        return open(task_id, request)
      })

    const request: TaskStorage["request"] = (id) =>
      Effect.flatMap(orStoreFailure(selectRequest([id])), ([row]) =>
        row === undefined ? Effect.succeed(null) : opened(row)
      )

    /** Skips from lane to lane in the index, however many tasks wait in each. */
    const lanes = Effect.map(orStoreFailure(selectLanes([])), laneDues.all)

    return {
      rivals: yield* makeRivals,
      claim,
      renew: holding.renew,
      held,
      write,
      settle,
      removeHeld,
      release,
      request,
      takeOver: holding.takeOver,
      lanes,
      oldestExpiredLeaseMs: holding.oldestExpiredMs
    } as const
  })

type Tasks = Effect.Effect.Success<typeof makeTasks>

const laneDues = rows("tasks", { lane: Schema.String, due: Schema.Int })
const requests = rows("task_requests", {
  task_id: Schema.NullOr(Schema.String),
  request: Schema.NullOr(Schema.String)
})

/** True if the patch does not concern the work itself. */
const isOnlyWhen = (patch: TaskPatch): boolean => {
  for (const name in patch) if (name !== "tries" && name !== "state") return false
  return true
}
