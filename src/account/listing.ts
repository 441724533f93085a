import { Clock, Effect } from "effect"
import type { Own } from "../contract/callers/Own.ts"
import { toPage } from "../contract/paging.ts"
import { readTime } from "../contract/timeQuery.ts"
import type { StoredHolds } from "../ledger/store/StoredHolds.ts"
import type { CallbackFilter } from "../tasks/TaskParams.ts"
import type { TaskState } from "../tasks/Task.ts"
import type { TaskStorage } from "../tasks/TaskStorage.ts"
import { taskView } from "./TaskView.ts"

interface Page {
  readonly limit?: number | undefined
  readonly after?: string | undefined
}

interface TasksQuery extends Page {
  readonly callback?: CallbackFilter | undefined
  readonly kind?: string | undefined
  readonly model?: string | undefined
  readonly state?: ReadonlyArray<TaskState> | undefined
  readonly since?: string | undefined
}

/** An account's tasks, or those of some keys of it, newest first. */
export const ownTasks = (
  tasks: Pick<TaskStorage, "summaries">,
  holds: StoredHolds,
  { account, keys }: Own,
  { after, callback, kind, limit = 100, model, since = "7d", state }: TasksQuery
) =>
  Effect.flatMap(Clock.currentTimeMillis, (nowMs) => {
    const [, createdAt, id] = /^(\d{1,16})\.(.+)$/.exec(after ?? "") ?? []
    const page = {
      account,
      keys,
      callback,
      kind,
      model,
      states: state,
      sinceMs: readTime(since, nowMs) ?? nowMs,
      after: createdAt === undefined || id === undefined ? undefined : { createdAtMs: Number(createdAt), id },
      limit: limit + 1
    }
    return Effect.gen(function* () {
      const rows = yield* tasks.summaries(page)
      const held = yield* holds.amounts(rows.map(({ id }) => id))
      const views = rows.map((row) => taskView(row, held.get(row.id) ?? 0))
      return toPage(views, { limit }, (last) => `${Date.parse(last.created_at)}.${last.id}`)
    }).pipe(Effect.orDie)
  })
