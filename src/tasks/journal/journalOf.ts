import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import type { JournalOwner } from "../../contract/JournalOwner.ts"
import { ToolJournals } from "../../tools/journal/ToolJournals.ts"
import type { Task } from "../Task.ts"
import type { Lease } from "../TaskKind.ts"

/** The details of a task whose request names servers: the calls of its runs are kept in a journal. */
export const journaled = (namesServers: boolean): { readonly journal?: true } => (namesServers ? { journal: true } : {})

export const isJournaled = ({ details }: Pick<Task, "details">): boolean => details["journal"] === true

/** The owner of a task's journal; undefined if it keeps none. */
export const journalOf = ({ held, task }: Pick<Lease, "held" | "task">): JournalOwner | undefined =>
  isJournaled(task) ? { id: task.id, account: task.account, expires: false, held } : undefined

/** Removes the journal of a task that ends, in the same transaction. */
export const makeRemoveJournal = Effect.map(
  ToolJournals,
  (journals) =>
    (task: Task): Effect.Effect<unknown, SqlError> =>
      isJournaled(task) ? journals.remove(task.id) : Effect.void
)
