import { Console, Effect, Layer } from "effect"
import { Settings } from "../config/Settings.ts"
import { catalogueOf } from "../catalogue/catalogueOf.ts"
import { findPrices, isFreeHere } from "../catalogue/prices.ts"
import { FetchedPrices } from "../catalogue/prices/fetched/FetchedList.ts"
import { UsedPrices } from "../catalogue/prices/fetched/UsedPrices.ts"
import { sandboxModels } from "../sandbox/SandboxText.ts"
import { sandboxVideoModel } from "../sandbox/video/SandboxVideo.ts"
import { logger } from "./administer.ts"
import { priceShown } from "./priceShown.ts"
import { print } from "./options.ts"
import { table } from "./table.ts"
import { CommandSettings } from "./settings.ts"

/** Prints the price of each model on each route, and its source. Needs no network. */
export const checkPrices = (asJson: boolean) =>
  Effect.gen(function* () {
    const { file } = yield* Settings
    const models = yield* catalogueOf(file, [...sandboxModels, sandboxVideoModel])
    const found = findPrices(models, file).pipe(Effect.provideService(FetchedPrices, yield* fetched))
    const prices = [...(yield* found)].flatMap(([model, routes]) =>
      routes.map(({ from, name, price, route }) => ({
        model,
        route: `${route.upstream}/${route.model}`,
        from,
        name,
        price,
        isFreeHere: isFreeHere({ price, route })
      }))
    )
    const records = prices.map(({ from, model, name, price, route }) => ({
      model,
      route,
      from,
      name,
      price: price === undefined ? null : JSON.parse(price.text)
    }))
    yield* print(asJson, records, () =>
      table(
        header,
        prices.map(({ from, model, name, price, route }) => [
          model,
          priceShown(price),
          from,
          from === "nowhere" ? "" : name,
          route
        ])
      )
    )
    if (asJson) return
    const unpriced = prices.filter(({ isFreeHere, price }) => price === undefined && !isFreeHere)
    if (unpriced.length > 0) {
      yield* Console.log(
        file.value.unpriced === "allow"
          ? `\n${unpriced.length} without a price: free of charge (unpriced: allow).`
          : `\n${unpriced.length} without a price: refused to accounts with a balance and keys with a budget. Price them in prices_file, or under models, or set unpriced: allow.`
      )
    }
  }).pipe(Effect.provide(Layer.merge(CommandSettings, logger)))

/** The fetched list in the database, where the configuration has one fetched. */
const fetched = Effect.gen(function* () {
  const settings = yield* Settings
  if (settings.file.value.prices === undefined) return Effect.succeed(undefined)
  const { openDatabase } = yield* Effect.promise(() => import("./operator/local.ts"))
  const list = yield* Effect.flatMap(UsedPrices, ({ load }) => load).pipe(
    Effect.provide(Layer.provide(UsedPrices.Default, openDatabase(false))),
    Effect.catchAll(({ message }) => Effect.as(Effect.logWarning(`without the fetched list: ${message}`), undefined))
  )
  return Effect.succeed(list)
})

const header = ["MODEL", "PRICE (a million tokens)", "FROM", "AS", "ROUTE"]
