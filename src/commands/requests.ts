import { Args, Command, Options } from "@effect/cli"
import { Clock, Console, Effect, Option, Schedule, Schema } from "effect"
import { readTime } from "../contract/timeQuery.ts"
import { outcomeOf, outcomes } from "../requests/outcome.ts"
import type { Outcome } from "../requests/outcome.ts"
import type { RequestHistogram } from "../requests/RequestHistogram.ts"
import type { RequestView } from "../requests/RequestView.ts"
import type { RequestFilter } from "../requests/store/matching.ts"
import { administering } from "./administering.ts"
import { remoteLeaf } from "./frame/leaf.ts"
import type { Group } from "./frame/leaf.ts"
import { account, help, json, limitOption, moment, optionalText, print, shortTime, wide } from "./options.ts"
import { Operator } from "./operator/Operator.ts"
import { requestShown } from "./requestShown.ts"
import { listTable, oneLine, table, usd } from "./table.ts"

const id = Args.text({ name: "id" }).pipe(Args.withDescription("A reply's x-request-id (req_…)."))

const Status = Schema.String.pipe(
  Schema.pattern(/^[1-5](\d\d|xx)$/, { message: () => "expected a status such as 429, or a class such as 4xx" })
)

const filters = {
  account,
  id: optionalText("id", "Only those whose id matches: req_ab*."),
  key: optionalText("key", "Only those that came with this key: its id or name."),
  family: optionalText("family", "Only these: messages, responses, chat, embeddings, videos."),
  model: optionalText("model", "Only this model's; * stands for any characters, here and in other filters."),
  upstream: optionalText("upstream", "Only those that this upstream answered, or refused as the last one."),
  attempt: optionalText("attempt", "Only those with an attempt at this upstream."),
  tag: optionalText("tag", "Only those with this tag: prod, team=*."),
  client: optionalText("client", "Only those of this client: OpenAI/Python *."),
  user: optionalText("user", "Only those for this end user."),
  task: optionalText("task", "Only the one that made this task."),
  search: optionalText("search", "Only those with these words in a listed field."),
  status: Options.text("status").pipe(
    Options.withSchema(Status),
    Options.withDescription("Only these: 429, or a class of them, 4xx."),
    Options.optional
  ),
  error: optionalText("error", "Only those that ended with this: rate_limited, hang_up, …"),
  outcome: Options.choice("outcome", outcomes).pipe(
    Options.withDescription("Only those with this outcome; cut: failed after a 200, hang_up: the caller left."),
    Options.optional
  )
}

type Filters = { readonly [Name in Exclude<keyof typeof filters, "outcome">]: Option.Option<string> } & {
  readonly outcome: Option.Option<Outcome>
}

const filterOf = (given: Filters): RequestFilter => ({
  account: Option.getOrUndefined(given.account),
  id: Option.getOrUndefined(given.id),
  key: Option.getOrUndefined(given.key),
  family: Option.getOrUndefined(given.family),
  model: Option.getOrUndefined(given.model),
  upstream: Option.getOrUndefined(given.upstream),
  attempt: Option.getOrUndefined(given.attempt),
  tag: Option.getOrUndefined(given.tag),
  client: Option.getOrUndefined(given.client),
  user: Option.getOrUndefined(given.user),
  task: Option.getOrUndefined(given.task),
  search: Option.getOrUndefined(given.search),
  status: Option.getOrUndefined(Option.map(given.status, (text) => Number(text.replace("xx", "")))),
  error: Option.getOrUndefined(given.error),
  outcome: Option.getOrUndefined(given.outcome)
})

const list = Command.make(
  "list",
  {
    ...filters,
    since: moment("since", "Begun since: 7d, 24h, a UTC day or a time (24h).").pipe(Options.withDefault("24h")),
    until: moment("until", "Begun until then (now).").pipe(Options.optional),
    limit: limitOption(50),
    wide,
    json
  },
  ({ json, limit, since, until, wide, ...given }) =>
    administering(
      Effect.gen(function* () {
        const nowMs = yield* Clock.currentTimeMillis
        const untilMs = Option.getOrUndefined(Option.map(until, (text) => readTime(text, nowMs, true)))
        const { requests } = yield* Operator
        const all = yield* requests.list({ ...filterOf(given), sinceMs: readTime(since, nowMs), untilMs }, limit)
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
    administering(
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
  administering(
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
  administering(
    Effect.gen(function* () {
      const { requests } = yield* Operator
      const filter = filterOf(given)
      if (!json) yield* Console.log(fixed(header))
      const next = yield* requests.follow(filter)
      const poll = Effect.flatMap(next, (ended) =>
        Effect.forEach(ended, (request) => Console.log(json ? JSON.stringify(request) : fixed(row(request))), {
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
  commands: [remoteLeaf(list), remoteLeaf(histogram), remoteLeaf(show), remoteLeaf(tail)]
}

/** A table of requests with a row of sums. */
export const requestTable = (all: ReadonlyArray<RequestView>, wide = false): string =>
  listTable(header, [...all.map(row), ...(all.length > 1 ? [sums(all)] : [])], { rare, wide })

const rare = ["UPSTREAM", "ACCOUNT", "TOKENS", "MS", "USD", "TIME"]
const header = ["TIME", "REQUEST", "ACCOUNT", "MODEL", "UPSTREAM", "STATUS", "MS", "TOKENS", "USD"]

const row = (request: RequestView): ReadonlyArray<string> => [
  shortTime(request.time),
  request.request_id,
  request.account,
  request.model ?? request.endpoint,
  request.upstream ?? "",
  request.error === null ? String(request.status) : `${request.status} ${request.error}`,
  String(request.duration_ms),
  String(allTokens(request)),
  request.cost_usd === null ? "" : usd(request.cost_usd)
]

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
    usd(of.cost_usd),
    bar
  ]
  return table(
    ["TIME", "REQUESTS", "REFUSED", "FAILED", "HANG-UPS", "USD", ""],
    [
      ...data.map((of) => line(shortTime(of.time), of, "#".repeat(Math.ceil((widest * of.requests) / most)))),
      line("all", total, "")
    ]
  )
}

const allTokens = (request: RequestView): number =>
  request.input_tokens + request.cache_read_tokens + request.cache_write_tokens + request.output_tokens

/** The row of sums. Failures include errors after a 200, but not hang-ups. */
const sums = (all: ReadonlyArray<RequestView>): ReadonlyArray<string> => {
  const failed = all.filter((request) => outcomeOf(request) !== "finished" && outcomeOf(request) !== "hang_up").length
  return [
    `${all.length} requests`,
    "",
    "",
    "",
    "",
    failed === 0 ? "" : `${failed} failed`,
    "",
    String(all.reduce((sum, request) => sum + allTokens(request), 0)),
    usd(all.reduce((sum, { cost_usd }) => sum + (cost_usd ?? 0), 0))
  ]
}

/** Column widths of `tail`, which can't know the rows to come. */
const widths = [19, 28, 12, 20, 10, 8, 6, 7]
const fixed = (cells: ReadonlyArray<string>): string =>
  cells
    .map((cell, column) => oneLine(cell).padEnd(widths[column] ?? 0))
    .join("  ")
    .trimEnd()
