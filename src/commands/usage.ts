import { Command, Options } from "@effect/cli"
import { Console, Effect, Option } from "effect"
import { AccountId } from "../contract/Caller.ts"
import { InvalidRequest } from "../contract/Failure.ts"
import type { UsageRecord } from "../ledger/UsageRecord.ts"
import { administering } from "./administering.ts"
import { account, help, json, limitOption, moment, optionalText, print } from "./options.ts"
import { Operator } from "./operator/Operator.ts"
import { counted, csv, table } from "./table.ts"
import { remoteLeaf } from "./frame/leaf.ts"

type Row = UsageRecord["data"][number]

const usage = Command.make(
  "usage",
  {
    by: Options.choice("by", ["day", "model", "key", "request"]).pipe(
      Options.withDescription("The grouping of rows (day)."),
      Options.withDefault("day" as const)
    ),
    since: moment("since", "Start of the period: 7d, 24h, a UTC day or a time (7d).").pipe(Options.withDefault("7d")),
    until: moment("until", "End of the period, inclusive (now).").pipe(Options.optional),
    account,
    key: optionalText("key", "Only this key's: its id."),
    model: optionalText("model", "Only this model's."),
    limit: limitOption(1_000),
    csv: Options.boolean("csv").pipe(Options.withDescription("Print CSV.")),
    json
  },
  ({ account, by, csv: asCsv, json, key, limit, model, since, until }) =>
    administering(
      Effect.gen(function* () {
        if (asCsv && json) {
          return yield* new InvalidRequest({ param: "csv", message: "--csv, --json: expected one of them" })
        }
        const { usage } = yield* Operator
        const report = yield* usage({
          account: Option.getOrUndefined(Option.map(account, (id) => AccountId.make(id))),
          by,
          since,
          until: Option.getOrUndefined(until),
          key: Option.getOrUndefined(key),
          model: Option.getOrUndefined(model),
          limit
        })
        const header = headerOf(by)
        if (asCsv) return yield* Console.log(csv(header.map(snake), report.data.map(rowOf(by))))
        yield* print(json, report, () =>
          table(
            header,
            [...report.data.map(rowOf(by)), totalsRow(report, header.length)].map((cells) => cells.map(counted))
          )
        )
        if (report.next !== null) yield* Effect.logInfo(`there are more than ${limit} rows; --limit shows more`)
      })
    )
).pipe(
  Command.withDescription(
    help(
      "Report usage and cost. Days are whole UTC days.",
      "gateway usage --by model --since 30d",
      "gateway usage --by key --account team-a --since 2026-01-01 --until 2026-01-31 --csv",
      "gateway usage --by request --since 1h --json"
    )
  )
)

const sums = [
  "INPUT",
  "CACHE READ",
  "CACHE WRITE",
  "OUTPUT",
  "REASONING",
  "SEARCHES",
  "VIDEO SECONDS",
  "USD",
  "UPSTREAM USD"
]

const headerOf = (by: UsageRecord["by"]) =>
  by === "request"
    ? ["TIME", "REQUEST", "ACCOUNT", "KEY", "MODEL", "UPSTREAM", "OUTCOME", ...sums]
    : [...(by === "key" ? ["KEY", "NAME"] : [by.toUpperCase()]), "REQUESTS", ...sums]

const snake = (name: string) => name.toLowerCase().replaceAll(" ", "_")

const rowOf =
  (by: UsageRecord["by"]) =>
  (row: Row): ReadonlyArray<string> => [
    ...("group" in row
      ? [row.group, ...(by === "key" ? [row.name ?? ""] : []), String(row.requests)]
      : [row.time, row.request_id, row.account, row.key, row.model, row.upstream, row.outcome]),
    ...amounts(row)
  ]

const amounts = (row: Row | UsageRecord["totals"]) => [
  String(row.input_tokens),
  String(row.cache_read_tokens),
  String(row.cache_write_tokens),
  String(row.output_tokens),
  String(row.reasoning_tokens),
  String(row.searches),
  String(row.video_seconds),
  row.cost.usd,
  row.upstream_cost?.usd ?? ""
]

/** The row of totals. */
const totalsRow = ({ by, totals }: UsageRecord, columns: number) => {
  const sums = [...(by === "request" ? [] : [String(totals.requests)]), ...amounts(totals)]
  const names = columns - sums.length
  return ["total", ...Array.from({ length: names - 1 }, () => ""), ...sums]
}

export const usageCommand = remoteLeaf(usage)
