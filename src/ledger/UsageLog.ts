import { Effect } from "effect"
import { Internal } from "../contract/Failure.ts"
import { makeBatchWriter } from "../sql/BatchWriter.ts"
import type { BatchOptions, BatchWriter } from "../sql/BatchWriter.ts"
import type { Writes } from "../sql/Writes.ts"
import { isRefused } from "../sql/isRefused.ts"
import { Metrics } from "../telemetry/Metrics.ts"
import type { BalanceOperations } from "./BalanceOperations.ts"
import type { UsageRow } from "./store/usageRows.ts"

/** The most rows of a commit: SQLite blocks the thread for about 1 ms. */
const most = 512
/** The longest wait for others to join a commit, in ms: by what a commit costs, with a server a round trip. */
const longestPause = { here: 2.5, server: 5 } as const

/** Appends usage rows. */
export interface UsageLog {
  /** Stores a row soon, and at once if it costs something. */
  readonly append: (row: UsageRow) => void
  /**
   * Stores a row that the end of an answer waits for: it survives a crash of the process, and a power cut 20 ms later.
   * Rejects with `Internal` if that is not possible.
   *
   * @param lost called once it is certain that the row is not stored: it costs nothing
   * @returns undefined if the row is stored already
   */
  readonly appendAwaited: (row: UsageRow, lost: () => void) => Promise<void> | undefined
  /** Waits until the rows so far are stored, or could not be. */
  readonly flush: Effect.Effect<void>
}

/**
 * With Postgres there are two writers: rows without a hold are stored by a shorter statement and do not wait for others.
 *
 * @param mayFollow true while a request runs that will wait for its row too
 */
export const makeUsageLog = Effect.fnUntraced(function* (
  balances: Writes<UsageRow> & Pick<BalanceOperations, "unheld" | "unsettle">,
  mayFollow: () => boolean
) {
  const refused = (yield* Metrics).usageRefused.of()
  const options: BatchOptions<UsageRow> = {
    isUrgent: ({ costNanoUsd }) => costNanoUsd > 0,
    pause: { mayFollow, longestMs: balances.writeNow === undefined ? longestPause.server : longestPause.here },
    lost: (row) => {
      if (row.held !== undefined) balances.unsettle(row, row.held, row.costNanoUsd, row.atMs)
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
  const writerOf = (row: UsageRow): BatchWriter<UsageRow> =>
    unheld === undefined || (row.held?.nanoUsd ?? 0) > 0 ? held : unheld

  const log: UsageLog = {
    append: (row) => writerOf(row).append(row),
    appendAwaited: (row, lost) => writerOf(row).write(row, lost)?.catch(notStored),
    flush: unheld === undefined ? held.flush : Effect.zipRight(held.flush, unheld.flush)
  }
  return log
})

/** The answer does not fail for a row that can never be stored. */
const notStored = (error: unknown): void => {
  if (!isRefused(error)) throw new Internal({ message: "Internal error: the usage could not be stored" })
}
