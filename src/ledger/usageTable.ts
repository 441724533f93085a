import { Effect } from "effect"
import { csvInTurns } from "../contract/csv.ts"
import { usageByOf } from "./usageBy.ts"
import type { UsageRecord } from "./UsageRecord.ts"

type Row = UsageRecord["data"][number]

const sums = ["INPUT", "CACHE READ", "CACHE WRITE", "OUTPUT", "REASONING", "SEARCHES", "VIDEO SECONDS", "USD"]
/** Those of operators. */
const operatorSums = ["UPSTREAM USD", "ABOVE HOLD USD"]

/** The columns of a usage report. An operator's have the upstream's costs. */
export const usageHeader = ({ by: written, totals }: UsageRecord): ReadonlyArray<string> => {
  const by = usageByOf(written)
  const counted = totals.upstream_cost === undefined ? sums : [...sums, ...operatorSums]
  if (by === undefined || by.rows === "request") {
    return ["TIME", "REQUEST", "ACCOUNT", "KEY", "MODEL", "UPSTREAM", "OUTCOME", ...counted]
  }
  const names = by.rows === "groups" ? [by.first, ...(by.second === undefined ? [] : [by.second])] : [by.rows]
  return [
    ...names.flatMap((name) => (name === "key" ? ["KEY", "NAME"] : [name.toUpperCase().replace("_", " ")])),
    "REQUESTS",
    ...counted
  ]
}

export const usageCells = ({ by: written }: Pick<UsageRecord, "by">, row: Row): ReadonlyArray<string> => {
  if (!("group" in row)) {
    return [row.time, row.request_id, row.account, row.key, row.model, row.upstream, row.outcome, ...usageAmounts(row)]
  }
  const by = usageByOf(written)
  const cellsOf = (dimension: string | undefined, value: string | null | undefined) =>
    dimension === undefined ? [] : dimension === "key" ? [value ?? "", row.name ?? ""] : [value ?? ""]
  const names =
    by?.rows === "groups" ? [...cellsOf(by.first, row.group), ...cellsOf(by.second, row.second)] : [row.group]
  return [...names, String(row.requests), ...usageAmounts(row)]
}

export const usageAmounts = (row: Row | UsageRecord["totals"]): ReadonlyArray<string> => [
  String(row.input_tokens),
  String(row.cache_read_tokens),
  String(row.cache_write_tokens),
  String(row.output_tokens),
  String(row.reasoning_tokens),
  String(row.searches),
  String(row.video_seconds),
  row.cost.usd,
  // An older gateway tells the command line nothing of holds.
  ...(row.upstream_cost === undefined ? [] : [row.upstream_cost.usd, row.above_hold?.usd ?? "0"])
]

/** A usage report's rows as CSV. */
export const usageCsv = (report: UsageRecord): Effect.Effect<string> =>
  Effect.promise(() =>
    csvInTurns<Row>(
      usageHeader(report).map((name) => name.toLowerCase().replaceAll(" ", "_")),
      report.data,
      (row) => usageCells(report, row)
    )
  )
