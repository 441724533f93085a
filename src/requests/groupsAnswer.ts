import { Effect } from "effect"
import { firstMeasuresIn, laterMeasuresIn } from "../contract/records/measures.ts"
import type { MeasureIn } from "../contract/records/measures.ts"
import { csvInTurns } from "../contract/text/csv.ts"
import { csvAnswer, wantsCsv } from "../contract/text/csvAnswer.ts"
import { groupingOf } from "./OverviewGroups.ts"
import type { OverviewGroups } from "./OverviewGroups.ts"
import type { GroupsAsked } from "./RequestGroups.ts"

interface GroupsQuery extends GroupsAsked {
  readonly format?: "json" | "csv" | undefined
}

/** Rows of CSV, which has no pages. */
const csvRows = 10_000

/** A table of groups as the request wants it: JSON or CSV. */
export const groupsAnswer = <E, R>(
  { format, ...asked }: GroupsQuery,
  headers: Headers,
  groups: (asked: GroupsAsked) => Effect.Effect<OverviewGroups, E, R>
): Effect.Effect<OverviewGroups | Response, E, R> => {
  if (!wantsCsv(format, headers)) return groups(asked)
  return Effect.gen(function* () {
    const found = yield* groups({ ...asked, limit: asked.limit ?? csvRows })
    return csvAnswer(yield* groupsCsv(found), `overview-by-${found.by.replace(",", "-")}`)
  })
}

type Row = OverviewGroups["data"][number]

/** The rows of a table as CSV. */
export const groupsCsv = (groups: OverviewGroups): Effect.Effect<string> => {
  const columns = columnsOf(groups)
  return Effect.promise(() =>
    csvInTurns(
      columns.map(([name]) => name),
      groups.data,
      (row) => columns.map(([, of]) => String(of(row) ?? ""))
    )
  )
}

type Column = readonly [name: string, of: (row: Row) => string | number | null | undefined]

const columnsOf = ({ by, total }: OverviewGroups): ReadonlyArray<Column> => {
  const grouping = groupingOf(by)
  const nameColumns = (name: string, of: Column[1]): ReadonlyArray<Column> =>
    name === "key"
      ? [
          ["key", of],
          ["key_name", ({ name }) => name]
        ]
      : [[name, of]]
  return [
    ...nameColumns(grouping?.of === "columns" ? grouping.first : by, ({ group }) => group),
    ...(grouping?.of === "columns" && grouping.second !== undefined
      ? nameColumns(grouping.second, ({ second }) => second)
      : []),
    ["requests", ({ requests }) => requests],
    ["errors", ({ errors }) => errors],
    ["refused", ({ refused }) => refused],
    ["failed", ({ failed }) => failed],
    ["hang_ups", ({ hang_ups }) => hang_ups],
    ["first_byte_p50_ms", (row) => row.first_byte_ms?.p50],
    ["first_byte_p95_ms", (row) => row.first_byte_ms?.p95],
    ["p50_ms", (row) => row.duration_ms?.p50],
    ["p95_ms", (row) => row.duration_ms?.p95],
    ...counts(firstMeasuresIn("usage_hours")),
    ["cache_hit_rate", (row) => row.cache_hit_rate?.toFixed(4)],
    ["usd", (row) => decimal(row.cost_usd)],
    ...(total.upstream_cost_usd === undefined
      ? []
      : [["upstream_usd", (row: Row) => decimal(row.upstream_cost_usd ?? 0)] as const]),
    ...(by === "upstream" && total.upstream_cost_usd !== undefined ? attemptColumns : []),
    ["requests_before", ({ before }) => before?.requests ?? 0],
    ["errors_before", ({ before }) => before?.errors ?? 0],
    ["usd_before", ({ before }) => decimal(before?.cost_usd ?? 0)],
    ...(total.upstream_cost_usd === undefined
      ? []
      : [["above_hold_usd", (row: Row) => decimal(row.above_hold_usd ?? 0)] as const]),
    ...counts(laterMeasuresIn("usage_hours"))
  ]
}

const counts = (some: ReadonlyArray<MeasureIn<"usage_hours">>): ReadonlyArray<Column> =>
  some.map((measure) => [measure, (row) => row[measure]])

const attemptColumns: ReadonlyArray<Column> = [
  ["attempts", ({ attempts }) => attempts?.attempts],
  ["failed_attempts", ({ attempts }) => attempts?.failed],
  ["hidden_failures", ({ attempts }) => attempts?.hidden],
  ["attempt_p50_ms", ({ attempts }) => attempts?.duration_ms?.p50],
  ["attempt_p95_ms", ({ attempts }) => attempts?.duration_ms?.p95],
  ["outpaced_attempts", ({ attempts }) => attempts?.outpaced]
]

/** Dollars with every digit and no exponent. */
const decimal = (usd: number): string => {
  const [whole = "", digits = ""] = usd.toFixed(9).split(".")
  let length = digits.length
  while (digits[length - 1] === "0") length--
  return length === 0 ? whole : `${whole}.${digits.slice(0, length)}`
}
