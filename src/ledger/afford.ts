import { Effect } from "effect"
import type { Caller } from "../contract/Caller.ts"
import { ModelForbidden } from "../contract/Failure.ts"
import type { Hold } from "./Balances.ts"
import type { Chargeable } from "./Charge.ts"
import type { BalanceOperations, Refused } from "./BalanceOperations.ts"
import { hasMoneyBudget, metersOf } from "./budgets/meters.ts"
import { unpriced } from "./Price.ts"
import type { Price } from "./Price.ts"

/** A request for a model with the prices of its routes. */
export interface Priceable extends Pick<Chargeable, "caller" | "model" | "unpriced"> {
  readonly prices: ReadonlyArray<Price>
}

/** Decides which routes of a request its caller can pay for. */
export const affording = (balances: Pick<BalanceOperations, "isMetered">) => {
  /** True if the caller has a budget or a balance, so that prices must be known. */
  const isBounded = (caller: Caller): boolean => hasMoneyBudget(caller) || balances.isMetered(caller.account)

  /**
   * The prices at which the caller may be answered. Excludes unpriced models for callers with a budget or balance,
   * unless allowed.
   */
  const payable = ({ caller, model, prices, unpriced: policy }: Priceable): ReadonlyArray<Price> | ModelForbidden => {
    if (!prices.includes(unpriced) || (caller.unpriced ?? policy) === "allow" || !isBounded(caller)) return prices
    const priced = prices.filter((price) => price !== unpriced)
    return priced.length > 0 ? priced : new ModelForbidden({ message: `model "${model}" has no price` })
  }

  /**
   * Holds the maximum cost of the most expensive route. If the money does not cover it, falls back to the most
   * expensive affordable price and drops the routes beyond it. Fails if not even the cheapest is affordable.
   */
  const afford = <A>(
    request: Chargeable,
    placeAt: (hold: Hold) => Effect.Effect<A, Refused>
  ): Effect.Effect<A, Refused | ModelForbidden> => {
    const place =
      metersOf(request.caller).length === 0
        ? placeAt
        : (hold: Hold) =>
            placeAt({
              ...hold,
              request: { ...request.labels, model: request.model, mostTokens: () => request.mostTokens() }
            })
    if (!isBounded(request.caller)) return place(uncounted)
    const { caller, model, offers, price } = request
    const prices = payable({ caller, model, unpriced: request.unpriced, prices: offers?.prices ?? [price] })
    if (!("length" in prices)) return Effect.fail(prices)
    const places = prices
      .map((price) => ({ price, hold: holdAt(request, price) }))
      .toSorted((one, other) => other.hold.nanoUsd - one.hold.nanoUsd)
    const upTo = (within: typeof places): Effect.Effect<A, Refused> => {
      const [dearest] = within
      if (dearest === undefined) return Effect.dieMessage("a request that may be asked nowhere")
      offers?.keep(within.map(({ price }) => price))
      const cheaper = within.filter(({ hold }) => hold.nanoUsd < dearest.hold.nanoUsd)
      const placed = place(dearest.hold)
      const mayDrop = cheaper.some(({ price }) => offers?.needed?.includes(price) ?? true)
      return mayDrop ? Effect.catchAll(placed, () => upTo(cheaper)) : placed
    }
    return upTo(places)
  }

  return { afford, payable } as const
}

const holdAt = (request: Chargeable, price: Price): Hold =>
  price.isFree ? nothing : (request.held?.(price) ?? { nanoUsd: request.mostNanoUsd(price) })

const nothing: Hold = { nanoUsd: 0 }
const uncounted: Hold = { nanoUsd: 0, isUncounted: true }
