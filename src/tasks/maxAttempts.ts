import type { TaskKind, TaskTurn } from "./TaskKind.ts"

/** Consecutive deaths of workers after which a task is given up. */
export const maxAttempts = 5

/** The last turn of a task that is given up. */
export const givenUp = (kind: TaskKind): TaskTurn => ({
  patch: {
    state: "failed",
    error: kind.gaveUp(`the work was started ${maxAttempts} times and never finished`)
  },
  againInMs: 0
})
