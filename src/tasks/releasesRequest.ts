import type { Task } from "./Task.ts"
import { isTerminal, isUnheard } from "./Task.ts"
import type { TaskKind } from "./TaskKind.ts"

/**
 * Whether a change is the one after which nobody needs what the task was asked to do: the upstream has it, or nobody
 * will ask again. What the upstream may have made without a word is kept, for others must be able to tell it from
 * theirs; and what its kind says is needed when it has succeeded.
 */
export const releasesRequest = (kind: TaskKind | undefined, before: Task, task: Task): boolean => {
  if (isUnheard(task)) return false
  const isOver = isTerminal(task.state)
  const isThere = before.upstreamId === null && task.upstreamId !== null
  const isKept = (!isOver || task.state === "succeeded") && kind?.keepsRequest?.(task) === true
  return (isOver || isThere) && !isKept
}
