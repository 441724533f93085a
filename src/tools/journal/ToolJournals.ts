import type { SqlError } from "@effect/sql/SqlError"
import { Context, Effect } from "effect"
import type { Failure } from "../../contract/failures/Failure.ts"
import type { JournalOwner } from "../../contract/JournalOwner.ts"
import { noUsage } from "../../generation/GenerationEvent.ts"
import type { OpenJournal } from "./RoundJournal.ts"

interface Journals {
  readonly open: (owner: JournalOwner) => Effect.Effect<OpenJournal, Failure>
  /** Removes a journal, in the transaction that ends its request. */
  readonly remove: (owner: string) => Effect.Effect<unknown, SqlError>
}

/** The journals of requests that may run again. By default nothing is stored. */
export class ToolJournals extends Context.Reference<ToolJournals>()("gateway/tools/journal/ToolJournals", {
  defaultValue: (): Journals => ({
    open: () =>
      Effect.succeed({
        rounds: [],
        use: { used: noUsage, called: noUsage },
        begin: () => Effect.void,
        end: () => Effect.void
      }),
    remove: () => Effect.void
  })
}) {}
