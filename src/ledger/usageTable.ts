import { Effect } from "effect"
import { firstMeasuresIn, laterMeasuresIn, rowMeasures, rowOf } from "../contract/records/measures.ts"
import { serviceCell, serviceNames } from "../contract/records/Service.ts"
import type { MeasureIn } from "../contract/records/measures.ts"
import { csvInTurns } from "../contract/text/csv.ts"
import { usageByOf } from "./usageBy.ts"
import type { UsageRecord } from "./UsageRecord.ts"

type Row = UsageRecord["data"][number]

const heads = (some: ReadonlyArray<MeasureIn<"usage_days">>) => some.map((measure) => rowOf(measure).heading ?? "")
const [first, later] = [firstMeasuresIn("usage_days"), laterMeasuresIn("usage_days")]
const sums = [...heads(first), "USD"]
/** Those of operators. */
const operatorSums = ["UPSTREAM USD", "ABOVE HOLD USD"]

/** The columns of a usage report. An operator's have the upstream's costs. */
export const usageHeader = ({ by: written, totals }: UsageRecord): ReadonlyArray<string> => {
  const by = usageByOf(written)
  const counted = [...sums, ...(totals.upstream_cost === undefined ? [] : operatorSums), ...heads(later)]
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
  ...first.map((measure) => amountOf(row, measure)),
  row.cost.usd,
  // An older gateway tells the command line nothing of holds.
  ...(row.upstream_cost === undefined ? [] : [row.upstream_cost.usd, row.above_hold?.usd ?? "0"]),
  ...later.map((measure) => amountOf(row, measure))
]

const amountOf = (row: Row | UsageRecord["totals"], measure: MeasureIn<"usage_days">): string =>
  String((measure === "video_frames" ? row.video_seconds : row[measure]) ?? 0)

/** A usage report's rows as CSV. Rows of requests have columns that a terminal has no room for. */
export const usageCsv = (report: UsageRecord): Effect.Effect<string> => {
  const isByRequest = usageByOf(report.by)?.rows === "request"
  const header = usageHeader(report).map((name) => name.toLowerCase().replaceAll(" ", "_"))
  return Effect.promise(() =>
    csvInTurns<Row>(isByRequest ? [...header, ...rowMeasures, ...serviceNames] : header, report.data, (row) =>
      "group" in row ? usageCells(report, row) : [...usageCells(report, row), ...requestCells(row)]
    )
  )
}

const requestCells = (row: Exclude<Row, { readonly group: string }>): ReadonlyArray<string> => [
  ...rowMeasures.map((measure) => String(row[measure] ?? 0)),
  ...serviceNames.map((name) => serviceCell(row[name]))
]
