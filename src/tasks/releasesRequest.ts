import type { Task } from "./Task.ts"
import { isTerminal } from "./Task.ts"
import type { TaskKind } from "./TaskKind.ts"

/**
 * True if a change makes the task's request unnecessary: the upstream has it, or will not be called again. One that its
 * kind needs after success is kept.
 */
export const releasesRequest = (kind: TaskKind | undefined, before: Task, task: Task): boolean => {
  const isOver = isTerminal(task.state)
  const isThere = before.upstreamId === null && task.upstreamId !== null
  const isKept = (!isOver || task.state === "succeeded") && kind?.keepsRequest?.(task) === true
  return (isOver || isThere) && !isKept
}
