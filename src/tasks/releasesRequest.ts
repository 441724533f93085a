import type { Task } from "./Task.ts"
import { isTerminal, isUnheard } from "./Task.ts"
import type { TaskKind } from "./TaskKind.ts"

/**
 * True if a change makes the task's request unnecessary: the upstream has it, or will not be called again. The request
 * of a submit without an answer is kept, because other tasks must tell its video from theirs; so is one that its kind
 * needs after success.
 */
export const releasesRequest = (kind: TaskKind | undefined, before: Task, task: Task): boolean => {
  if (isUnheard(task)) return false
  const isOver = isTerminal(task.state)
  const isThere = before.upstreamId === null && task.upstreamId !== null
  const isKept = (!isOver || task.state === "succeeded") && kind?.keepsRequest?.(task) === true
  return (isOver || isThere) && !isKept
}
