import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { Actor } from "../contract/callers/Acting.ts"
import { UpstreamFailed } from "../contract/failures/Failure.ts"
import type { ListPlace } from "../catalogue/prices/fetched/fetchList.ts"
import { PriceRefresh } from "../catalogue/prices/fetched/PriceRefresh.ts"
import { PriceLists } from "../catalogue/store/PriceLists.ts"
import { priceListRecord } from "./PriceListRecord.ts"
import type { PriceListRecord } from "./PriceListRecord.ts"
import { Audit } from "./store/Audit.ts"

/** The fetched list of prices, which all nodes share. */
export class PriceAdministration extends Effect.Service<PriceAdministration>()("gateway/admin/PriceAdministration", {
  dependencies: [PriceRefresh.Default, PriceLists.Default, Audit.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const prices = yield* PriceRefresh
    const lists = yield* PriceLists
    const audit = yield* Audit

    /** @param accepts true to use prices that moved more than tenfold, too */
    const refresh = (
      actor: Actor,
      place: ListPlace,
      accepts: boolean
    ): Effect.Effect<PriceListRecord, UpstreamFailed> =>
      Effect.gen(function* () {
        const record = priceListRecord(yield* prices.refresh(place, accepts), accepts)
        const { moves: _, object: __, ...after } = record
        yield* Effect.orDie(audit.record({ actor, action: "prices.refresh", target: "prices", before: null, after }))
        return record
      }).pipe(
        Effect.catchTag(
          "BadPriceList",
          ({ message }) =>
            new UpstreamFailed({ message: `${place.from}: ${message}; the list that was in use stays in use` })
        )
      )

    /** Removes the list, so that the built-in one counts. False if there is none. */
    const reset = (actor: Actor): Effect.Effect<boolean> =>
      Effect.tap(lists.remove, (isRemoved) =>
        isRemoved
          ? audit.record({ actor, action: "prices.reset", target: "prices", before: null, after: null })
          : Effect.void
      ).pipe((effect) => sql.withTransaction(effect), Effect.orDie)

    return { refresh, reset } as const
  })
}) {}
