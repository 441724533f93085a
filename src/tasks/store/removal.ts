import { SqlClient } from "@effect/sql"
import { Clock, Effect } from "effect"
import { orStoreFailure } from "../StoreFailure.ts"
import { applyPatch } from "../Task.ts"
import { LeaseLost } from "../TaskKind.ts"
import type { TaskStorage } from "../TaskStorage.ts"
import { UnitOfWork } from "../UnitOfWork.ts"
import type { makeTasks } from "./makeTasks.ts"

/**
 * Removes a task that its worker holds: it fails, which ends its hold, and is deleted with its callbacks, in one
 * transaction. Later writes of its turn find no row.
 */
export const makeRemoval = ({
  changed,
  changing
}: Pick<Effect.Effect.Success<typeof makeTasks>, "changed" | "changing">) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const unit = yield* UnitOfWork
    const removeHeld: TaskStorage["removeHeld"] = ({ task, token }, error, behind) =>
      Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
        unit.commit(
          Effect.gen(function* () {
            changing(task.id)
            const ended = yield* orStoreFailure(sql`UPDATE tasks SET state = ${"failed"}, ended_at = ${nowMs}
              WHERE id = ${task.id} AND lease_token = ${token} RETURNING id`)
            if (ended.length === 0) return yield* new LeaseLost({ id: task.id })
            yield* changed(applyPatch(task, { state: "failed", error }, nowMs))
            yield* behind
            yield* orStoreFailure(sql`DELETE FROM tasks WHERE id = ${task.id}`)
          })
        )
      )
    return removeHeld
  })
