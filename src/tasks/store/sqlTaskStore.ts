import { Effect } from "effect"
import type { TaskStorage } from "../TaskStorage.ts"
import { makeAmend } from "./amend.ts"
import { makeCancellations } from "./makeCancellations.ts"
import { makeLeases } from "./makeLeases.ts"
import { makeSummaries } from "./makeSummaries.ts"
import { makeTasks } from "./makeTasks.ts"
import { makeUpkeep } from "./makeUpkeep.ts"

/** Tasks in the database: SQLite's for one process, Postgres' for many nodes. */
export const sqlTaskStore = Effect.gen(function* () {
  const { changed, changing, ...tasks } = yield* makeTasks
  const store: TaskStorage = {
    ...tasks,
    amend: yield* makeAmend(changing),
    ...(yield* makeLeases({ changed, changing })),
    ...(yield* makeUpkeep(changing)),
    ...(yield* makeSummaries),
    ...(yield* makeCancellations)
  }
  return store
})
