import { Command } from "@effect/cli"
import { Effect } from "effect"
import type { ModelRecord } from "../admin/UpstreamRecord.ts"
import { administering } from "./administering.ts"
import { remoteLeaf } from "./frame/leaf.ts"
import { help, json, print, wide } from "./options.ts"
import { Operator } from "./operator/Operator.ts"
import { listTable } from "./table.ts"

const models = Command.make("models", { wide, json }, ({ json, wide }) =>
  administering(
    Effect.gen(function* () {
      const { models } = yield* Operator
      const records = yield* models
      yield* print(json, records, () => listTable(header, records.map(row), { rare, wide }))
    })
  )
).pipe(
  Command.withDescription(
    help(
      "List the models of a running gateway, with routes, prices, price sources and inputs. Uses its admin API, also on this machine (GATEWAY_ADMIN_KEY); `gateway check` needs no gateway.",
      "gateway models",
      "gateway models --url https://gateway.example.com --json"
    )
  )
)

export const modelsCommand = remoteLeaf(models)

const rare = ["TAKES", "PRICE FROM", "CONTEXT", "ROUTES"]
const header = ["MODEL", "KIND", "ROUTES", "CONTEXT", "USD A MILLION TOKENS", "PRICE FROM", "TAKES"]

const row = (model: ModelRecord): ReadonlyArray<string> => [
  model.id,
  model.kind,
  model.routes.map(({ model, upstream }) => `${upstream}/${model}`).join(", "),
  model.context_tokens === null ? "" : model.context_tokens.toLocaleString("en"),
  priceOf(model.price),
  [model.price_source.from, model.price_source.as_of ?? ""].join(" ").trim(),
  takenOf(model)
]

/** Inputs besides text, and the resolutions of videos. */
const takenOf = ({ capabilities: { resolutions, takes } }: ModelRecord): string =>
  [...takes, ...(resolutions ?? [])].join(", ")

const priceOf = (price: ModelRecord["price"]): string => {
  if (price === null) return "no price"
  const parts = [
    [price.input, "in"],
    [price.output, "out"],
    [price.per_search, "a search"],
    [price.per_second, "a second"]
  ] as const
  return parts.flatMap(([usd, what]) => (usd === 0 ? [] : [`${usd} ${what}`])).join(", ") || "free"
}
