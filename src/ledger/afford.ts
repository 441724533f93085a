import { Effect } from "effect"
import type { Caller } from "../contract/callers/Caller.ts"
import { Unpriced } from "../contract/failures/Failure.ts"
import { shorten } from "../contract/text/shorten.ts"
import type { Hold } from "./Balances.ts"
import type { Chargeable } from "./Charge.ts"
import type { BalanceOperations, Refused } from "./BalanceOperations.ts"
import { isOfMoney, metersOf } from "./budgets/meters.ts"
import type { Meter } from "./budgets/meters.ts"
import { Offers } from "./Offers.ts"
import type { Price } from "./Price.ts"

/** A request for a model with its routes. */
export interface Priceable extends Pick<Chargeable, "caller" | "model" | "unpriced"> {
  readonly offers: Pick<Offers, "keepPriced">
}

/** Decides which routes of a request its caller can pay for. */
export const makeAfford = (balances: Pick<BalanceOperations, "isMetered">) => {
  /** True if the caller has a budget or a balance, so that prices must be known. */
  const isBounded = ({ account }: Caller, meters: ReadonlyArray<Meter>): boolean =>
    meters.some(isOfMoney) || balances.isMetered(account)

  /**
   * Removes the routes without a price for what the request asks for, where the caller has a budget or a balance and
   * may not do without. Returns the refusal if none is left.
   */
  const refused = ({ caller, model, offers, unpriced: policy }: Priceable): Unpriced | undefined => {
    if (caller.unpriced === "allow" || !isBounded(caller, metersOf(caller))) return undefined
    // The caller's own rule comes before those of upstreams.
    const gap = offers.keepPriced(caller.unpriced === undefined ? (policy ?? "refuse") : undefined)
    if (gap === undefined) return undefined
    const { param, value } = gap
    if (param === undefined) return new Unpriced({ message: `model "${model}" has no price` })
    return new Unpriced({ param, message: `"${param}": "${shorten(value)}" of model "${model}" has no price` })
  }

  /**
   * Holds the maximum cost of the most expensive route. If the money does not cover it, falls back to the most
   * expensive affordable price and drops the routes beyond it. Fails if not even the cheapest is affordable.
   */
  const afford = <A>(
    request: Chargeable,
    placeAt: (hold: Hold) => Effect.Effect<A, Refused>
  ): Effect.Effect<A, Refused | Unpriced> => {
    const meters = metersOf(request.caller)
    const place =
      meters.length === 0
        ? placeAt
        : (hold: Hold) =>
            placeAt({
              ...hold,
              request: { ...request.labels, model: request.model, mostTokens: () => request.mostTokens() }
            })
    if (!isBounded(request.caller, meters)) return place(uncounted)
    const { caller, model, price, unpriced: policy, offers = new Offers([{ price }]) } = request
    const refusal = refused({ caller, model, unpriced: policy, offers })
    if (refusal !== undefined) return Effect.fail(refusal)
    const places = offers.prices
      .map((price) => ({ price, hold: holdAt(request, price) }))
      .toSorted((one, other) => other.hold.nanoUsd - one.hold.nanoUsd)
    const upTo = (within: typeof places): Effect.Effect<A, Refused> => {
      const [dearest] = within
      if (dearest === undefined) return Effect.dieMessage("a request that may be asked nowhere")
      offers.keep(within.map(({ price }) => price))
      const cheaper = within.filter(({ hold }) => hold.nanoUsd < dearest.hold.nanoUsd)
      const placed = place(dearest.hold)
      const mayDrop = cheaper.some(({ price }) => offers.needed?.includes(price) ?? true)
      return mayDrop ? Effect.catchAll(placed, () => upTo(cheaper)) : placed
    }
    return upTo(places)
  }

  return { afford, refused } as const
}

const holdAt = (request: Chargeable, price: Price): Hold => {
  if (price.isFree) return nothing
  const hold = request.held?.(price) ?? { nanoUsd: request.mostNanoUsd(price) }
  // A hold below zero would be a credit, and no database stores one of 10²⁰: both are refused.
  return hold.nanoUsd >= 0 && hold.nanoUsd <= mostMoney ? hold : { ...hold, nanoUsd: mostMoney }
}

/** The hold of a request at its price, or what it would be where no money is counted. */
export const heldNanoUsd = (request: Chargeable): number => holdAt(request, request.price).nanoUsd

/** Nine million dollars: no account has more, and amounts up to it are exact. */
const mostMoney = Number.MAX_SAFE_INTEGER

const nothing: Hold = { nanoUsd: 0 }
const uncounted: Hold = { nanoUsd: 0, isUncounted: true }
