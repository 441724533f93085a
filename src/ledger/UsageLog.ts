import { Effect } from "effect"
import { Internal } from "../contract/failures/Failure.ts"
import { makeBatchWriter } from "../sql/BatchWriter.ts"
import type { BatchOptions, BatchWriter } from "../sql/BatchWriter.ts"
import type { Writes } from "../sql/Writes.ts"
import { isRefused } from "../sql/isRefused.ts"
import { Metrics } from "../telemetry/Metrics.ts"
import type { BalanceOperations } from "./BalanceOperations.ts"
import { spentOf } from "./store/budgetCounters.ts"
import type { UsageRow } from "./store/usageRows.ts"

/** The most rows per commit: SQLite blocks the thread for about 1 ms. */
const most = 512

/** Appends usage rows. */
export interface UsageLog {
  /** Stores a row soon, and at once if it costs something. */
  readonly append: (row: UsageRow) => void
  /**
   * Stores a row before the end of its answer: it survives a crash of the process, and a power cut 20 ms later. Rejects
   * with `Internal` if that is not possible.
   *
   * @param lost called once it is certain that the row is not stored: the request costs nothing
   * @returns undefined if the row is stored already
   */
  readonly appendAwaited: (row: UsageRow, lost: () => void) => Promise<void> | undefined
  /** Waits until every row so far is stored or has failed. */
  readonly flush: Effect.Effect<void>
}

/**
 * Writes usage rows. With Postgres there are two writers: rows without a hold are stored by a shorter statement,
 * independently.
 *
 * @param mayFollow true while another request runs that will also wait for its row
 */
export const makeUsageLog = Effect.fnUntraced(function* (
  balances: Writes<UsageRow> & Pick<BalanceOperations, "unheld" | "unsettle" | "longestPauseMs">,
  mayFollow: () => boolean
) {
  const refused = (yield* Metrics).usageRefused.of()
  const options: BatchOptions<UsageRow> = {
    isUrgent: ({ costNanoUsd }) => costNanoUsd > 0,
    pause: { mayFollow, longestMs: balances.longestPauseMs },
    lost: (row) => {
      if (row.held !== undefined) balances.unsettle(row, row.held, spentOf(row))
    },
    refused: (row, error) => {
      refused.add(1)
      return Effect.annotateLogs(Effect.logError("the database refuses a usage row; it is set aside", error), {
        event: "usage.refused",
        request_id: row.requestId,
        account: row.account
      })
    }
  }
  const held = yield* makeBatchWriter("usage", most, balances, options)
  const unheld = balances.unheld && (yield* makeBatchWriter("usage unheld", most, balances.unheld, options))
  const writerOf = (row: UsageRow): BatchWriter<UsageRow> => (unheld === undefined || isHeld(row) ? held : unheld)

  const log: UsageLog = {
    append: (row) => writerOf(row).append(row),
    appendAwaited: (row, lost) => writerOf(row).write(row, lost)?.catch(notStored),
    flush: unheld === undefined ? held.flush : Effect.zipRight(held.flush, unheld.flush)
  }
  return log
})

const isHeld = ({ held }: UsageRow): boolean => held !== undefined && (held.nanoUsd > 0 || held.budgets !== undefined)

/** A row that can never be stored does not fail the answer. */
const notStored = (error: unknown): void => {
  if (!isRefused(error)) throw new Internal({ message: "Internal error: the usage could not be stored" })
}
