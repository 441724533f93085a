import { Effect } from "effect"
import type { StoreFailure } from "../StoreFailure.ts"
import type { Task } from "../Task.ts"
import { TaskChanges } from "../TaskChanges.ts"
import type { TaskStorage } from "../TaskStorage.ts"
import { UnitOfWork } from "../UnitOfWork.ts"
import { memoryAdministered } from "./memoryAdministered.ts"
import { memoryLeased } from "./memoryLeased.ts"
import { memoryOwned } from "./memoryOwned.ts"
import { MemoryTasks } from "./MemoryTasks.ts"

/** Tasks in the memory of one process. */
export const memoryTaskStore = Effect.gen(function* () {
  const unit = yield* UnitOfWork
  const changes = yield* TaskChanges
  const tasks = new MemoryTasks(unit)
  const announce = (task: Task): Effect.Effect<void, StoreFailure> =>
    changes.changing(task, (nanoUsd) => tasks.change(task.id, { costNanoUsd: nanoUsd }))
  const store: TaskStorage = {
    ...memoryOwned(tasks, unit, changes, announce),
    ...(yield* memoryLeased(tasks, unit, changes, announce)),
    ...memoryAdministered(tasks, unit, changes)
  }
  return store
})
