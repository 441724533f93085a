import { Args, Command, Options } from "@effect/cli"
import { Effect, Option } from "effect"
import { boundsOf, isModelFound } from "../admin/modelText.ts"
import type { ModelRecord } from "../admin/UpstreamRecord.ts"
import { costText } from "../contract/text/usdText.ts"
import { administer } from "./administer.ts"
import { remoteLeaf } from "./frame/leaf.ts"
import { help, json, moment, print, wide } from "./options.ts"
import { Operator } from "./operator/Operator.ts"
import { priceText } from "./priceShown.ts"
import { listTable } from "./table.ts"

const search = Args.text({ name: "search" }).pipe(
  Args.withDescription("Only models whose id, kind or routes contain it."),
  Args.optional
)

const since = moment("since", "Start of the use, of the last 31 days (24h).").pipe(Options.withDefault("24h"))

const models = Command.make("models", { search, since, wide, json }, ({ json, search, since, wide }) =>
  administer(
    Effect.gen(function* () {
      const { models } = yield* Operator
      const all = yield* models(since)
      const records = Option.match(search, {
        onNone: () => all,
        onSome: (text) => all.filter((model) => isModelFound(text, model))
      })
      yield* print(json, records, () => modelTable(records, wide))
      if (!json && records.length === 0) yield* Effect.logInfo("no model matches")
    })
  )
).pipe(
  Command.withDescription(
    help(
      "List the models of a running gateway, with use, latency, prices, bounds and routes. Prices are for a million tokens; times until the end of an answer. Uses its admin API, also on this machine (GATEWAY_ADMIN_KEY); `gateway check` needs no gateway.",
      "gateway models",
      "gateway models claude --since 7d",
      "gateway models --wide",
      "gateway models --url https://gateway.example.com --json"
    )
  )
)

export const modelsCommand = remoteLeaf(models)

const rare = [
  "TAKES",
  "PRICE FROM",
  "BOUNDS",
  "ROUTES",
  "KIND",
  "TOKENS",
  "FIRST BYTE",
  "P50",
  "ERRORS",
  "CONTEXT",
  "CACHED"
]
const header = [
  "MODEL",
  "KIND",
  "REQUESTS",
  "ERRORS",
  "TOKENS",
  "COST",
  "P50",
  "P95",
  "FIRST BYTE",
  "CACHED",
  "PRICE",
  "PRICE FROM",
  "CONTEXT",
  "BOUNDS",
  "TAKES",
  "ROUTES"
]

/** A table of models. */
export const modelTable = (models: ReadonlyArray<ModelRecord>, isWide: boolean, width?: number): string =>
  listTable(header, models.map(row), { rare, wide: isWide, ...(width !== undefined && { width }) })

const row = (model: ModelRecord): ReadonlyArray<string> => [
  model.id,
  model.kind,
  ...useOf(model.use),
  priceText(model.price),
  [model.price_source.from, model.price_source.as_of ?? ""].join(" ").trim(),
  model.context_tokens === null ? "" : number(model.context_tokens),
  boundsOf(model).join("; "),
  model.capabilities.takes.join(", "),
  model.routes.map(({ model, upstream }) => `${upstream}/${model}`).join(", ")
]

/** The cells from `REQUESTS` to `CACHED`. */
const useOf = (use: ModelRecord["use"]): ReadonlyArray<string> =>
  use === null
    ? Array.from({ length: 8 }, () => "")
    : [
        number(use.requests),
        number(use.errors),
        number(use.input_tokens + use.output_tokens),
        use.requests === 0 && use.cost_usd === 0 ? "" : costText(use.cost_usd),
        ms(use.duration_ms?.p50),
        ms(use.duration_ms?.p95),
        ms(use.first_byte_ms?.p50),
        use.cache_hit_rate === null ? "" : `${(100 * use.cache_hit_rate).toFixed(1)} %`
      ]

const number = (count: number): string => count.toLocaleString("en")

const ms = (duration: number | undefined): string =>
  duration === undefined ? "" : duration < 1_000 ? `${duration} ms` : `${(duration / 1_000).toFixed(2)} s`
