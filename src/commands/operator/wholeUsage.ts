import { Effect } from "effect"
import type { UsageRecord } from "../../ledger/UsageRecord.ts"
import { mostRows } from "./paging.ts"
import type { Asked } from "./paging.ts"

type Rows = UsageRecord["data"]

/** A report of so many rows, whose sums are those of the whole anyway. */
export const wholeUsage = <E>(
  limit: number,
  ask: (page: Asked) => Effect.Effect<UsageRecord, E>
): Effect.Effect<UsageRecord, E> =>
  Effect.gen(function* () {
    let report = yield* ask({ limit: Math.min(limit, mostRows) })
    while (report.next !== null && report.data.length < limit) {
      const more = yield* ask({ limit: Math.min(limit - report.data.length, mostRows), after: report.next })
      report = { ...more, data: joined(report.data, more.data) }
    }
    return report
  })

/** Rows of a report are of one kind. */
// oxlint-disable-next-line typescript/consistent-type-assertions -- the union of arrays says so too late
const joined = (one: Rows, other: Rows): Rows => [...one, ...other] as Rows
