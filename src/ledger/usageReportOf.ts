import { Clock, Effect } from "effect"
import type { AccountId } from "../contract/Caller.ts"
import { readTime } from "../contract/timeQuery.ts"
import { entryRecord, groupRecord, totalsRecord } from "./UsageRecord.ts"
import type { UsageRecord } from "./UsageRecord.ts"
import type { UsageReport } from "./store/UsageReport.ts"

/** The query of a caller or an operator, as `UsageParams` decodes it. */
export interface UsageQuestion {
  readonly account?: AccountId | undefined
  readonly by?: UsageRecord["by"] | undefined
  readonly since?: string | undefined
  readonly until?: string | undefined
  readonly key?: string | undefined
  readonly model?: string | undefined
  readonly limit?: number | undefined
  readonly after?: string | undefined
}

/**
 * Answers a usage query: one page and the totals.
 *
 * @param isOperator true to show upstream costs
 */
export const usageReportOf = Effect.fnUntraced(function* (
  report: UsageReport,
  question: UsageQuestion,
  isOperator: boolean
): Effect.fn.Return<UsageRecord> {
  const nowMs = yield* Clock.currentTimeMillis
  const query = {
    account: question.account,
    key: question.key,
    model: question.model,
    sinceMs: readTime(question.since ?? "7d", nowMs) ?? nowMs,
    untilMs: readTime(question.until ?? "0m", nowMs, true) ?? nowMs
  }
  const { by = "day", limit = 100 } = question
  const { data, next } = yield* by === "request"
    ? entriesOf(report, query, limit, question.after, isOperator)
    : groupsOf(report, query, by, limit, question.after, isOperator)
  return {
    object: "list",
    by,
    since: new Date(query.sinceMs).toISOString(),
    until: new Date(query.untilMs).toISOString(),
    totals: totalsRecord(yield* report.totals(query), isOperator),
    data,
    next
  }
})

type Query = Parameters<UsageReport["totals"]>[0]

const groupsOf = (
  report: UsageReport,
  query: Query,
  by: "day" | "model" | "key",
  limit: number,
  after: string | undefined,
  isOperator: boolean
) => {
  const offset = Number.parseInt(after ?? "0")
  return Effect.map(report.groups(query, by, { offset, limit: limit + 1 }), (rows) => ({
    data: rows.slice(0, limit).map((group) => groupRecord(group, isOperator)),
    next: rows.length > limit ? String(offset + limit) : null
  }))
}

const entriesOf = (
  report: UsageReport,
  query: Query,
  limit: number,
  after: string | undefined,
  isOperator: boolean
) => {
  const [atMs = 0, id = 0] = (after ?? "").split(".").map(Number)
  return Effect.map(
    report.entries(query, { after: after === undefined ? undefined : { atMs, id }, limit: limit + 1 }),
    (rows) => {
      const last = rows.length > limit ? rows[limit - 1] : undefined
      return {
        data: rows.slice(0, limit).map((entry) => entryRecord(entry, isOperator)),
        next: last === undefined ? null : `${last.atMs}.${last.id}`
      }
    }
  )
}
