import { measuresIn, rowOf } from "../contract/records/measures.ts"
import { Command, Options } from "@effect/cli"
import { Console, Effect, Option } from "effect"
import { InvalidRequest } from "../contract/failures/Failure.ts"
import { groupsCsv } from "../requests/groupsAnswer.ts"
import { groupingOf, groupingWords } from "../requests/OverviewGroups.ts"
import type { OverviewGroups } from "../requests/OverviewGroups.ts"
import type { TrafficCost } from "../requests/TrafficCost.ts"
import { usdText } from "../contract/text/usdText.ts"
import { administer } from "./administer.ts"
import { account, help, json, limitOption, moment, optionalText, print, shortTime, wide } from "./options.ts"
import { Operator } from "./operator/Operator.ts"
import { withSeparators, listTable } from "./table.ts"
import { remoteLeaf } from "./frame/leaf.ts"

const overview = Command.make(
  "overview",
  {
    by: Options.text("by").pipe(
      Options.withPseudoName("model|upstream|account|key|tag|user|service_tier"),
      Options.filterMap(
        (text) => (groupingOf(text) === undefined ? Option.none() : Option.some(text)),
        `--by: expected ${groupingWords}`
      ),
      Options.withDescription("The grouping of rows (model); or two of the first four: account,key."),
      Options.withDefault("model")
    ),
    from: moment("from", "Start: 7d, 24h, yesterday, this-month, a UTC day or a time (24h).").pipe(
      Options.withDefault("24h")
    ),
    to: moment("to", "End; of a day, its end (now, or the end of --from yesterday).").pipe(Options.optional),
    account,
    key: optionalText("key", "Only this key's: its id or name."),
    model: optionalText("model", "Only this model's; * stands for any characters."),
    upstream: optionalText("upstream", "Only those that this upstream answered."),
    on: optionalText("on", "The cost of this traffic on another MODEL, by its price."),
    limit: limitOption(20, 10_000),
    csv: Options.boolean("csv").pipe(Options.withDescription("Print CSV.")),
    wide,
    json
  },
  ({ account, by, csv: asCsv, from, json, key, limit, model, on, to, upstream, wide }) =>
    administer(
      Effect.gen(function* () {
        if (asCsv && (json || Option.isSome(on))) {
          return yield* new InvalidRequest({
            param: "csv",
            message: "--csv: expected neither --json nor --on beside it"
          })
        }
        const operator = yield* Operator
        const span = {
          from,
          to: Option.getOrUndefined(to) ?? (from === "yesterday" ? "yesterday" : undefined),
          account: Option.getOrUndefined(account),
          key: Option.getOrUndefined(key),
          model: Option.getOrUndefined(model),
          upstream: Option.getOrUndefined(upstream)
        }
        if (Option.isSome(on)) {
          const cost = yield* operator.costOn(on.value, span)
          return yield* print(json, cost, () => costShown(cost, wide))
        }
        const groups = yield* operator.groups({ ...span, by, limit })
        if (asCsv) return yield* Console.log(yield* groupsCsv(groups))
        yield* print(json, groups, () => groupsShown(groups, wide))
        if (groups.count > groups.data.length) {
          yield* Effect.logInfo(`there are ${groups.count} rows; --limit shows more`)
        }
      })
    )
).pipe(
  Command.withDescription(
    help(
      "Compare traffic by group with the period before, or price it as another model's.",
      "gateway overview --by account,model --from yesterday",
      "gateway overview --by upstream --from 24h",
      "gateway overview --from 7d --account team-a --on gpt-6-mini"
    )
  )
)

export const overviewCommand = remoteLeaf(overview)

type Row = OverviewGroups["data"][number]
type Figures = Omit<OverviewGroups["total"], "before">

const settled = measuresIn("usage_hours")

const rare = [
  "RERANK UNITS",
  "IMAGES",
  "CHARACTERS",
  "AUDIO SECONDS",
  "BEFORE",
  "CACHE WRITE",
  "CACHE READ",
  "FIRST BYTE P95",
  "UPSTREAM USD",
  "OUTPUT",
  "INPUT",
  "CACHED",
  "ATTEMPTS",
  "P50"
]

const groupsShown = (groups: OverviewGroups, isWide: boolean): string => {
  const { by, data, total } = groups
  const isByUpstream = by === "upstream"
  const names = by.split(",").map((name) => (name === "user" ? "END USER" : name.toUpperCase()))
  const hasKeys = by.includes("key")
  const header = [
    ...names,
    ...(hasKeys ? ["NAME"] : []),
    "REQUESTS",
    "ERRORS",
    ...(isByUpstream ? ["ATTEMPTS", "FAILED", "HIDDEN", "TRY P95"] : []),
    "P50",
    "P95",
    "P95 WAS",
    "FIRST BYTE P95",
    ...settled.map((measure) => rowOf(measure).heading ?? ""),
    "CACHED",
    "USD",
    "UPSTREAM USD",
    "BEFORE"
  ]
  const attempts = (of: Row["attempts"]) =>
    isByUpstream ? [count(of?.attempts), count(of?.failed), count(of?.hidden), ms(of?.duration_ms?.p95)] : []
  const cells = (of: Figures & Pick<OverviewGroups["total"], "before">, tries: ReadonlyArray<string>) => [
    count(of.requests),
    count(of.errors),
    ...tries,
    ms(of.duration_ms?.p50),
    ms(of.duration_ms?.p95),
    ms(of.before?.duration_ms?.p95),
    ms(of.first_byte_ms?.p95),
    ...settled.map((measure) => count(of[measure])),
    of.cache_hit_rate === null ? "" : `${Math.round(of.cache_hit_rate * 100)}%`,
    usdText(of.cost_usd),
    usdText(of.upstream_cost_usd ?? 0),
    usdText(of.before?.cost_usd ?? 0)
  ]
  const rows = data.map((row) => [
    row.group === "" ? "–" : row.group,
    ...(names.length === 2 ? [row.second === "" ? "–" : (row.second ?? "")] : []),
    ...(hasKeys ? [row.name ?? ""] : []),
    ...cells(row, attempts(row.attempts))
  ])
  const sums = [
    "total",
    ...names.slice(1).map(() => ""),
    ...(hasKeys ? [""] : []),
    ...cells(total, attempts(undefined))
  ]
  return [
    `${shortTime(groups.from)} to ${shortTime(groups.to)} UTC; P95 WAS, BEFORE: the same time before`,
    "",
    listTable(header, [...rows, sums], { ids: ["KEY"], rare: isByUpstream ? [...rare, "ERRORS"] : rare, wide: isWide })
  ].join("\n")
}

const costShown = (
  { data, from, model, not_priced, price_source, rows_since, to, total }: TrafficCost,
  isWide: boolean
): string =>
  [
    `${shortTime(from)} to ${shortTime(to)} UTC, at the price of ${model} (${price_source.from})`,
    "",
    listTable(
      ["MODEL", "REQUESTS", "USD", "USD THERE"],
      [
        ...data.map((row) => [
          row.model,
          count(row.requests),
          usdText(Number(row.cost.usd)),
          row.cost_there === null ? "–" : usdText(Number(row.cost_there.usd))
        ]),
        ["total", count(total.requests), usdText(Number(total.cost.usd)), usdText(Number(total.cost_there?.usd ?? 0))]
      ],
      { rare: [], wide: isWide }
    ),
    ...(not_priced === 0
      ? []
      : [
          "",
          not_priced === 1
            ? "1 request can't be priced there (–) and is not in the total"
            : `${withSeparators(String(not_priced))} requests can't be priced there (–) and are not in the total`
        ]),
    ...(rows_since === undefined ? [] : ["", `rows from before ${rows_since} were removed and are not counted`])
  ].join("\n")

const count = (value: number | undefined): string => (value === undefined ? "" : withSeparators(String(value)))
const ms = (value: number | undefined): string => (value === undefined ? "" : `${value} ms`)
