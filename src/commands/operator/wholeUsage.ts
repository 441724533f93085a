import { Effect, Schema } from "effect"
import { UsageRecord } from "../../ledger/UsageRecord.ts"
import { mostRows } from "./paging.ts"
import type { PageRequest } from "./paging.ts"

/** A report of `limit` rows, read page by page. Its sums cover all rows anyway. */
export const wholeUsage = <E>(
  limit: number,
  ask: (page: PageRequest) => Effect.Effect<UsageRecord, E>
): Effect.Effect<UsageRecord, E> =>
  Effect.gen(function* () {
    let report = yield* ask({ limit: Math.min(limit, mostRows) })
    while (report.next !== null && report.data.length < limit) {
      const more = yield* ask({ limit: Math.min(limit - report.data.length, mostRows), after: report.next })
      report = { ...more, data: rowsOf([...report.data, ...more.data]) }
    }
    return report
  })

/** A report's rows are all of one kind; so are the rows of all its pages. */
const rowsOf = Schema.validateSync(UsageRecord.fields.data)
