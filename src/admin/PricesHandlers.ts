import { Effect } from "effect"
import { Configuration } from "../config/Configuration.ts"
import { usualPriceList } from "../config/sections/Prices.ts"
import { Settings } from "../config/Settings.ts"
import { actorOf } from "../contract/callers/Acting.ts"
import { handlers } from "../contract/handlers.ts"
import type { Handlers } from "../contract/handlers.ts"
import { Administration } from "./Administration.ts"
import { AdminPricesApi } from "./PricesApi.ts"

/** Operations of `/admin/v1/prices`. */
export const makePricesHandlers = Effect.map(
  Effect.all([Administration, Configuration, Settings]),
  ([{ prices }, configuration, { proxyOf }]): Handlers<typeof AdminPricesApi> => {
    const renewed = Effect.catchAll(configuration.renew, ({ message }) => Effect.logWarning(message))
    return {
      refresh: ({ caller, payload: { accept } }) =>
        Effect.suspend(() => {
          const from = configuration.current().value.prices?.from ?? usualPriceList
          return prices.refresh(actorOf(caller), { from, proxy: proxyOf(from) }, accept === true)
        }).pipe(Effect.zipLeft(renewed)),
      reset: ({ caller }) =>
        prices.reset(actorOf(caller)).pipe(
          Effect.zipLeft(renewed),
          Effect.map((deleted) => ({ object: "price_list" as const, deleted }))
        )
    }
  }
)

export const PricesHandlers = handlers(AdminPricesApi, makePricesHandlers)
