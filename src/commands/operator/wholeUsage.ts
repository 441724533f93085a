import { Effect, Schema } from "effect"
import { UsageRecord } from "../../ledger/UsageRecord.ts"
import { mostRows } from "./paging.ts"
import type { PageRequest } from "./paging.ts"

/** A report of so many rows, whose sums are those of the whole anyway. */
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

/** All of one kind, as the report's own pages are. */
const rowsOf = Schema.validateSync(UsageRecord.fields.data)
