import { numberAt } from "../contract/json/json.ts"
import type { Task, TaskPatch } from "../tasks/Task.ts"

/** The patch of a running task, with its progress in per cent if that is news. It never goes back. */
export const atProgress = ({ details }: Pick<Task, "details">, progress: number | undefined): TaskPatch => ({
  state: "running",
  tries: 0,
  ...(progress !== undefined &&
    progress > (numberAt(details, "progress") ?? 0) && { details: { ...details, progress } })
})
