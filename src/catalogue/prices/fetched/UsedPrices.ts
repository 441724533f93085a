import { Effect, Layer } from "effect"
import { PriceLists } from "../../store/PriceLists.ts"
import { fetchedList, FetchedPrices } from "./FetchedList.ts"
import type { FetchedList } from "./FetchedList.ts"

/** The stored list as this process last read it. */
export class UsedPrices extends Effect.Service<UsedPrices>()("gateway/catalogue/prices/fetched/UsedPrices", {
  dependencies: [PriceLists.Default],
  effect: Effect.gen(function* () {
    const lists = yield* PriceLists
    let used: FetchedList | undefined

    /** Reads the stored list. If that fails, the last one stays in use. */
    const load: Effect.Effect<FetchedList | undefined> = lists.read.pipe(
      Effect.map((stored) => {
        used = stored === undefined ? undefined : fetchedList(stored.document, stored)
        return used
      }),
      Effect.catchAll((error) =>
        Effect.as(Effect.logWarning("the fetched list of prices can't be read; the last one stays in use", error), used)
      )
    )

    return { load, current: () => used } as const
  })
}) {}

/** The prices that models are loaded with. */
export const FetchedPricesLive = Layer.effect(
  FetchedPrices,
  Effect.map(UsedPrices, ({ load }) => load)
)
