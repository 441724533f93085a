import { Clock, Effect, Layer } from "effect"
import { Configuration } from "../../../config/Configuration.ts"
import { usualPriceList } from "../../../config/sections/Prices.ts"
import { Settings } from "../../../config/Settings.ts"
import { daemon } from "../../../flow/daemon.ts"
import { Daemons } from "../../../flow/Daemons.ts"
import { backoff } from "../../../flow/schedules.ts"
import { PriceLists } from "../../store/PriceLists.ts"
import type { ListHead } from "../../store/PriceLists.ts"
import { PriceRefresh } from "./PriceRefresh.ts"
import type { Refreshed } from "./PriceRefresh.ts"
import { UsedPrices } from "./UsedPrices.ts"

const hourMs = 3_600_000
/** The pause after a failed fetch. */
const retryMs = hourMs / 4
const lookEvery = "20 seconds"
/** Moves that are named in the log. */
const mostNamed = 10

/** True if the stored list is older than the setting, or from another address. */
export const isDue = (head: ListHead | undefined, from: string, periodMs: number, nowMs: number): boolean =>
  head?.fetched_at == null || head.source !== from || head.fetched_at + periodMs <= nowMs

/**
 * Fetches the published list of prices when it is due, on one of the nodes, and loads the models again on each node when
 * the stored list has changed.
 */
export const PriceRefreshLive = Layer.scopedDiscard(
  Effect.gen(function* () {
    const configuration = yield* Configuration
    const { proxyOf } = yield* Settings
    const lists = yield* PriceLists
    const used = yield* UsedPrices
    const { refresh } = yield* PriceRefresh

    const fetching = Effect.gen(function* () {
      const { prices } = configuration.current().value
      if (prices?.refresh_hours === undefined) return
      const from = prices.from ?? usualPriceList
      const nowMs = yield* Clock.currentTimeMillis
      if (!isDue(yield* lists.head, from, prices.refresh_hours * hourMs, nowMs)) return
      if (!(yield* lists.claim(nowMs, nowMs - retryMs))) return
      yield* Effect.matchEffect(refresh({ from, proxy: proxyOf(from) }, false), {
        onFailure: ({ message }) =>
          Effect.logWarning(`the list of prices was not refreshed from ${from}: ${message}; the last one stays in use`),
        onSuccess: tell
      })
    })

    const following = Effect.catchTag(used.follow(configuration.renew), "BadSettings", ({ message }) =>
      Effect.logWarning(message)
    )

    yield* daemon("prices", Effect.as(Effect.zipRight(fetching, following), Effect.sleep(lookEvery)), backoff)
  })
).pipe(Layer.provide([PriceLists.Default, PriceRefresh.Default, Daemons.Default]))

const tell = ({ changed, moved, prices, source }: Refreshed) => {
  const fetched = Effect.logInfo(
    `the list of prices was refreshed from ${source}: ${prices} prices, ${changed} changed`
  )
  if (moved.length === 0) return fetched
  const names = moved.slice(0, mostNamed).map(({ name }) => name)
  const others = moved.length > names.length ? ` and ${moved.length - names.length} more` : ""
  return Effect.zipRight(
    fetched,
    Effect.logWarning(
      `prices that moved more than tenfold are not used (gateway prices refresh --accept uses them): ${names.join(", ")}${others}`
    )
  )
}
