import type { SqlError } from "@effect/sql/SqlError"
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

    let isStale = false

    /**
     * Reads the stored list if it has changed, and runs the effect that loads the models with it, once for each change;
     * again if that fails. Models with prices of their own don't read the list, and this version may not be able to.
     */
    const follow = <E>(renew: Effect.Effect<void, E>): Effect.Effect<void, E | SqlError> =>
      Effect.gen(function* () {
        const before = used?.fetchedAtMs
        const stored = (yield* lists.head)?.fetched_at ?? undefined
        if (stored !== before && (yield* load)?.fetchedAtMs !== before) isStale = true
        if (!isStale) return
        yield* renew
        isStale = false
      })

    return { load, follow } as const
  })
}) {}

/** The prices that models are loaded with. */
export const FetchedPricesLive = Layer.effect(
  FetchedPrices,
  Effect.map(UsedPrices, ({ load }) => load)
)
