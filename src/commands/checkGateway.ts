import { Console, Effect, Option } from "effect"
import { contradiction } from "../access/DeclaredKeys.ts"
import { Settings } from "../config/Settings.ts"
import { showUsd } from "../ledger/Price.ts"
import type { Model } from "../models/Catalogue.ts"
import { catalogueOf } from "../models/catalogueOf.ts"
import { priced } from "../models/prices.ts"
import { placeOf } from "../upstreams/fromSettings.ts"
import { sandboxModels } from "../upstreams/sandbox/SandboxText.ts"
import { table } from "./table.ts"
import { sandboxVideoModel } from "../upstreams/sandbox/video/SandboxVideo.ts"

/** Everything the start would complain about, without a start and without the network; else what would be served. */
export const checkGateway = Effect.gen(function* () {
  const { file, filePath } = yield* Settings
  const wrong = contradiction(file)
  if (wrong !== undefined) return yield* wrong
  const upstreams = Object.entries(file.value.upstreams ?? {})
  for (const [name, entry] of upstreams) yield* placeOf(file, name, entry)
  const models = yield* Effect.flatMap(catalogueOf(file, [...sandboxModels, sandboxVideoModel]), priced)
  yield* Console.log(table(header, [...models.values()].map(row)))
  for (const [name, { list_models }] of upstreams) {
    if (list_models === true) yield* Console.log(`and every model that ${name} lists when the gateway starts`)
  }
  yield* Console.log(
    Option.match(filePath, {
      onNone: () => "\nNo gateway.yaml: the sandbox, and the providers whose keys are in the environment.",
      onSome: (path) => `\n${path} is in order.`
    })
  )
}).pipe(Effect.provide(Settings.from(process.env)))

const header = ["MODEL", "KIND", "ROUTES", "CONTEXT", "PRICE (USD a million tokens)"]

const row = (model: Model): ReadonlyArray<string> => [
  model.id,
  model.kind,
  model.routes.map((route) => `${route.upstream}/${route.model}`).join(", "),
  model.contextTokens === undefined ? "" : String(model.contextTokens),
  price(model)
]

const price = ({ price }: Model): string => {
  if (price === undefined) return ""
  const parts = [
    [price.rates.input, "in"],
    [price.rates.output, "out"],
    [price.search, "a search"],
    [price.videoSecond, "a second"]
  ] as const
  return parts.flatMap(([nano, what]) => (nano === 0 ? [] : [`${showUsd(nano)} ${what}`])).join(", ")
}
