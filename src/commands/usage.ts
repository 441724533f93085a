import { Command, Options } from "@effect/cli"
import { Console, Effect, Option } from "effect"
import { AccountId } from "../contract/callers/Caller.ts"
import { usdText } from "../contract/text/usdText.ts"
import { InvalidRequest } from "../contract/failures/Failure.ts"
import { byWords, usageByOf } from "../ledger/usageBy.ts"
import { usageAmounts, usageCells, usageCsv, usageHeader } from "../ledger/usageTable.ts"
import type { UsageRecord } from "../ledger/UsageRecord.ts"
import { administer } from "./administer.ts"
import { account, help, json, limitOption, moment, optionalText, print, wide } from "./options.ts"
import { Operator } from "./operator/Operator.ts"
import { withSeparators, listTable } from "./table.ts"
import { remoteLeaf } from "./frame/leaf.ts"

const usage = Command.make(
  "usage",
  {
    by: Options.text("by").pipe(
      Options.withPseudoName("day|model|key|account|upstream|service_tier|tag|end_user|request"),
      Options.filterMap(
        (text) => (usageByOf(text) === undefined ? Option.none() : Option.some(text)),
        `--by: expected ${byWords}`
      ),
      Options.withDescription("The grouping of rows (day); or two of the first six: key,model."),
      Options.withDefault("day")
    ),
    since: moment("since", "Start of the period: 7d, 24h, yesterday, a UTC day or a time (7d).").pipe(
      Options.withDefault("7d")
    ),
    until: moment("until", "End of the period, inclusive (now).").pipe(Options.optional),
    account,
    key: optionalText("key", "Only this key's: its id."),
    model: optionalText("model", "Only this model's."),
    limit: limitOption(1_000),
    csv: Options.boolean("csv").pipe(Options.withDescription("Print CSV.")),
    wide,
    json
  },
  ({ account, by, csv: asCsv, json, key, limit, model, since, until, wide }) =>
    administer(
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
        if (asCsv) return yield* Console.log(yield* usageCsv(report))
        const header = usageHeader(report)
        yield* print(json, report, () =>
          listTable(
            header,
            [...report.data.map((row) => usageCells(report, row)), totalsRow(report, header.length)].map((cells) =>
              cells.map((cell, column) =>
                header[column]?.endsWith("USD") ? usdText(Number(cell)) : withSeparators(cell)
              )
            ),
            { ids: ["KEY", "REQUEST"], rare: by === "request" ? [...rare, "KEY", "ACCOUNT"] : rare, wide }
          )
        )
        if (report.from === "request rows") {
          yield* Effect.logInfo(
            "from the rows of requests, which are kept for a while; a request counts for each of its tags"
          )
        }
        if (report.rows_since !== undefined) {
          yield* Effect.logInfo(`rows from before ${report.rows_since} were removed; the total counts them`)
        }
        if (report.next !== null) yield* Effect.logInfo(`there are more than ${limit} rows; --limit shows more`)
      })
    )
).pipe(
  Command.withDescription(
    help(
      "Report usage and cost. Days are whole UTC days.",
      "gateway usage --by model --since 30d",
      "gateway usage --by key --account team-a --since 2026-01-01 --until 2026-01-31 --csv",
      "gateway usage --by upstream,day --since yesterday --until yesterday",
      "gateway usage --by tag --since 30d",
      "gateway usage --by request --since 1h --json"
    )
  )
)

const rare = [
  "RERANK UNITS",
  "IMAGES",
  "CHARACTERS",
  "AUDIO SECONDS",
  "SEARCHES",
  "VIDEO SECONDS",
  "REASONING",
  "CACHE WRITE",
  "UPSTREAM USD",
  "OUTCOME",
  "UPSTREAM",
  "CACHE READ",
  "ABOVE HOLD USD"
]

/** The row of totals. */
const totalsRow = ({ by, totals }: UsageRecord, columns: number) => {
  const sums = [...(by === "request" ? [] : [String(totals.requests)]), ...usageAmounts(totals)]
  const names = columns - sums.length
  return ["total", ...Array.from({ length: names - 1 }, () => ""), ...sums]
}

export const usageCommand = remoteLeaf(usage)
