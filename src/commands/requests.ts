import { Command, Options } from "@effect/cli"
import { Clock, Console, Effect, Option, Schedule, Schema } from "effect"
import { usdText } from "../contract/text/usdText.ts"
import type { RequestHistogram } from "../requests/RequestHistogram.ts"
import { administer } from "./administer.ts"
import { exportRequests } from "./exportRequests.ts"
import { remoteLeaf } from "./frame/leaf.ts"
import type { Group } from "./frame/leaf.ts"
import { help, json, limitOption, moment, print, shortTime, wide } from "./options.ts"
import { Operator } from "./operator/Operator.ts"
import { requestConversation } from "./requestConversation.ts"
import { filterOf, filters, id, times, requestFilter } from "./requestFilters.ts"
import { requestShown } from "./requestShown.ts"
import { requestHeader, requestRow, requestTable } from "./requestTable.ts"
import { oneLine, table } from "./table.ts"

const list = Command.make(
  "list",
  {
    ...filters,
    ...times,
    limit: limitOption(50),
    wide,
    json
  },
  ({ json, limit, since, until, wide, ...given }) =>
    administer(
      Effect.gen(function* () {
        const nowMs = yield* Clock.currentTimeMillis
        const { requests } = yield* Operator
        const all = yield* requests.list(yield* requestFilter(given, since, until, nowMs), limit)
        yield* print(json, all, () => requestTable(all, wide))
      })
    )
).pipe(
  Command.withDescription(
    help(
      "List finished requests, newest first.",
      "gateway requests list --status 5xx --since 1h",
      "gateway requests list --account team-a --model 'claude-*' --tag prod --json"
    )
  )
)

const histogram = Command.make(
  "histogram",
  {
    ...filters,
    from: moment("from", "Begun since: 7d, 24h, a UTC day or a time (24h).").pipe(Options.withDefault("24h")),
    to: moment("to", "Begun before then (now).").pipe(Options.optional),
    buckets: Options.integer("buckets").pipe(
      Options.withSchema(Schema.Int.pipe(Schema.between(1, 1_000))),
      Options.withDescription("The approximate number of lines (24); each covers a round period."),
      Options.withDefault(24)
    ),
    json
  },
  ({ buckets, from, json, to, ...given }) =>
    administer(
      Effect.gen(function* () {
        const { requests } = yield* Operator
        const span = { buckets, from, to: Option.getOrUndefined(to) }
        const counted = yield* requests.histogram(filterOf(given), span)
        yield* print(json, counted, () => bars(counted))
      })
    )
).pipe(
  Command.withDescription(
    help(
      "Count requests by when they came and how they ended.",
      "gateway requests histogram --from 1h",
      "gateway requests histogram --from 7d --outcome refused --json"
    )
  )
)

const show = Command.make("show", { id, json }, ({ id, json }) =>
  administer(
    Effect.gen(function* () {
      const { requests } = yield* Operator
      const request = yield* requests.show(id)
      yield* print(json, request, () => requestShown(request))
    })
  )
).pipe(
  Command.withDescription(
    help("Show a request: its outcome, attempts, durations and cost.", "gateway requests show req_…")
  )
)

const pollEvery = "500 millis"

const tail = Command.make("tail", { ...filters, json }, ({ json, ...given }) =>
  administer(
    Effect.gen(function* () {
      const { requests } = yield* Operator
      const filter = filterOf(given)
      if (!json) yield* Console.log(fixed(requestHeader))
      const next = yield* requests.follow(filter)
      const poll = Effect.flatMap(next, (ended) =>
        Effect.forEach(ended, (request) => Console.log(json ? JSON.stringify(request) : fixed(requestRow(request))), {
          discard: true
        })
      )
      yield* Effect.repeat(poll, Schedule.spaced(pollEvery))
    })
  )
).pipe(
  Command.withDescription(
    help("Print requests as they end, until stopped.", "gateway requests tail", "gateway requests tail --status 5xx")
  )
)

export const requestsCommand: Group = {
  name: "requests",
  commands: [
    remoteLeaf(list),
    remoteLeaf(show),
    remoteLeaf(requestConversation),
    remoteLeaf(exportRequests),
    remoteLeaf(histogram),
    remoteLeaf(tail)
  ]
}

/** Characters of the longest bar. */
const widest = 30

const bars = ({ data, total }: RequestHistogram): string => {
  const most = Math.max(1, ...data.map(({ requests }) => requests))
  const line = (name: string, of: RequestHistogram["total"], bar: string) => [
    name,
    String(of.requests),
    String(of.refused),
    String(of.failed),
    String(of.hang_ups),
    usdText(of.cost_usd),
    bar
  ]
  return table(
    ["TIME", "REQUESTS", "REFUSED", "FAILED", "HANG-UPS", "COST", ""],
    [
      ...data.map((of) => line(shortTime(of.time), of, "#".repeat(Math.ceil((widest * of.requests) / most)))),
      line("all", total, "")
    ]
  )
}

/** Column widths of `tail`, which can't know the rows to come. */
const widths = [19, 28, 12, 20, 10, 8, 6, 7]
const fixed = (cells: ReadonlyArray<string>): string =>
  cells
    .map((cell, column) => oneLine(cell).padEnd(widths[column] ?? 0))
    .join("  ")
    .trimEnd()
