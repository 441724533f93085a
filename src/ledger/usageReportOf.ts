import { Clock, Effect } from "effect"
import type { AccountId } from "../contract/callers/Caller.ts"
import { InvalidRequest } from "../contract/failures/Failure.ts"
import { readTime } from "../contract/timeQuery.ts"
import { mapInTurns } from "../flow/inTurns.ts"
import { byWords, usageByOf } from "./usageBy.ts"
import { entryRecord, groupRecord, totalsRecord } from "./UsageRecord.ts"
import type { UsageRecord } from "./UsageRecord.ts"
import type { Grouping, UsageGroup, UsageQuery, UsageSums } from "./store/usageGroup.ts"
import type { UsageReport } from "./store/UsageReport.ts"

/** The query of a caller or an operator, as `UsageParams` decodes it. */
export interface UsageQuestion {
  readonly account?: AccountId | undefined
  /** Only these keys, by id. */
  readonly keys?: ReadonlyArray<string> | undefined
  readonly by?: string | undefined
  readonly since?: string | undefined
  readonly until?: string | undefined
  readonly key?: string | undefined
  readonly model?: string | undefined
  readonly limit?: number | undefined
  readonly after?: string | undefined
}

/** Usage by what only the rows of requests know. The groups are sorted, the dearest first. */
export type RowUsage = (
  of: "tag" | "end_user",
  query: UsageQuery
) => Effect.Effect<{ readonly totals: UsageSums; readonly groups: ReadonlyArray<UsageGroup> }, InvalidRequest>

/**
 * Answers a usage query: one page and the totals.
 *
 * @param isOperator true to show upstream costs
 */
export const usageReportOf = Effect.fnUntraced(function* (
  report: UsageReport,
  question: UsageQuestion,
  isOperator: boolean,
  rowUsage: RowUsage
): Effect.fn.Return<UsageRecord, InvalidRequest> {
  const nowMs = yield* Clock.currentTimeMillis
  const query = {
    account: question.account,
    keys: question.keys,
    key: question.key,
    model: question.model,
    sinceMs: readTime(question.since ?? "7d", nowMs) ?? nowMs,
    untilMs: readTime(question.until ?? "0m", nowMs, true) ?? nowMs
  }
  const { after, by: written = "day", limit = 100 } = question
  const by = usageByOf(written)
  if (by === undefined) return yield* new InvalidRequest({ param: "by", message: `by: expected ${byWords}` })
  const head = {
    object: "list" as const,
    by: written,
    from: by.rows === "tag" || by.rows === "end_user" ? ("request rows" as const) : ("ledger" as const),
    since: new Date(query.sinceMs).toISOString(),
    until: new Date(query.untilMs).toISOString()
  }
  if (by.rows === "tag" || by.rows === "end_user") {
    const { groups, totals } = yield* rowUsage(by.rows, query)
    const offset = Number.parseInt(after ?? "0")
    const page = yield* pageOf(groups.slice(offset, offset + limit + 1), { offset, limit }, isOperator)
    return { ...head, totals: totalsRecord(totals, isOperator), ...page }
  }
  // The sums of days don't have these dimensions.
  const isOfRows =
    by.rows === "request" || [by.first, by.second].some((one) => one === "upstream" || one === "service_tier")
  const rowsSince = isOfRows ? yield* report.rowsSince : undefined
  const gone = rowsSince !== undefined && rowsSince > query.sinceMs && { rows_since: new Date(rowsSince).toISOString() }
  const { totals, ...page } = yield* by.rows === "request"
    ? entriesOf(report, query, limit, after, isOperator)
    : groupsOf(report, query, by, limit, after, isOperator)
  return { ...head, ...gone, totals: totalsRecord(totals, isOperator), ...page }
})

const groupsOf = (
  report: UsageReport,
  query: UsageQuery,
  by: Grouping,
  limit: number,
  after: string | undefined,
  isOperator: boolean
) => {
  const offset = Number.parseInt(after ?? "0")
  return Effect.flatMap(report.groups(query, by, { offset, limit: limit + 1 }), ({ groups, totals }) =>
    Effect.map(pageOf(groups, { offset, limit }, isOperator), (page) => ({ ...page, totals }))
  )
}

/** @param rows those of the page, and one more if there is another page */
const pageOf = (
  rows: ReadonlyArray<UsageGroup>,
  { limit, offset }: { readonly limit: number; readonly offset: number },
  isOperator: boolean
) =>
  Effect.map(
    Effect.promise(() => mapInTurns(rows.slice(0, limit), (group) => groupRecord(group, isOperator))),
    (data) => ({ data, next: rows.length > limit ? String(offset + limit) : null })
  )

const entriesOf = (
  report: UsageReport,
  query: UsageQuery,
  limit: number,
  after: string | undefined,
  isOperator: boolean
) => {
  const [atMs = 0, id = 0] = (after ?? "").split(".").map(Number)
  const page = { after: after === undefined ? undefined : { atMs, id }, limit: limit + 1 }
  return Effect.gen(function* () {
    const rows = yield* report.entries(query, page)
    const last = rows.length > limit ? rows[limit - 1] : undefined
    return {
      data: yield* Effect.promise(() => mapInTurns(rows.slice(0, limit), (entry) => entryRecord(entry, isOperator))),
      next: last === undefined ? null : `${last.atMs}.${last.id}`,
      totals: yield* report.totals(query)
    }
  })
}
