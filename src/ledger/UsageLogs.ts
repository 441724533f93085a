import { Effect } from "effect"
import type { BalanceOperations } from "./BalanceOperations.ts"
import { makeUsageLog } from "./UsageLog.ts"
import type { UsageLog } from "./UsageLog.ts"
import type { UsageRow } from "./store/usageRows.ts"

/**
 * One log, or where storing means waiting two: what nothing was held for is then stored by a shorter way, and does not wait
 * for what was.
 *
 * @param mayFollow whether a request is under way that will wait for its row too
 */
export const makeUsageLogs = Effect.fnUntraced(function* (books: BalanceOperations, mayFollow: () => boolean) {
  const held = yield* makeUsageLog("usage", books, mayFollow)
  if (books.unheld === undefined) return held
  const unheld = yield* makeUsageLog("usage unheld", { ...books.unheld, unsettle: books.unsettle }, mayFollow)
  const logOf = (row: UsageRow): UsageLog => ((row.held?.nanoUsd ?? 0) > 0 ? held : unheld)

  const both: UsageLog = {
    append: (row) => logOf(row).append(row),
    appendAwaited: (row, lost) => logOf(row).appendAwaited(row, lost),
    flush: Effect.zipRight(held.flush, unheld.flush)
  }
  return both
})
